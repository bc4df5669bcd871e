"""Target assignment of a group: the partitions that its members move towards."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.group_spec import Assignor, GroupSpec
from mockbroker.state.group.modern.modern_records import (
    ModernRecord,
    Partitions,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)

NO_PARTITIONS: Final[Partitions] = {}


class TargetAssignment:
    """Targets of all members, and the epoch of the group that they were computed for."""

    __slots__ = ("epoch", "members", "owners", "timestamp_ms")

    def __init__(self) -> None:
        """Start without an assignment."""
        self.epoch = 0
        self.timestamp_ms = 0
        """Time of the computation; 0 if the next one may follow at once (KIP-1263)."""
        self.members: Final[dict[str, Partitions]] = {}
        self.owners: Final[dict[Uuid, dict[int, str]]] = {}
        """Member ids by topic id and partition."""

    def of(self, member_id: str) -> Partitions:
        """Return the target of a member."""
        return self.members.get(member_id, NO_PARTITIONS)

    def replay(self, record: TargetAssignmentRecord | TargetEpochRecord) -> None:
        """Apply a record of the log."""
        if isinstance(record, TargetEpochRecord):
            self.epoch, self.timestamp_ms = record.value or TargetEpoch(-1)
            return
        member_id = record.member_id
        for topic_id, partitions in self.members.pop(member_id, NO_PARTITIONS).items():
            owners = self.owners.get(topic_id, {})
            for partition in partitions:
                if owners.get(partition) == member_id:
                    del owners[partition]
        if record.value is not None:
            self.members[member_id] = record.value
            for topic_id, partitions in record.value.items():
                owners = self.owners.setdefault(topic_id, {})
                owners.update(dict.fromkeys(partitions, member_id))

    def can_be_computed(self, interval_ms: int, now_ms: int) -> bool:
        """Return whether the interval between two computations has passed."""
        is_free = self.timestamp_ms == 0 or interval_ms == 0
        return is_free or now_ms >= self.timestamp_ms + interval_ms

    def as_text(self) -> list[str]:
        """Show the targets in a stable form."""
        lines = [f"  target epoch {self.epoch} computed {self.timestamp_ms}"]
        for member_id, partitions in sorted(self.members.items()):
            lines.append(f"  target {member_id} {partitions_as_text(partitions)}")
        return lines


class NextTarget(NamedTuple):
    """A new target assignment."""

    records: list[ModernRecord]
    members: Mapping[str, Partitions]


def compute_target(
    group: tuple[GroupKind, str], epoch: int, spec: GroupSpec, assignor: Assignor, now_ms: int
) -> NextTarget:
    """Compute the targets for an epoch of a group; members whose target stays have no record."""
    members = assignor(spec)
    records: list[ModernRecord] = []
    for member_id, member in spec.members.items():
        target = members.get(member_id, NO_PARTITIONS)
        if target != member.target:
            records.append(TargetAssignmentRecord(*group, member_id, target))
    records.append(TargetEpochRecord(*group, TargetEpoch(epoch, now_ms)))
    return NextTarget(records, members)


def partitions_as_text(partitions: Mapping[Uuid, frozenset[int] | Mapping[int, int]]) -> str:
    """Show partitions in a stable form."""
    return " ".join(f"{topic_id}:{sorted(each)}" for topic_id, each in sorted(partitions.items()))
