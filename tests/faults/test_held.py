"""Calls that are held, before they have an answer."""

from mockbroker.faults.effects.delay import Delay
from mockbroker.protocol.errors import ErrorCode
from tests.support.faults import VERSION, Plan, produce_to


def test_a_held_call_has_an_answer_that_is_not_released_yet() -> None:
    plan = Plan()
    fault = plan.fault(Delay("1s"), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    (held,) = fault.held
    assert (held.error, held.is_released) == (ErrorCode.NONE, False)
    assert held.later().attempt(False) is None
    plan.plan.release(fault)
    assert held.later().attempt(False) is held.answer
