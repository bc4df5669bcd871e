"""Start the image as one of a release with ZooKeeper."""

from confluent_kafka.admin import AdminClient
from testcontainers.community.kafka import KafkaContainer


def test_the_broker_is_where_it_is_mapped_to() -> None:
    with KafkaContainer("mockbroker:6.2.0") as kafka:
        admin = AdminClient({"bootstrap.servers": kafka.get_bootstrap_server(), "log_level": 0})
        (broker,) = admin.list_topics(timeout=30).brokers.values()
        assert f"{broker.host}:{broker.port}" == kafka.get_bootstrap_server()
