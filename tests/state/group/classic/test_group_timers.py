"""One timer for all deadlines of a broker's groups."""

from mockbroker.state.group.classic.group_timers import (
    JOIN,
    MEMBER,
    GroupTimer,
    GroupTimers,
    carry_deadlines,
)
from mockbroker.state.timers import Timers
from tests.state.group.group_building import group_of, member

A = GroupTimer("g", MEMBER, "a")
B = GroupTimer("g", MEMBER, "b")
JOINS = GroupTimer("g", JOIN)


class Watcher:
    def __init__(self) -> None:
        self.timers = Timers()
        self.due: list[tuple[GroupTimer, int]] = []
        self.again: dict[GroupTimer, int] = {}
        self.group_timers = GroupTimers(self.timers, "groups", self.on_due)

    def on_due(self, timer: GroupTimer, now_ms: int) -> None:
        self.due.append((timer, now_ms))
        if timer in self.again:
            self.group_timers.watch(timer, self.again.pop(timer))


def test_deadlines_expire_in_order_each_at_its_own_time() -> None:
    watcher = Watcher()
    for timer, deadline_ms in ((A, 30), (JOINS, 10), (B, 20)):
        watcher.group_timers.watch(timer, deadline_ms)
    assert watcher.timers.next_deadline_ms() == 10
    watcher.timers.advance_to(24 * 60 * 60 * 1000)
    assert watcher.due == [(JOINS, 10), (B, 20), (A, 30)]
    assert watcher.timers.next_deadline_ms() is None


def test_all_deadlines_share_one_timer() -> None:
    watcher = Watcher()
    for index in range(100):
        watcher.group_timers.watch(GroupTimer("g", MEMBER, str(index)), 1000 + index)
    assert len(watcher.timers) == 1


def test_a_deadline_that_has_not_expired_is_watched_again() -> None:
    watcher = Watcher()
    watcher.again[A] = 50
    watcher.group_timers.watch(A, 10)
    watcher.timers.advance_to(49)
    assert watcher.due == [(A, 10)]
    watcher.timers.advance_to(50)
    assert watcher.due == [(A, 10), (A, 50)]


def test_every_deadline_moves_and_none_is_added() -> None:
    first, second = member("first"), member("second")
    group = group_of(first, second)
    first.session_deadline_ms = 10
    group.join_deadline_ms = 20
    group.pending_members["third"] = 30
    carry_deadlines([group], 1000)
    assert (first.session_deadline_ms, second.session_deadline_ms) == (1010, None)
    assert (group.join_deadline_ms, group.sync_deadline_ms) == (1020, None)
    assert group.pending_members == {"third": 1030}
    group.join_deadline_ms, group.sync_deadline_ms = None, 40
    carry_deadlines([group], 1)
    assert (group.join_deadline_ms, group.sync_deadline_ms) == (None, 41)
