"""An excerpt of a running cluster's ledger."""

import pytest

from mockbroker.ledger.excerpt_reader import excerpt_of, topics_of
from mockbroker.ledger.ledger import Ledger
from mockbroker.ledger.recorder import LedgerRecorder
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.service.support.in_process import NOW_MS, Brokers
from tests.service.support.requests import batch_of, produce


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 1, "payments": 1, "stamped": 1})


@pytest.fixture
def ledger(brokers: Brokers) -> Ledger:
    ledger = Ledger()
    LedgerRecorder(ledger, brokers.service)
    peer = brokers.connect()
    for topic in ("orders", "payments", "orders"):
        peer.ask(produce(topic, records=batch_of(b"a", b"b")), 9, ProduceResponse)
    return ledger


def test_it_holds_the_rows_of_a_topic_and_the_records_of_its_log(
    brokers: Brokers, ledger: Ledger
) -> None:
    excerpt = excerpt_of(ledger, brokers.state, "orders", NOW_MS)
    assert [(row.place, row.base_offset) for row in excerpt.rows] == [(0, 0), (0, 2)]
    records = excerpt.contents(0, 1, 2)
    assert [offset for offset, _ in records] == [1, 2]
    ((_, a),) = excerpt.contents(0, 2, 2)
    ((_, b),) = excerpt.contents(0, 1, 1)
    assert (a, b) == ((NOW_MS, None, b"a", ()), (NOW_MS, None, b"b", ()))
    extent = excerpt.extents[0]
    assert (extent.log_start_offset, extent.log_end_offset) == (0, 4)
    assert [extent.epoch_end(each) for each in (0, 1)] == [4, -1]
    assert excerpt.views(0) is excerpt.views(0)
    assert excerpt.views(0).log_end_offset == 4
    assert len(excerpt_of(ledger, brokers.state, None, NOW_MS).rows) == 3


def test_rows_of_a_topic_that_is_gone_are_left_out(brokers: Brokers, ledger: Ledger) -> None:
    brokers.state.delete_topic(brokers.topic("orders"))
    assert [row.place for row in excerpt_of(ledger, brokers.state, None, NOW_MS).rows] == [1]
    with pytest.raises(LookupError, match="no topic 'orders'"):
        excerpt_of(ledger, brokers.state, "orders", NOW_MS)


def test_topics_are_named_once(brokers: Brokers) -> None:
    assert topics_of(brokers.state, None) == ["orders", "payments", "stamped"]
    assert topics_of(brokers.state, "payments") == ["payments"]
