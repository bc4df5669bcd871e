"""A member of a streams group, and its progress (Kafka's `StreamsGroupMember`)."""

from collections.abc import Mapping
from enum import IntEnum, unique
from typing import Final, NamedTuple

from mockbroker.state.group.streams.tasks import NONE_ASSIGNED, AssignedTasks
from mockbroker.state.group.streams.topics.topology import NO_TOPOLOGY_EPOCH

JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1
STATIC_LEAVE_EPOCH: Final = -2
"""Epoch with which a static member leaves that will be back."""
NO_REBALANCE_TIMEOUT_MS: Final = -1


@unique
class StreamsMemberState(IntEnum):
    """Progress of a member; the value is that of records."""

    STABLE = 1
    """It has its target, as far as tasks of other members did not matter."""
    UNREVOKED_TASKS = 2
    """It has tasks to give up first."""
    UNRELEASED_TASKS = 3
    """It waits for tasks that other members have not given up yet."""
    UNKNOWN = 127

    @staticmethod
    def from_value(value: int) -> "StreamsMemberState":
        """Return the state in a record; UNKNOWN for one of a later Kafka."""
        return StreamsMemberState(value) if value in _VALUES else StreamsMemberState.UNKNOWN


_VALUES: Final = frozenset(StreamsMemberState)


class UserEndpoint(NamedTuple):
    """Address at which an application serves interactive queries."""

    host: str
    port: int


class StreamsGroupMember(NamedTuple):
    """One member; a change makes a new value."""

    member_id: str
    member_epoch: int = JOIN_EPOCH
    previous_member_epoch: int = JOIN_EPOCH
    state: StreamsMemberState = StreamsMemberState.STABLE
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = NO_REBALANCE_TIMEOUT_MS
    topology_epoch: int = NO_TOPOLOGY_EPOCH
    process_id: str = ""
    user_endpoint: UserEndpoint | None = None
    client_tags: Mapping[str, str] = {}
    assigned: AssignedTasks = NONE_ASSIGNED
    pending_revocation: AssignedTasks = NONE_ASSIGNED

    def is_reconciled_to(self, target_epoch: int) -> bool:
        """Return True if the member has its tasks of a target assignment."""
        return self.state is StreamsMemberState.STABLE and self.member_epoch == target_epoch

    def at_epoch(self, member_epoch: int) -> "StreamsGroupMember":
        """Return the member at a next epoch, which remembers its epoch before."""
        return self._replace(member_epoch=member_epoch, previous_member_epoch=self.member_epoch)
