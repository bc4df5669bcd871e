"""Append of a group's records with a report of what they change, for a cluster that is observed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_kinds import is_modern
from mockbroker.state.group.modern.modern_group import ModernGroup
from mockbroker.state.group.modern.modern_records import CurrentAssignmentRecord
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_records import StreamsCurrentRecord
from mockbroker.state.group.streams.tasks import single_tasks
from mockbroker.state.observation import Observation

if TYPE_CHECKING:
    from mockbroker.state.event_reporter import EventReporter
    from mockbroker.state.events import Owned

GONE_EPOCH: Final = -1
"""The epoch of a member that is no longer in its group."""
_OF_OWNERS: Final = CurrentAssignmentRecord | StreamsCurrentRecord
"""The records of what a member owns; a member that is removed has one, too."""


class AppendingStore(Protocol):
    """The groups of the partitions of `__consumer_offsets` that a broker leads."""

    def find(self, group_id: str) -> Group | None:
        """Return a group; None if it does not exist, or its partition is not loaded here."""
        ...

    def append(self, group_id: str, records: Sequence[Any], now_ms: int) -> None:
        """Append records to the partition of a group, and apply them.

        Raises:
            ApiError: With the code for clients; nothing has changed then.

        """
        ...


def append_reported(
    store: AppendingStore,
    observation: Observation,
    group: ModernGroup,
    records: Sequence[Any],
    now_ms: int,
) -> None:
    """Append records of a group, and report its new state and what its members own now.

    Raises:
        ApiError: As a failed append to the log.

    """
    reporter = observation.reporter
    if reporter is None:
        store.append(group.group_id, records, now_ms)
        return
    is_new = store.find(group.group_id) is not group
    before, members = group.state_title, tuple(group.members)
    store.append(group.group_id, records, now_ms)
    stored = store.find(group.group_id)
    assert stored is not None, group.group_id
    assert is_modern(stored), group.group_id
    after = stored.state_title
    if before != after or members != tuple(stored.members):
        reporter.group_changed(group.group_id, (before, after), stored.group_epoch, stored.members)
    if is_new:
        report_owners(reporter, stored)
    else:
        named = [each.member_id for each in records if isinstance(each, _OF_OWNERS)]
        _report(reporter, stored, dict.fromkeys(named), is_whole=False)


def report_owners(reporter: "EventReporter", group: ModernGroup) -> None:
    """Report what all members of a group own; the members of a share group own nothing alone."""
    _report(reporter, group, group.members, is_whole=True)


def _report(
    reporter: "EventReporter", group: ModernGroup, member_ids: Iterable[str], *, is_whole: bool
) -> None:
    if isinstance(group, ConsumerGroup):
        owned = [_partitions_of(group, member_id) for member_id in member_ids]
    elif isinstance(group, StreamsGroup):
        owned = [_tasks_of(group, member_id) for member_id in member_ids]
    else:
        return
    if owned or is_whole:
        reporter.partitions_assigned(group.group_id, owned, is_whole=is_whole)


def _partitions_of(group: ConsumerGroup, member_id: str) -> "tuple[str, int, Owned]":
    """Return the partitions of a member, those that it has to revoke included."""
    member = group.members.get(member_id)
    if member is None:
        return member_id, GONE_EPOCH, ()
    found = [
        (topic_id, partition)
        for partitions in (member.current.assigned, member.current.pending_revocation)
        for topic_id, each in partitions.items()
        for partition in each
    ]
    return member_id, member.member_epoch, tuple(sorted(found))


def _tasks_of(group: StreamsGroup, member_id: str) -> "tuple[str, int, Owned]":
    """Return the active tasks of a member, those that it has to give up included."""
    member = group.members.get(member_id)
    if member is None:
        return member_id, GONE_EPOCH, ()
    found = [
        task
        for tasks in (member.assigned, member.pending_revocation)
        for task in single_tasks(tasks.active)
    ]
    return member_id, member.member_epoch, tuple(sorted(found))
