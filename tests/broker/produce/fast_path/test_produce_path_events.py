"""Events of the requests that the fast path answers."""

from mockbroker.broker.call import ANONYMOUS
from mockbroker.broker.produce.fast_path.produce_path import fast_path_for
from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import BatchProduced, Sender
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.event_reporter import position_of
from tests.support.in_process import CLIENT_ID, Brokers, frame_of
from tests.support.requests import produce


def test_an_answered_request_is_reported_with_its_connection() -> None:
    brokers = Brokers(topics={"orders": 2})
    path = fast_path_for(brokers.service, 1, 7, ANONYMOUS)
    events: list[object] = []
    subscribe(brokers.service, events.append)
    frames = [frame_of(produce(index=1), 9, correlation_id) for correlation_id in (4, 5, 6)]
    answered = [path.answer(frame, 0, len(frame)) is not None for frame in frames]
    assert answered == [False, True, True]
    first, second = events
    assert isinstance(first, BatchProduced)
    assert isinstance(second, BatchProduced)
    assert first.sender == Sender(1, 7, CLIENT_ID, 9, -1, None, "orders", ANONYMOUS)
    assert (first.number, first.correlation_id, first.base_offset) == (1, 5, 0)
    assert (second.number, second.correlation_id, second.base_offset) == (2, 6, 1)
    assert BatchHeader(*second.fields).record_count == 1
    assert second.log == position_of(brokers.partition("orders", 1))
