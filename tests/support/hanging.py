"""Transactions that no coordinator will end."""

from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer

WITHOUT_VERIFICATION: Final = {"transaction.partition.verification.enable": "false"}
"""Config with which brokers since Kafka 3.6 accept late batches, as older ones do."""


def leave_hanging(bootstrap_servers: str, topic: str, transactional_id: str = "payments") -> int:
    """Commit a transaction, let a batch of it arrive later, and return the producer's id."""
    with WireProducer(bootstrap_servers, transactional_id) as producer:
        assert producer.init_producer_id() is ErrorCode.NONE
        assert producer.add_partition(topic) is ErrorCode.NONE
        assert not producer.produce(topic, b"paid", base_sequence=0).error
        assert producer.commit() is ErrorCode.NONE
        assert not producer.produce(topic, b"late", base_sequence=1).error
        return producer.producer_id
