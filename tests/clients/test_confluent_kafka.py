"""Transaction and matrix scenarios with confluent-kafka, on librdkafka."""

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from tests.clients.python.confluent_client import ConfluentClient
from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.group_scenarios import ConsumerProtocolScenarios
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.topics import create_topic
from tests.clients.support.transaction_scenarios import TOO_LARGE, Errors, OffsetScenarios, Scene
from tests.clients.support.transactional_client import ClientError
from tests.clients.support.versions import locked

pytestmark = pytest.mark.slow

BEFORE_KIP_360 = ("0.11", "1.1", "2.3", "2.4")


@pytest.fixture
def client() -> ConfluentClient:
    return ConfluentClient()


def test_metadata_of_all_topics_and_of_one(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic, partitions=3)
    for client in (
        AdminClient({"bootstrap.servers": bootstrap_servers}),
        Producer({"bootstrap.servers": bootstrap_servers}),
    ):
        assert topic in client.list_topics(timeout=TIMEOUT_S).topics
        assert len(client.list_topics(topic, TIMEOUT_S).topics[topic].partitions) == 3


class TestMatrix(MatrixScenarios):
    releases = ("4.4", "2.4")
    title = "confluent-kafka"
    version = locked("confluent-kafka")
    fenced = "_FENCED"
    non_empty_group = "NON_EMPTY_GROUP"


class TestConsumerProtocol(ConsumerProtocolScenarios):
    @pytest.fixture
    def client(self) -> ConfluentClient:
        return ConfluentClient("consumer")


class TestTransactions(OffsetScenarios):
    releases = ("4.4", "3.9", "2.4", "0.11")
    errors = Errors(
        fenced_commit="_FENCED",
        fenced_send="_FENCED",
        timed_out_commit="_FENCED",
        too_large_send="MSG_SIZE_TOO_LARGE",
        out_of_order_send="OUT_OF_ORDER_SEQUENCE_NUMBER",
        next_after_too_large="_PURGE_QUEUE",
    )
    can_abort_after_out_of_order = False  # it is fatal

    def test_after_a_refused_record_the_second_abort_bumps_the_epoch(self, scene: Scene) -> None:
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "gone")
            self.fail(lambda: producer.send(scene.topic, 0, TOO_LARGE), self.errors.too_large_send)
            producer.abort()
            producer.begin()
            with pytest.raises(ClientError, match="_PURGE_QUEUE"):
                producer.send(scene.topic, 0, "skips a sequence number")
            if scene.release in BEFORE_KIP_360:  # InitProducerId does not bump yet
                with pytest.raises(ClientError, match="_UNSUPPORTED_FEATURE"):
                    producer.abort()
                return
            producer.abort()
            self.commit(scene, producer, "kept")
        assert scene.committed() == ["kept"]
        assert scene.transactional_batches()[-1].producer_epoch > 0
