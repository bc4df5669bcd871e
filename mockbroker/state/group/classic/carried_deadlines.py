"""Members that outlive a jump of the clock: what they wait for comes as much later.

A test that lets a week pass means ids, offsets and records. The members of its groups are programs
that run in real time, and have no way to send a week's heartbeats.
"""

from collections.abc import Iterable

from mockbroker.state.group.classic.classic_group import ClassicGroup


def carry_deadlines(groups: Iterable[ClassicGroup], by_ms: int) -> None:
    """Move every deadline of these groups and their members into the future.

    Whoever looks at a deadline at its old time finds that it is not due, and looks again.
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
