"""Ring buffer of the last entries, with the number of dropped ones."""

from mockbroker.events.event_types import ClusterEvent
from mockbroker.journal.recorded import Recorded
from mockbroker.journal.ring import Ring


def recorded(seq: int) -> Recorded:
    return Recorded(seq, 0, 0, None, None, ClusterEvent("tea", {}))


def test_the_oldest_go_first_and_are_counted() -> None:
    ring = Ring(5)
    ring.store(recorded(1), 2)
    ring.store(recorded(3), 3)
    assert (ring.entries, ring.dropped) == (5, 0)
    ring.store(recorded(6), 1)
    assert [each.seq for each in ring.recorded()] == [3, 6]
    assert (ring.entries, ring.dropped) == (4, 2)


def test_the_last_event_stays_even_if_it_exceeds_the_limit() -> None:
    ring = Ring(2)
    ring.store(recorded(1), 1)
    ring.store(recorded(2), 9)
    assert [each.seq for each in ring.recorded()] == [2]
    assert (ring.entries, ring.dropped) == (9, 1)


def test_a_ring_that_is_cleared_has_dropped_nothing() -> None:
    ring = Ring(1)
    ring.store(recorded(1), 1)
    ring.store(recorded(2), 1)
    ring.clear()
    assert (ring.recorded(), ring.entries, ring.dropped) == ([], 0, 0)
