"""Common tests of the load producers of all clients."""

from mockbroker import Cluster
from mockbroker.spark.auditing.visible_records import read_visible
from mockbroker.spark.load.load_plan import Delivery
from mockbroker.spark.load.load_producer import (
    ClientName,
    LoadProducer,
    ProducerSettings,
    SendResult,
    make_producer,
)
from mockbroker.spark.load.load_script import LoadShape

SHAPE = LoadShape(seed=7, tasks=1, records=10, partitions=1)


def producer(
    cluster: Cluster, client: ClientName, delivery: Delivery = "idempotent"
) -> LoadProducer:
    """Create a producer for the topic `orders`."""
    return make_producer(
        client,
        ProducerSettings(
            bootstrap_servers=cluster.bootstrap_servers,
            topic="orders",
            client_id="load-0",
            delivery=delivery,
            transactional_id="orders-load" if delivery == "transactional" else None,
        ),
    )


def zombie_of(cluster: Cluster, client: ClientName) -> tuple[LoadProducer, LoadProducer]:
    """Create a producer that is replaced during a transaction, and its replacement."""
    zombie = producer(cluster, client, "transactional")
    zombie.begin()
    sent(zombie, range(1))
    return zombie, producer(cluster, client, "transactional")


def sent(to: LoadProducer, numbers: range) -> list[SendResult]:
    """Send some records, and return their results."""
    results: list[SendResult] = []
    for record in SHAPE.records_of(0, numbers):
        to.send(record, results.append)
    to.flush()
    return results


def seen(cluster: Cluster) -> list[str]:
    """List the record ids that read_committed consumers get."""
    return [each.record_id for each in read_visible(cluster.bootstrap_servers, "orders")]


def ids(*numbers: int) -> list[str]:
    """Return the ids of some records."""
    return [SHAPE.record(0, number).record_id for number in numbers]
