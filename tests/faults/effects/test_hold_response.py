"""An answer that waits for an event or a time."""

from mockbroker.faults.effects.hold_response import HoldResponse
from tests.support.faults import VERSION, Plan, produce_to


def test_the_request_is_applied_and_its_answer_comes_later() -> None:
    plan = Plan()
    plan.fault(HoldResponse("50ms"), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert (plan.ends(), peer.new_frames()) == ([1, 0], [])
    plan.brokers.loop.advance(0.049)
    assert peer.new_frames() == []
    plan.brokers.loop.advance(0.001)
    assert len(peer.new_frames()) == 1
