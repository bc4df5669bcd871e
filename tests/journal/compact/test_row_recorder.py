"""The ledger as it is written while clients produce: one row a batch, whatever way it went."""

from typing import NamedTuple

import pytest

from mockbroker.broker.service import Service
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.faults.effects.answer import Answer as Refuse
from mockbroker.faults.effects.answer import ApplyThenAnswer
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.duplicate import Duplicate
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.strike import How
from mockbroker.faults.trigger import Times
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag, Row
from mockbroker.journal.compact.row_recorder import RowRecorder
from mockbroker.journal.recorder import Recorder
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.events import LogTruncated
from tests.support.faults import (
    VERSION,
    Plan,
    produce_to,
    produced,
)
from tests.support.in_process import Brokers
from tests.support.requests import batch_of, produce
from tests.support.transactions import Transactor, new_brokers


class Fate(NamedTuple):
    """Outcome of a batch in its row."""

    base_offset: int
    appended: int
    answer: int
    error_code: int = 0


DONE = Fate(0, Appended.YES, ResponseOutcome.GIVEN)


def ledger_of(service: Service, rows_max: int = 1_000) -> Ledger:
    ledger = Ledger(rows_max)
    RowRecorder(ledger, Recorder(lambda: service))
    return ledger


def fates(ledger: Ledger) -> list[Fate]:
    return [Fate(row.base_offset, row.appended, row.answer, row.error_code) for row in ledger]


@pytest.fixture
def plan() -> Plan:
    return Plan()


@pytest.mark.parametrize("fast", [True, False])
def test_batches_are_recorded_alike_on_the_fast_and_the_general_path(fast: bool) -> None:
    brokers = Brokers(topics={"orders": 1}, fast=fast)
    ledger = ledger_of(brokers.service)
    peer = brokers.connect()
    for _ in range(3):
        peer.ask(produce(records=batch_of(b"a", b"b")), 9, ProduceResponse)
    assert fates(ledger) == [DONE, DONE._replace(base_offset=2), DONE._replace(base_offset=4)]
    assert [row.record_count for row in ledger] == [2, 2, 2]
    assert ledger.places == [TopicPartition("orders", 0)]
    assert len({row.call_number for row in ledger}) == 3
    assert {row.leader_epoch for row in ledger} == {0}
    assert {row.now_ms for row in ledger} == {brokers.service.now_ms}


def test_a_produce_with_acks_0_gets_no_answer(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    peer = plan.brokers.connect()
    for indexes in ((0,), (0, 1)):
        peer.send(produce_to(*indexes, acks=0), VERSION)
    assert {row.answer for row in ledger} == {ResponseOutcome.UNWANTED}
    assert {row.appended for row in ledger} == {Appended.YES}


def test_each_partition_has_a_row_with_its_own_answer(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    plan.fault(Refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER), partition=1)
    produced(plan.brokers.connect(), 0, 1)
    assert fates(ledger) == [
        DONE,
        Fate(-1, Appended.NO, ResponseOutcome.GIVEN, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ]


def test_an_error_after_the_append_is_both(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    plan.fault(ApplyThenAnswer(ErrorCode.REQUEST_TIMED_OUT), partition=0)
    produced(plan.brokers.connect(), 0)
    assert fates(ledger) == [
        Fate(0, Appended.YES, ResponseOutcome.GIVEN, ErrorCode.REQUEST_TIMED_OUT)
    ]


@pytest.mark.parametrize("how", ["disconnect", "silence"])
def test_an_answer_or_a_request_may_be_lost(plan: Plan, how: How) -> None:
    ledger = ledger_of(plan.brokers.service)
    plan.fault(LoseResponse(how), partition=0)
    plan.fault(DropRequest(how), partition=1)
    for index in (0, 1):
        plan.brokers.connect().send(produce_to(index), VERSION)
    assert fates(ledger) == [
        Fate(0, Appended.YES, ResponseOutcome.LOST),
        Fate(-1, Appended.NO, ResponseOutcome.LOST),
    ]


def test_a_held_batch_is_recorded_before_it_is_appended(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    rule = plan.fault(Hold(), Times(1), partition=0)
    holding = plan.brokers.connect()
    holding.send(produce_to(0), VERSION)
    produced(plan.brokers.connect(), 0)
    assert fates(ledger)[0] == Fate(-1, Appended.NO, ResponseOutcome.NONE_YET)
    plan.plan.release(rule)
    plan.brokers.loop.run()
    held, other = ledger
    assert fates(ledger) == [DONE._replace(base_offset=1), DONE]
    assert held.came_at < other.came_at < other.appended_at < held.appended_at < held.answered_at


def test_a_held_batch_of_a_client_that_left_is_appended_and_unanswered(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    rule = plan.fault(Hold(), Times(1), partition=0)
    holding = plan.brokers.connect()
    holding.send(produce_to(0), VERSION)
    holding.leave()
    plan.plan.release(rule)
    plan.brokers.loop.run()
    assert fates(ledger) == [Fate(0, Appended.YES, ResponseOutcome.LOST)]


def test_a_request_that_is_applied_twice_has_two_rows(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    plan.fault(Duplicate(), partition=0)
    produced(plan.brokers.connect(), 0)
    first, again = ledger
    assert (first.base_offset, again.base_offset) == (0, 1)
    assert first.call_number == again.call_number
    assert (first.flags, again.flags) == (0, Flag.REPEATED)
    assert (again.answer, again.error_code) == (ResponseOutcome.GIVEN, 0)


def test_a_duplicate_that_the_log_recognises_is_recorded_as_a_retry() -> None:
    brokers = new_brokers()
    ledger = ledger_of(brokers.service)
    transactor = Transactor(brokers)
    transactor.init()
    transactor.add(0)
    transactor.write(0)
    transactor.sequences.clear()
    transactor.write(0)
    first, retry = ledger
    assert (first.appended, retry.appended, retry.base_offset) == (Appended.YES, Appended.RETRY, 0)
    assert first.is_transactional
    assert retry[2:5] == first[2:5]
    assert first.producer_id == transactor.producer_id


def test_records_that_are_no_batch_are_recorded_as_refused() -> None:
    brokers = Brokers(topics={"orders": 1})
    ledger = ledger_of(brokers.service)
    for records in (b"", b"nothing of the kind", batch_of()[:-1]):
        brokers.connect().send(produce(records=records), 9)
    assert all(row.error_code for row in ledger)
    assert [row.appended for row in ledger] == [Appended.NO] * 3


def test_topics_that_are_named_by_their_ids_are_found() -> None:
    brokers = Brokers(topics={"orders": 1})
    ledger = ledger_of(brokers.service)
    topic_id = brokers.topic("orders").topic_id
    for _ in range(2):
        brokers.connect().ask(produce(topic="", topic_id=topic_id), 13, ProduceResponse)
    assert ledger.places == [TopicPartition("orders", 0)]
    assert fates(ledger) == [DONE, DONE._replace(base_offset=1)]


def test_a_batch_of_an_old_client_is_counted_when_it_is_appended() -> None:
    brokers = new_brokers(release="2.8")
    ledger = ledger_of(brokers.service)
    transactor = Transactor(brokers)
    transactor.init()
    brokers.ask(produce(records=batch_of(b"a", b"b", b"c")), 3, ProduceResponse)
    (row,) = ledger
    assert (row.record_count, row.producer_id) == (3, -1)


def test_a_full_ledger_is_written_no_more(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service, rows_max=1)
    plan.fault(Duplicate(), partition=0)
    for indexes in ((0,), (0, 1), (1,)):
        produced(plan.brokers.connect(), *indexes)
    assert len(ledger) == 1
    assert ledger.dropped > 0
    assert plan.brokers.service.event_bus is None, "the others pay nothing for a full ledger"


def test_a_full_ledger_begins_again_after_a_reset(plan: Plan) -> None:
    service = plan.brokers.service
    recorder = RowRecorder(Ledger(1), Recorder(lambda: service))
    for _ in range(3):
        produced(plan.brokers.connect(), 0)
    assert service.event_bus is None
    recorder.reset()
    assert (len(recorder.ledger), recorder.ledger.dropped) == (0, 0)
    produced(plan.brokers.connect(), 0)
    assert len(recorder.ledger) == 1
    assert service.event_bus is not None


def test_truncations_and_topic_deletions_are_recorded(plan: Plan) -> None:
    service = plan.brokers.service
    ledger = ledger_of(service)
    produced(plan.brokers.connect(), 0)
    assert service.event_bus is not None
    service.event_bus.publish(LogTruncated("orders", 0, 1, 0))
    plan.brokers.state.delete_topic(plan.brokers.topic("orders"))
    assert [end for _, end in ledger.truncations[0]] == [0]
    assert ledger.gone == {0}


def test_a_stopped_recorder_records_nothing(plan: Plan) -> None:
    ledger = Ledger()
    recorder = RowRecorder(ledger, Recorder(lambda: plan.brokers.service))
    produced(plan.brokers.connect(), 0)
    recorder.stop()
    produced(plan.brokers.connect(), 0)
    assert len(ledger) == 1
    assert plan.brokers.service.event_bus is None


def test_other_requests_have_no_rows() -> None:
    brokers = new_brokers()
    ledger = ledger_of(brokers.service)
    transactor = Transactor(brokers)
    transactor.init()
    transactor.add_offsets("group")
    transactor.end(committed=True)
    brokers.loop.run()
    assert list(ledger) == []
    assert ApiKey.END_TXN.title not in {event.api for event in ledger.fenced}


def test_a_client_is_known_by_its_connection(plan: Plan) -> None:
    ledger = ledger_of(plan.brokers.service)
    produced(plan.brokers.connect(), 0)
    rows: list[Row] = list(ledger)
    assert rows[0].connection in ledger.clients
