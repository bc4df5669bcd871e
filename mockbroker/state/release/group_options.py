"""What releases differ in about consumer groups: a part of `Options`.

Up to 3.9 it is the coordinator written in Scala, from 4.0 on the one written in Java (KIP-848).
"""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class GroupOptions(NamedTuple):
    """How groups behave. The defaults are those of the latest release."""

    completing_rebalance_title: str = "CompletingRebalance"
    """What the state is called in which members get their assignments."""
    refused_join_generation_id: int = -1
    """The generation in an answer to JoinGroup that is a refusal."""
    lost_coordinator_forgets_member: bool = True
    """Whether a JoinGroup that finds no coordinator is answered without the member's id."""
    join_checks_timeout_before_coordinator: bool = True
    """Whether JoinGroup looks at the session timeout before it looks whether it coordinates."""
    all_need_group_id: bool = True
    """Whether SyncGroup, Heartbeat and LeaveGroup look at the group id, or JoinGroup only."""
    sync_while_loading: ErrorCode = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    """What SyncGroup answers while the group's partition is loaded."""
    new_members_time_out: bool = True
    """Whether a new member that waits for its first generation is dropped after five minutes."""
    max_size_counts_waiting: bool = True
    """Whether, in a rebalance, group.max.size limits those that have joined, or all members."""
    refused_for_size_completes_join: bool = False
    """Whether a rebalance goes on at once when a member was dropped because of group.max.size."""
    new_groups_are_logged: bool = True
    """Whether a group that JoinGroup makes is written to the log before it has a generation."""
    rejoin_updates_timeouts: bool = True
    """Whether a member that joins again may change its timeouts."""
    instance_must_be_known: bool = True
    """Whether each request of a member is refused for an unknown instance id, or JoinGroup only."""
    static_rejoin_is_logged: bool = True
    """Whether a static member's new id is logged, and may cause a rebalance (since 2.5)."""
    heartbeat_while_completing: ErrorCode = ErrorCode.NONE
    """What a Heartbeat is told while assignments are on their way; only NONE prolongs a session."""
    heartbeat_checks_generation_while_completing: bool = True
    """Whether it has to be of the present generation then."""
    unsynced_members_time_out: bool = True
    """Whether members that never ask for their assignment are dropped (since 2.8)."""
    sync_prolongs_session: bool = False
    """Whether a SyncGroup to a stable group counts as a sign of life."""
    leaves_one_by_one: bool = False
    """Whether each member that leaves begins a rebalance, or all of a request together.

    One by one, who was only given an id begins none.
    """
    delay_grows_with_generation_only: bool = False
    """Whether only a group's very first rebalance is put off when members come meanwhile."""
    expiry_ends_delay: bool = True
    """Whether a member that expires lets a delayed first rebalance begin, if all others joined."""
    describes_assignment_as_metadata: bool = False
    """Whether DescribeGroups shows a member's assignment in the place of its metadata, in 2.3."""
    commit_checks_state_first: bool = False
    """Whether OffsetCommit looks at the group's state before it looks for the member."""


GROUPS_OF_0_11: Final = GroupOptions(
    completing_rebalance_title="AwaitingSync",
    refused_join_generation_id=0,
    lost_coordinator_forgets_member=False,
    join_checks_timeout_before_coordinator=False,
    all_need_group_id=False,
    sync_while_loading=ErrorCode.UNKNOWN_MEMBER_ID,
    new_members_time_out=False,
    max_size_counts_waiting=False,
    refused_for_size_completes_join=True,
    new_groups_are_logged=False,
    rejoin_updates_timeouts=False,
    instance_must_be_known=False,
    static_rejoin_is_logged=False,
    heartbeat_while_completing=ErrorCode.REBALANCE_IN_PROGRESS,
    heartbeat_checks_generation_while_completing=False,
    unsynced_members_time_out=False,
    sync_prolongs_session=True,
    leaves_one_by_one=True,
    delay_grows_with_generation_only=True,
    expiry_ends_delay=False,
    commit_checks_state_first=True,
)
