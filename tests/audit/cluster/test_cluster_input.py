"""Input of the rules from a running cluster."""

import pytest

from mockbroker.audit.cluster.cluster_input import attempt_of, read_cluster
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag
from mockbroker.journal.compact.row_recorder import RowRecorder
from mockbroker.journal.recorder import Recorder
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import NOW_MS, Brokers
from tests.support.ledger_rows import row
from tests.support.requests import batch_of, produce


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 1, "payments": 1, "stamped": 1})


@pytest.fixture
def ledger(brokers: Brokers) -> Ledger:
    ledger = Ledger()
    RowRecorder(ledger, Recorder(lambda: brokers.service))
    peer = brokers.connect()
    for topic in ("orders", "payments", "orders"):
        peer.ask(produce(topic, records=batch_of(b"a", b"b")), 9, ProduceResponse)
    return ledger


def make_irregular(ledger: Ledger, *indexes: int) -> None:
    """Let rows look as if their answers had been lost."""
    for index in indexes:
        ledger.change(index, answer=ResponseOutcome.LOST)


def test_regular_partitions_are_left_out(brokers: Brokers, ledger: Ledger) -> None:
    assert read_cluster(ledger, brokers.state, None, NOW_MS).logs == []
    make_irregular(ledger, 0)
    (log,) = read_cluster(ledger, brokers.state, None, NOW_MS).logs
    assert log.place == "orders-0"
    assert read_cluster(ledger, brokers.state, "payments", NOW_MS).logs == []


def test_the_input_has_the_attempts_and_the_records_of_a_topic(
    brokers: Brokers, ledger: Ledger
) -> None:
    make_irregular(ledger, 0)
    given = read_cluster(ledger, brokers.state, "orders", NOW_MS)
    (log,) = given.logs
    first, second = log.attempts
    assert (first.base_offset, first.answer, second.base_offset) == (0, ResponseOutcome.LOST, 2)
    assert first.client_id == second.client_id
    assert [offset for offset, *_ in log.identities(second, 2)] == [2]
    (_, _, a), (_, _, b) = log.identities(first, 1)
    assert (a, b) == ((NOW_MS, None, b"a", ()), (NOW_MS, None, b"b", ()))
    ((_, _, again),) = log.identities(second, 2)
    assert again == a
    extent = log.extent
    assert (extent.log_start_offset, extent.log_end_offset) == (0, 4)
    assert [extent.epoch_end(each) for each in (0, 1)] == [4, -1]
    assert given.views(log) is given.views(log)
    assert given.views(log).log_end_offset == 4
    assert log.ends() == {}


def test_attempts_are_in_the_order_of_their_arrival(brokers: Brokers, ledger: Ledger) -> None:
    first = ledger.row(0)
    ledger.add(*first._replace(flags=Flag.REPEATED, base_offset=4, appended_at=9, answered_at=10))
    (log,) = read_cluster(ledger, brokers.state, "orders", NOW_MS).logs
    assert [each.base_offset for each in log.attempts] == [0, 4, 2]


def test_rows_of_a_deleted_topic_are_left_out(brokers: Brokers, ledger: Ledger) -> None:
    make_irregular(ledger, 0)
    brokers.state.delete_topic(brokers.topic("orders"))
    assert read_cluster(ledger, brokers.state, None, NOW_MS).logs == []
    with pytest.raises(LookupError, match="no topic 'orders'"):
        read_cluster(ledger, brokers.state, "orders", NOW_MS)


def test_an_attempt_has_the_values_of_its_row() -> None:
    one = row(
        4, 7, producer_id=3, record_count=2, appended=Appended.RETRY, answer=ResponseOutcome.LOST,
        error_code=7, flags=Flag.TRANSACTIONAL | Flag.REPEATED,
    )  # fmt: skip
    attempt = attempt_of(one, {1: "shop"})
    assert (attempt.call, attempt.connection, attempt.client_id) == (4, 1, "shop")
    assert (attempt.producer_id, attempt.base_offset, attempt.last_offset) == (3, 7, 8)
    assert (attempt.appended, attempt.answer) == (Appended.RETRY, ResponseOutcome.LOST)
    assert (attempt.error, attempt.is_transactional) == ("REQUEST_TIMED_OUT", True)
    assert attempt.is_repeated
    plain = attempt_of(row(4), {})
    assert (plain.error, plain.client_id, plain.is_transactional) == (None, None, False)
