"""Programs that send an order, and bill it."""

from confluent_kafka import KafkaException, Producer

from mockbroker.control.cluster_handle import ClusterHandle

ORDERS = {"orders": 1}


def send(cluster: ClusterHandle, *, enable_idempotence: bool) -> None:
    settings = {"enable.idempotence": enable_idempotence, "log_level": 2}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.produce("orders", b"order-1")
    assert producer.flush(10) == 0


def send_without_idempotence(cluster: ClusterHandle) -> None:
    send(cluster, enable_idempotence=False)


def send_with_idempotence(cluster: ClusterHandle) -> None:
    send(cluster, enable_idempotence=True)


def bill(cluster: ClusterHandle, *, commit_timeout_s: float = 1) -> None:
    settings = {"transactional.id": "billing", "log_level": 2}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce("orders", b"paid")
    producer.commit_transaction(commit_timeout_s)


def bill_until_it_works(cluster: ClusterHandle) -> None:
    """Begin again with a new producer after any error: its commit may have been applied."""
    for _ in range(3):
        try:
            return bill(cluster)
        except KafkaException:
            continue
    raise AssertionError("it never worked")
