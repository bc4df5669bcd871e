"""DescribeTransactions: a coordinator's state of transactional ids."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TransactionState,
)
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import (
    TIMEOUT_MS,
    Transactor,
    new_brokers,
    pending_held,
)


def describe(brokers: Brokers, *names: str) -> list[TransactionState]:
    request = DescribeTransactionsRequest(transactional_ids=list(names))
    return brokers.ask(request, 0, DescribeTransactionsResponse).transaction_states


def test_a_transaction_is_described_from_its_beginning_to_its_end() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    (found,) = describe(brokers, "mine")
    assert (found.transaction_state, found.transaction_start_time_ms) == ("Empty", -1)
    producer.add(0, 2)
    (found,) = describe(brokers, "mine")
    assert (found.transaction_state, found.transaction_start_time_ms) == ("Ongoing", NOW_MS)
    assert (found.producer_id, found.producer_epoch) == (producer.producer_id, 0)
    assert found.transaction_timeout_ms == TIMEOUT_MS
    (topic,) = found.topics
    assert (topic.topic, sorted(topic.partitions)) == ("orders", [0, 2])
    with pending_held(brokers):
        producer.end(committed=True)
        (found,) = describe(brokers, "mine")
        assert found.transaction_state == "PrepareCommit"
    (found,) = describe(brokers, "mine")
    assert (found.transaction_state, found.topics) == ("CompleteCommit", [])


def test_each_transactional_id_has_its_own_answer() -> None:
    brokers = new_brokers()
    Transactor(brokers).init()
    codes = [found.error_code for found in describe(brokers, "mine", "other", "")]
    assert codes == [
        ErrorCode.NONE,
        ErrorCode.TRANSACTIONAL_ID_NOT_FOUND,
        ErrorCode.INVALID_REQUEST,
    ]


def test_before_there_is_a_transaction_log_there_is_no_coordinator() -> None:
    (found,) = describe(Brokers(), "mine")
    assert (found.error_code, found.transactional_id) == (ErrorCode.NOT_COORDINATOR, "mine")


@pytest.mark.parametrize(("release", "start_ms"), [("3.9", NOW_MS), ("4.4", -1)])
def test_before_4_0_an_initialisation_leaves_when_the_last_transaction_began(
    release: str, start_ms: int
) -> None:
    brokers = new_brokers(release=release)
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.end(committed=True, version=3)
    producer.init()
    (found,) = describe(brokers, "mine")
    assert (found.transaction_state, found.transaction_start_time_ms) == ("Empty", start_ms)
