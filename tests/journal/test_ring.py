"""Memory holds the last entries, and says how many it does not."""

from mockbroker.events.event_types import ClusterEvent
from mockbroker.journal.heard import Heard
from mockbroker.journal.ring import Ring


def heard(seq: int) -> Heard:
    return Heard(seq, 0, 0, None, None, ClusterEvent("tea", {}))


def test_the_oldest_go_first_and_are_counted() -> None:
    ring = Ring(5)
    ring.keep(heard(1), 2)
    ring.keep(heard(3), 3)
    assert (ring.entries, ring.dropped) == (5, 0)
    ring.keep(heard(6), 1)
    assert [each.seq for each in ring.heard()] == [3, 6]
    assert (ring.entries, ring.dropped) == (4, 2)


def test_what_came_last_stays_even_if_it_is_too_much() -> None:
    ring = Ring(2)
    ring.keep(heard(1), 1)
    ring.keep(heard(2), 9)
    assert [each.seq for each in ring.heard()] == [2]
    assert (ring.entries, ring.dropped) == (9, 1)


def test_a_ring_that_is_cleared_has_dropped_nothing() -> None:
    ring = Ring(1)
    ring.keep(heard(1), 1)
    ring.keep(heard(2), 1)
    ring.clear()
    assert (ring.heard(), ring.entries, ring.dropped) == ([], 0, 0)
