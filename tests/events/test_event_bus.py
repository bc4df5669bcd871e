"""Subscribers receive every event once, in order."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import pytest

from mockbroker.broker.service import Service
from mockbroker.control.cluster_clock import jump
from mockbroker.control.cluster_control import ClusterControl
from mockbroker.events.event_bus import EventBus, subscribe
from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    CallHeld,
    CallReleased,
    ClockMoved,
    ClusterEvent,
    ConnectionClosed,
    ConnectionOpened,
    Event,
    FaultMade,
    FaultRemoved,
    FaultStruck,
    HungUp,
    RequestCame,
)
from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.fault import Fault
from mockbroker.faults.selectors import Selectors
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.server.event_loop import at_once
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.events import BatchAppended, MarkerAppended, TransactionChanged
from tests.support.faults import (
    VERSION,
    Plan,
    produce_to,
    produced,
)
from tests.support.in_process import (
    NOW_MS,
    Brokers,
    frame_of,
    sized,
)
from tests.support.requests import fetch, produce
from tests.support.transactions import Transactor, new_brokers

HappeningT = TypeVar("HappeningT")


class Recorder:
    """Events that a subscriber received; `without` leaves out those of connections."""

    def __init__(self, service: Service) -> None:
        self.all: list[Event] = []
        self.serving: list[int | None] = []
        self._service = service
        self.stop: Callable[[], None] = subscribe(service, self._record)

    def _record(self, event: Event) -> None:
        self.all.append(event)
        assert isinstance(self._service.event_bus, EventBus)
        serving = self._service.event_bus.serving
        self.serving.append(None if serving is None else serving.number)

    @property
    def kinds(self) -> list[str]:
        connections = (ConnectionOpened, ConnectionClosed, HungUp)
        return [type(each).__name__ for each in self.all if not isinstance(each, connections)]

    def of(self, kind: type[HappeningT]) -> list[HappeningT]:
        return [each for each in self.all if isinstance(each, kind)]


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_without_a_subscriber_there_is_no_event_bus() -> None:
    service = Brokers().service
    assert service.event_bus is None
    first, second = Recorder(service), Recorder(service)
    assert service.event_bus is not None
    service.note("tea", cups=2)
    first.stop()
    service.note("milk")
    second.stop()
    assert service.event_bus is None
    assert service.cluster.observation.reporter is None
    service.note("sugar")
    assert first.all == [ClusterEvent("tea", {"cups": 2})]
    assert second.all == [ClusterEvent("tea", {"cups": 2}), ClusterEvent("milk", {})]


def test_a_request_is_followed_by_its_effects_and_its_response(plan: Plan) -> None:
    recorder = Recorder(plan.brokers.service)
    produced(plan.brokers.connect(), 0, 1)
    assert recorder.kinds == ["RequestCame", "BatchAppended", "BatchAppended", "AnswerGiven"]
    (came,), (given,) = recorder.of(RequestCame), recorder.of(AnswerGiven)
    assert came.call == given.call
    assert came.call[:5] == (1, 1, 1, came.call.client_id, ApiKey.PRODUCE)
    assert isinstance(given.response, ProduceResponse)
    assert recorder.serving == [None, None, 1, 1, None]
    first, second = recorder.of(BatchAppended)
    assert (first.log.topic, first.log.partition, first.base_offset) == ("orders", 0, 0)
    assert (second.log.partition, second.log.log_end_offset) == (1, 1)
    assert not second.is_duplicate


def test_a_request_with_acks_0_has_an_empty_answer(plan: Plan) -> None:
    recorder = Recorder(plan.brokers.service)
    plan.brokers.connect().send(produce_to(0, 1, acks=0), VERSION)
    (given,) = recorder.of(AnswerGiven)
    assert given.response is None


def test_a_retry_is_reported_as_a_duplicate() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    recorder = Recorder(brokers.service)
    producer.write(0, b"1")
    producer.sequences.clear()
    producer.write(0, b"1")
    appended = recorder.of(BatchAppended)
    assert [(each.base_offset, each.is_duplicate) for each in appended] == [(0, False), (0, True)]


def test_common_case_batches_are_one_event() -> None:
    brokers = Brokers(topics={"orders": 1})
    recorder = Recorder(brokers.service)
    requests = [sized(frame_of(produce(), 9, number)) for number in range(1, 8)]
    peer = brokers.connect()
    peer.feed(b"".join(requests[:3]))
    peer.feed(b"".join(requests[3:]))
    assert brokers.fast_answers == 6
    assert recorder.kinds == [
        "RequestCame",
        "BatchAppended",
        "AnswerGiven",
        *["BatchProduced"] * 6,
    ]
    batch, *_, last = recorder.of(BatchProduced)
    assert (batch.number, batch.correlation_id, batch.base_offset) == (2, 2, 1)
    assert batch.sender.topic == "orders"
    assert batch.log.log_end_offset == 2
    assert (last.number, last.correlation_id, last.base_offset) == (7, 7, 6)
    assert last.log.log_end_offset == 7


def test_a_delayed_response_is_reported_when_it_is_sent() -> None:
    brokers = Brokers(topics={"orders": 1})
    recorder = Recorder(brokers.service)
    waiting = brokers.connect()
    waiting.send(fetch(max_wait_ms=10_000), 12)
    assert recorder.kinds == ["RequestCame"]
    brokers.connect().ask(produce(), 9, ProduceResponse)
    brokers.loop.run()
    given = recorder.of(AnswerGiven)
    assert [each.call.number for each in given] == [2, 1]
    assert isinstance(given[1].response, FetchResponse)


def test_a_client_that_disconnects_early_gets_no_response() -> None:
    brokers = Brokers(topics={"orders": 1})
    recorder = Recorder(brokers.service)
    waiting = brokers.connect()
    waiting.send(fetch(max_wait_ms=10_000), 12)
    waiting.leave()
    (lost,) = recorder.of(AnswerLost)
    assert (lost.call.number, lost.how) == (1, "gone")
    assert [type(each) for each in recorder.all][-2:] == [ConnectionClosed, AnswerLost]


def test_a_frame_that_is_no_request_closes_the_connection() -> None:
    brokers = Brokers()
    recorder = Recorder(brokers.service)
    brokers.connect().feed(sized(b"\x7f\x00\x00\x00"))
    (hung_up,) = recorder.of(HungUp)
    assert hung_up.reason == "unknown_api"
    assert not recorder.of(RequestCame)


# Faults


def test_a_request_with_a_lost_answer_is_applied_and_gets_no_answer(plan: Plan) -> None:
    rule = plan.fault(LoseResponse(), topic="orders", partition=0)
    recorder = Recorder(plan.brokers.service)
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert recorder.kinds == ["RequestCame", "FaultStruck", "BatchAppended", "AnswerLost"]
    (struck,), (lost,) = recorder.of(FaultStruck), recorder.of(AnswerLost)
    assert (struck.rule, struck.effect, struck.applied) == (rule.name, "lose_response()", "before")
    assert [(item["topic"], item["partition"]) for item in struck.items] == [("orders", 0)]
    assert (lost.call, lost.how, lost.reason) == (struck.call, "hang_up", "fault")
    assert recorder.of(HungUp)


@pytest.mark.parametrize(
    ("effect", "kinds"),
    [
        (DropRequest(), ["AnswerLost"]),
        (Answer(ErrorCode.NOT_LEADER_OR_FOLLOWER), ["AnswerGiven"]),
    ],
    ids=str,
)
def test_a_request_that_is_never_applied_appends_nothing(
    plan: Plan, effect: Effect, kinds: list[str]
) -> None:
    plan.fault(effect)
    recorder = Recorder(plan.brokers.service)
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert recorder.kinds == ["RequestCame", "FaultStruck", *kinds]
    assert recorder.of(FaultStruck)[0].applied == "never"


def test_a_refusal_without_acks_is_a_lost_answer(plan: Plan) -> None:
    plan.fault(Answer(ErrorCode.NOT_LEADER_OR_FOLLOWER))
    recorder = Recorder(plan.brokers.service)
    plan.brokers.connect().send(produce_to(0, acks=0), VERSION)
    (lost,) = recorder.of(AnswerLost)
    assert lost.how == "hang_up"


def test_a_held_request_is_applied_for_its_call(plan: Plan) -> None:
    rule = plan.fault(Hold())
    recorder = Recorder(plan.brokers.service)
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert recorder.kinds == ["RequestCame", "FaultStruck", "CallHeld"]
    assert recorder.of(FaultStruck)[0].applied == "after"
    plan.plan.release(rule)
    plan.brokers.loop.run()
    assert recorder.kinds[3:] == ["BatchAppended", "CallReleased", "AnswerGiven"]
    assert recorder.serving[recorder.all.index(recorder.of(BatchAppended)[0])] == 1
    (released,) = recorder.of(CallReleased)
    assert (released.rule, released.error) == (rule.name, ErrorCode.NONE)


def test_a_held_answer_is_reported_when_it_is_sent(plan: Plan) -> None:
    rule = plan.fault(HoldResponse())
    recorder = Recorder(plan.brokers.service)
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert recorder.kinds == ["RequestCame", "FaultStruck", "BatchAppended", "CallHeld"]
    plan.plan.release(rule)
    plan.brokers.loop.run()
    assert recorder.kinds[4:] == ["CallReleased", "AnswerGiven"]
    assert recorder.of(CallHeld)[0].call == recorder.of(CallReleased)[0].call


@pytest.mark.asyncio
async def test_a_fault_is_reported_when_it_is_added_changed_and_removed() -> None:
    brokers = Brokers(topics={"orders": 1})
    brokers.service.loop = asyncio.get_running_loop()
    control = ClusterControl(brokers.service, WallClock())
    recorder = Recorder(brokers.service)
    rule = control.fault_plan.add(Selectors({"api": ApiKey.PRODUCE}))
    assert not recorder.all
    fault = Fault(control, rule).lose_response()
    fault.times(3)
    fault.remove()
    assert recorder.all == [
        FaultMade("fault-1", "fault-1: fault(api=Produce).lose_response().once()"),
        FaultMade("fault-1", "fault-1: fault(api=Produce).lose_response().times(3)"),
        FaultRemoved("fault-1"),
    ]


# Time


def test_a_clock_jump_is_reported_before_the_timers_that_expire() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0)
    recorder = Recorder(brokers.service)
    times: list[int] = []
    subscribe(brokers.service, lambda _event: times.append(brokers.service.now_ms))
    at_once(jump(brokers.service, brokers.clock, producer.timeout_ms + 60_000, keep_sessions=True))
    (moved,) = recorder.of(ClockMoved)
    assert recorder.all[0] == moved == ClockMoved(NOW_MS, NOW_MS + producer.timeout_ms + 60_000)
    (marker,) = recorder.of(MarkerAppended)
    assert not marker.marker.is_commit
    states = [each.after.state.state_name for each in recorder.of(TransactionChanged) if each.after]
    assert states == ["PrepareAbort", "CompleteAbort"]
    due_ms = times[recorder.all.index(recorder.of(TransactionChanged)[0])]
    assert NOW_MS + producer.timeout_ms <= due_ms < moved.after_ms
