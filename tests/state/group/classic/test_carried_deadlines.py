"""Groups' deadlines move with a jump of the clock."""

from mockbroker.state.group.classic.carried_deadlines import carry_deadlines
from tests.state.group.group_building import group_of, member


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
