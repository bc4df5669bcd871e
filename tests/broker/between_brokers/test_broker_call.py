"""Calls between brokers: held, lost, delayed and answered late, while a client's call waits."""

from collections.abc import Callable

import pytest

from mockbroker import at
from mockbroker.broker.between_brokers.broker_call import (
    FIRST_BETWEEN_BROKERS,
    call_coordinator,
    versions_between_brokers,
)
from mockbroker.broker.call import Answer as CallAnswer
from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import CloseConnection, Unanswered
from mockbroker.events.event_bus import EventBus, subscribe
from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    CallId,
    Event,
    FaultStruck,
    RequestCame,
)
from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.delay import Delay
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.duplicate import Duplicate
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.effects.observe import Observe
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTransaction,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.settings.error_names import ErrorName
from mockbroker.state.events import BatchAppended
from tests.support.broker_calls import (
    RETRY,
    TIMEOUT_S,
    UNVERIFIED,
    Scene,
)
from tests.support.in_process import Brokers
from tests.support.transactions import ABORTABLE, BUMPING, OLD


@pytest.mark.parametrize("effect", [Hold(), HoldResponse()])
@pytest.mark.parametrize("versions", [OLD, ABORTABLE, BUMPING])
def test_a_batch_waits_for_the_answer_and_is_then_appended(
    effect: Effect, versions: tuple[int, int]
) -> None:
    scene = Scene(effect, versions)
    scene.send()
    assert (scene.code(), scene.end) == (None, 0)
    scene.release()
    assert (scene.code(), scene.end) == (ErrorCode.NONE, 1)
    assert scene.brokers.loop.timers == 0


@pytest.mark.parametrize(
    ("effect", "versions", "of_coordinator", "code"),
    [
        # The request arrives late, and the coordinator refuses it.
        (Hold(), OLD, ErrorCode.TRANSACTION_ABORTABLE, ErrorCode.INVALID_TXN_STATE),
        (Hold(), ABORTABLE, ErrorCode.TRANSACTION_ABORTABLE, ErrorCode.TRANSACTION_ABORTABLE),
        # The response is from before the end, but the marker has revoked the guard in the log.
        (HoldResponse(), OLD, ErrorCode.NONE, ErrorCode.INVALID_TXN_STATE),
        (HoldResponse(), ABORTABLE, ErrorCode.NONE, ErrorCode.INVALID_TXN_STATE),
    ],
)
@pytest.mark.parametrize("committed", [False, True])
def test_a_batch_is_refused_if_its_transaction_has_ended_meanwhile(
    effect: Effect,
    versions: tuple[int, int],
    of_coordinator: ErrorCode,
    code: ErrorCode,
    *,
    committed: bool,
) -> None:
    scene = Scene(effect, versions)
    scene.send()
    assert scene.producer.end(committed=committed).error_code == ErrorCode.NONE
    scene.release()
    assert scene.fault.last_error is of_coordinator
    assert (scene.code(), scene.end) == (code, 1)  # the marker


@pytest.mark.parametrize("effect", [LoseResponse(), DropRequest()])
@pytest.mark.parametrize("versions", [OLD, ABORTABLE, BUMPING])
def test_a_lost_connection_makes_the_producer_retry(
    effect: Effect, versions: tuple[int, int]
) -> None:
    scene = Scene(effect, versions)
    scene.send()
    assert scene.outcome() == (
        RETRY,
        UNVERIFIED,
    )
    assert scene.end == 0
    scene.send()  # again
    assert (scene.code(), scene.end) == (ErrorCode.NONE, 1)


@pytest.mark.parametrize("effect", [LoseResponse("silence"), DropRequest("silence"), Hold()])
def test_without_an_answer_the_leader_gives_up_after_its_request_timeout(effect: Effect) -> None:
    scene = Scene(effect)
    scene.send()
    scene.brokers.loop.advance(TIMEOUT_S - 0.001)
    assert scene.code() is None
    scene.brokers.loop.advance(0.001)
    assert (scene.code(), scene.end) == (RETRY, 0)


def test_an_answer_after_the_timeout_changes_nothing() -> None:
    scene = Scene(HoldResponse())
    events: list[Event] = []
    subscribe(scene.brokers.service, events.append)
    scene.send()
    scene.brokers.loop.advance(TIMEOUT_S)
    assert scene.code() is RETRY
    scene.release()
    assert scene.end == 0
    (lost,) = [each for each in events if isinstance(each, AnswerLost)]
    assert (lost.call.api, lost.reason) == (ApiKey.ADD_PARTITIONS_TO_TXN, "request_timed_out")


def test_a_hold_ends_at_an_event_of_the_transaction() -> None:
    scene = Scene(HoldResponse(at.abort_marker("orders", 0)))
    scene.send()
    assert scene.code() is None
    scene.producer.end(committed=False)
    scene.brokers.loop.run()
    assert (scene.code(), scene.end) == (ErrorCode.INVALID_TXN_STATE, 1)


def test_a_delayed_answer_arrives_after_its_time() -> None:
    scene = Scene(Delay("2s"))
    scene.send()
    scene.brokers.loop.advance(1.999)
    assert scene.code() is None
    scene.brokers.loop.advance(0.001)
    assert (scene.code(), scene.end) == (ErrorCode.NONE, 1)


def test_a_batch_is_appended_even_if_its_client_has_gone() -> None:
    scene = Scene(Hold())
    scene.send().leave()
    scene.release()
    assert scene.end == 1


@pytest.mark.parametrize("ends", [False, True])
def test_without_acks_there_is_no_response(ends: bool) -> None:
    scene = Scene(HoldResponse())
    peer = scene.send(acks=0)
    if ends:
        scene.producer.end(committed=False)
    scene.release()
    assert (len(peer.transport.written), peer.is_hung_up) == (0, ends)
    assert scene.end == 1  # the batch, or the marker


@pytest.mark.parametrize(
    ("error", "versions", "expected"),
    [
        ("NOT_COORDINATOR", ABORTABLE, RETRY),
        ("COORDINATOR_LOAD_IN_PROGRESS", BUMPING, RETRY),
        ("PRODUCER_FENCED", OLD, ErrorCode.INVALID_PRODUCER_EPOCH),
        ("TRANSACTION_ABORTABLE", OLD, ErrorCode.INVALID_TXN_STATE),
        ("CONCURRENT_TRANSACTIONS", ABORTABLE, RETRY),
    ],
)
def test_an_error_of_the_coordinator_is_mapped_as_ever(
    error: ErrorName, versions: tuple[int, int], expected: ErrorCode
) -> None:
    scene = Scene(Answer(error), versions)
    scene.send()
    assert (scene.code(), scene.end) == (expected, 0)


def test_a_busy_coordinator_is_asked_again_when_its_log_changes() -> None:
    scene = Scene(Answer("CONCURRENT_TRANSACTIONS"), BUMPING)
    asked = scene.affect(Observe(), between_brokers=True)
    scene.send()
    assert (scene.code(), asked.hits) == (None, 1)
    scene.brokers.loop.advance(0.1)
    assert (scene.code(), scene.end, asked.hits) == (ErrorCode.NONE, 1, 2)


def test_a_busy_coordinator_is_asked_again_after_a_late_answer() -> None:
    scene = Scene(HoldResponse("50ms"), BUMPING)
    scene.affect(Answer("CONCURRENT_TRANSACTIONS"), between_brokers=True)
    scene.send()
    scene.brokers.loop.advance(0.05)
    assert (scene.code(), scene.fault.released) == (None, 1)
    scene.brokers.loop.advance(0.05)
    assert (scene.code(), scene.end) == (ErrorCode.NONE, 1)


def test_an_error_for_the_whole_request_is_one_of_each_partition() -> None:
    scene = Scene(Answer("CLUSTER_AUTHORIZATION_FAILED", top_level=True))
    scene.send()
    assert (scene.code(), scene.end) == (ErrorCode.INVALID_TXN_STATE, 0)


def test_a_question_may_arrive_twice() -> None:
    scene = Scene(Duplicate(), BUMPING)
    scene.send()
    assert (scene.code(), scene.end) == (ErrorCode.NONE, 1)


def test_faults_of_clients_and_of_brokers_do_not_meet() -> None:
    scene = Scene()
    of_clients = scene.affect(Observe())
    of_brokers = scene.affect(Observe(), between_brokers=True)
    assert scene.producer.add(1) == [ErrorCode.NONE]
    assert (of_clients.calls, of_brokers.calls) == (1, 0)
    scene.send()
    assert scene.code() is ErrorCode.NONE
    assert (of_clients.calls, of_brokers.calls) == (1, 1)
    assert of_clients.nearest is None or "Produce" in str(of_clients.nearest[1])


@pytest.mark.parametrize("by", ["topic", "transactional_id", "producer_id", "broker", "client_id"])
def test_a_question_is_selected_by_what_it_names(by: str) -> None:
    scene = Scene()
    values = {
        "topic": "orders",
        "transactional_id": "mine",
        "producer_id": scene.producer.producer_id,
        "broker": scene.producer.coordinator_id,
        "client_id": f"AddPartitionsManager-client-{scene.leader_id}",
    }
    asked = scene.affect(Observe(), between_brokers=True, **{by: values[by]})
    scene.send()
    assert asked.hits == 1


def test_events_show_the_call_inside_that_of_the_client() -> None:
    scene = Scene(LoseResponse(), BUMPING)
    events: list[Event] = []
    subscribe(scene.brokers.service, events.append)
    scene.send()
    shown = [
        (type(each).__name__, each.call.api.title, each.call.broker, each.call.connection)
        for each in events
        if isinstance(each, RequestCame | AnswerGiven | AnswerLost | FaultStruck)
    ]
    leader_id, coordinator_id = scene.leader_id, scene.producer.coordinator_id
    mine = next(each.call.connection for each in events if isinstance(each, RequestCame))
    assert shown == [
        ("RequestCame", "Produce", leader_id, mine),
        ("RequestCame", "AddPartitionsToTxn", coordinator_id, 0),
        ("FaultStruck", "AddPartitionsToTxn", coordinator_id, 0),
        ("AnswerLost", "AddPartitionsToTxn", coordinator_id, 0),
        ("AnswerGiven", "Produce", leader_id, mine),
    ]
    assert mine > 0


def test_what_happens_after_a_late_answer_belongs_to_the_client_s_call() -> None:
    scene = Scene(Hold(), BUMPING)
    seen: dict[str, list[CallId | None]] = {}

    def note(event: Event) -> None:
        bus = scene.brokers.service.event_bus
        assert isinstance(bus, EventBus)
        if not isinstance(event, BatchAppended) or event.log.topic == "orders":
            seen.setdefault(type(event).__name__, []).append(bus.serving)

    subscribe(scene.brokers.service, note)
    scene.send()
    scene.release()
    (appended,) = seen["BatchAppended"]
    (added,) = seen["TransactionChanged"]
    assert appended is not None
    assert added is not None
    assert (appended.api, added.api) == (ApiKey.PRODUCE, ApiKey.ADD_PARTITIONS_TO_TXN)


def test_only_versions_of_brokers_are_called() -> None:
    assert versions_between_brokers(ApiKey.ADD_PARTITIONS_TO_TXN, range(6)) == range(4, 6)
    assert not versions_between_brokers(ApiKey.ADD_PARTITIONS_TO_TXN, range(4))
    assert not versions_between_brokers(ApiKey.PRODUCE, range(13))
    assert ApiKey.PRODUCE not in FIRST_BETWEEN_BROKERS


class Asking:
    """A broker that asks another one, with a continuation of the test's own."""

    def __init__(self, proceed: Callable[[Message | None], CallAnswer], effect: Effect) -> None:
        self.scene = Scene(effect)
        self.brokers: Brokers = self.scene.brokers
        call = Call(
            self.brokers.service,
            broker_id=1,
            connection_id=1,
            api_key=ApiKey.PRODUCE,
            api_version=11,
            correlation_id=1,
            client_id=None,
        )
        request = AddPartitionsToTxnRequest(
            transactions=[AddPartitionsToTxnTransaction(transactional_id="mine")]
        )
        answer = call_coordinator(
            call,
            self.brokers.state.transaction_coordinator(2),
            request,
            proceed,
            transactional_id="mine",
            version=5,
            sender="Test",
        )
        assert isinstance(answer, DelayedResponse)
        self.delayed = answer
        assert answer.attempt(False) is None


def test_a_mistake_after_a_late_answer_reaches_the_client_s_call() -> None:
    def fail(_response: Message | None) -> CallAnswer:
        raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR)

    asking = Asking(fail, HoldResponse())
    asking.scene.release()
    with pytest.raises(ApiError, match="KAFKA_STORAGE_ERROR"):
        asking.delayed.attempt(False)


def test_a_connection_that_is_to_be_closed_after_a_late_answer_is_closed() -> None:
    def close(_response: Message | None) -> CallAnswer:
        raise CloseConnection("malformed_records")

    asking = Asking(close, HoldResponse())
    asking.scene.release()
    over = asking.delayed.attempt(False)
    assert isinstance(over, Unanswered)
    assert (over.hang_up, over.reason) == (True, "malformed_records")


def test_the_answer_is_the_message_of_the_other_broker() -> None:
    found: list[Message | None] = []

    def keep(response: Message | None) -> CallAnswer:
        found.append(response)
        return None

    asking = Asking(keep, HoldResponse())
    asking.scene.release()
    (response,) = found
    assert isinstance(response, AddPartitionsToTxnResponse)
    assert isinstance(asking.delayed.attempt(False), Unanswered)  # acks=0


def test_a_delayed_call_may_be_lost_in_the_end() -> None:
    scene = Scene(HoldResponse())
    scene.affect(LoseResponse(), between_brokers=True)
    scene.send()
    assert scene.code() is None
    scene.release()
    assert scene.code() is RETRY
