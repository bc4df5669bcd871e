"""AddOffsetsToTxn adds the offsets partition of a group to a transaction."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.support.transactions import Transactor, new_brokers


@pytest.mark.parametrize("version", range(5))
def test_the_groups_partition_is_added(version: int) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    assert producer.add_offsets("readers", version) is ErrorCode.NONE
    metadata = brokers.state.transaction_coordinator(1).describe_transaction("mine")
    index = coordinator_partition(CONSUMER_OFFSETS, "readers", brokers.state.configs)
    assert metadata.partitions == {(CONSUMER_OFFSETS, index)}


@pytest.mark.parametrize(
    ("version", "code"),
    [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, ErrorCode.PRODUCER_FENCED)],
)
def test_a_wrong_epoch_has_the_code_of_the_version(version: int, code: ErrorCode) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.producer_epoch += 1
    before = brokers.state.as_text()
    assert producer.add_offsets("readers", version) is code
    assert brokers.state.as_text() == before
