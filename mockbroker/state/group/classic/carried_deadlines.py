"""Postponement of group deadlines when a test advances the cluster's clock.

A test that advances the clock by a week means to expire ids, offsets and records. The members of
its groups are programs that run in real time, and cannot send a week's heartbeats.
"""

from collections.abc import Iterable

from mockbroker.state.group.classic.classic_group import ClassicGroup


def carry_deadlines(groups: Iterable[ClassicGroup], by_ms: int) -> None:
    """Move every deadline of these groups and their members into the future.

    A timer that fires at an old deadline finds that it has moved, and waits for the new one.
    """
    for group in groups:
        if group.join_deadline_ms is not None:
            group.join_deadline_ms += by_ms
        if group.sync_deadline_ms is not None:
            group.sync_deadline_ms += by_ms
        for member in group.members.values():
            if member.session_deadline_ms is not None:
                member.session_deadline_ms += by_ms
        for member_id in group.pending_members:
            group.pending_members[member_id] += by_ms
