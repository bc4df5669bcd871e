"""Member of a consumer group: what it said of itself, and what it may own."""

from typing import NamedTuple

from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    MemberMetadata,
    PartitionEpochs,
)

LEAVE_EPOCH = -1
STATIC_LEAVE_EPOCH = -2


class ConsumerGroupMember(NamedTuple):
    """A member (Kafka's `ConsumerGroupMember`); a change makes another one."""

    member_id: str
    metadata: MemberMetadata = MemberMetadata()
    current: CurrentAssignment = CurrentAssignment()

    @property
    def member_epoch(self) -> int:
        """The member's epoch; -2 while a static member is away."""
        return self.current.member_epoch

    @property
    def instance_id(self) -> str | None:
        """The instance id of a static member."""
        return self.metadata.instance_id

    @property
    def uses_classic(self) -> bool:
        """True if the member uses the classic protocol."""
        return self.metadata.classic is not None

    @property
    def classic_protocols(self) -> tuple[tuple[str, bytes], ...]:
        """The protocols that a classic member supports, preferred first, with its metadata."""
        classic = self.metadata.classic
        return () if classic is None else classic.supported_protocols

    def is_reconciled_to(self, target_epoch: int) -> bool:
        """Return whether the member has reached the target assignment of an epoch."""
        return self.current.state is MemberState.STABLE and self.member_epoch == target_epoch

    def away(self) -> "ConsumerGroupMember":
        """Return a static member that has left for a moment: it keeps what it was assigned."""
        assigned: PartitionEpochs = {
            topic_id: dict.fromkeys(partitions, 0)
            for topic_id, partitions in self.current.assigned.items()
        }
        return self._replace(
            current=self.current._replace(
                member_epoch=STATIC_LEAVE_EPOCH, assigned=assigned, pending_revocation={}
            )
        )

    def returned_as(self, member_id: str) -> "ConsumerGroupMember":
        """Return a static member that is back, under its present member id."""
        current = self.current._replace(member_epoch=0, previous_member_epoch=0)
        return self._replace(member_id=member_id, current=current)
