"""A matched call: its chosen items, its other items, and its answers."""

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.faults.call_facts import facts_of
from mockbroker.faults.effects.observe import Observe
from mockbroker.faults.strike import Response, Strike
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import encode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.schema.message import Message
from tests.faults.test_call_facts import call_of
from tests.support.faults import (
    VERSION,
    Plan,
    codes,
    produce_to,
)

ANSWER = ProduceResponse(throttle_time_ms=7)


def strike_of(answer: Answer | ApiError) -> Strike:
    plan = Plan()
    fault = plan.fault(Observe(), partition=1)
    call = call_of(plan.brokers, ApiKey.PRODUCE, VERSION)
    request = produce_to(0, 1)

    def handle(_request: Message, _call: Call) -> Answer:
        if isinstance(answer, ApiError):
            raise answer
        return answer

    facts = facts_of(request, call)
    return Strike(fault, request, call, facts, [facts.items[1]], handle)


def test_items_are_divided_into_chosen_and_other_ones() -> None:
    strike = strike_of(ANSWER)
    first, second = (item.path for item in strike.facts.items)
    assert (strike.paths, strike.others) == (frozenset({second}), frozenset({first}))


def test_an_error_of_a_handler_becomes_an_answer() -> None:
    answer = strike_of(ApiError(ErrorCode.NOT_CONTROLLER)).proceed()
    assert isinstance(answer, ProduceResponse)
    assert set(codes(answer).values()) == {ErrorCode.NOT_CONTROLLER}


def test_answers_are_changed_whatever_their_form() -> None:
    seen: list[Response] = []

    def see(response: Response) -> Response:
        seen.append(response)
        return response

    strike = strike_of(ANSWER)
    for answer in (ANSWER, Encoded(encode(ANSWER, VERSION)), None):
        strike.then(answer, see)
    assert seen == [ANSWER, ANSWER, None]


def test_an_answer_that_waits_is_changed_when_it_comes() -> None:
    due: list[Message] = []
    delayed = DelayedResponse((), 10, lambda _is_last: due[0] if due else None)
    changed = strike_of(ANSWER).then(delayed, lambda _: ProduceResponse(throttle_time_ms=8))
    assert isinstance(changed, DelayedResponse)
    assert changed.attempt(False) is None
    due.append(ANSWER)
    assert changed.attempt(False) == ProduceResponse(throttle_time_ms=8)
