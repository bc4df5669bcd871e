"""Differences between releases in consumer groups: a part of `Options`.

Releases up to 3.9 use the coordinator written in Scala, from 4.0 on the one in Java (KIP-848). 3.9
has both; the second one serves its groups if a config asks for consumer groups.
"""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class GroupOptions(NamedTuple):
    """Behaviour of groups. The defaults are those of the latest release."""

    completing_rebalance_title: str = "CompletingRebalance"
    """The name of the state in which members get their assignments."""
    refused_join_generation_id: int = -1
    """The generation id in an error response to JoinGroup."""
    lost_coordinator_forgets_member: bool = True
    """True if a JoinGroup that finds no coordinator gets a response without the member id."""
    join_checks_timeout_before_coordinator: bool = True
    """True if JoinGroup validates the session timeout before it checks the coordinator."""
    all_need_group_id: bool = True
    """True if SyncGroup, Heartbeat and LeaveGroup validate the group id as JoinGroup does."""
    sync_while_loading: ErrorCode = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    """The error of SyncGroup while the group's partition is loading."""
    new_members_time_out: bool = True
    """True if a new member that waits for its first generation is removed after five minutes."""
    max_size_counts_waiting: bool = True
    """True if group.max.size limits joined members during a rebalance; otherwise all members."""
    refused_for_size_completes_join: bool = False
    """True if a rebalance can complete at once when group.max.size removed a member."""
    new_groups_are_logged: bool = True
    """True if a group that JoinGroup creates is logged before it has a generation."""
    rejoin_updates_timeouts: bool = True
    """True if a rejoining member can change its timeouts."""
    instance_must_be_known: bool = True
    """True if all requests reject an unknown instance id; otherwise only JoinGroup."""
    unassigned_rejoin_rebalances: bool = True
    """True if a static member that comes back before the assignments begins a rebalance."""
    static_rejoin_is_logged: bool = True
    """True if a static member's new id is logged, and a new protocol causes a rebalance."""
    heartbeat_while_completing: ErrorCode = ErrorCode.NONE
    """The error of Heartbeat while assignments are pending; only NONE renews the session."""
    heartbeat_checks_generation_while_completing: bool = True
    """True if a Heartbeat needs the present generation in that state."""
    unsynced_members_time_out: bool = True
    """True if members that never send SyncGroup are removed (since 2.8)."""
    sync_prolongs_session: bool = False
    """True if SyncGroup to a stable group renews the session."""
    leaves_one_by_one: bool = False
    """True if each leaving member begins a rebalance; otherwise all of a request together.

    In the first case a pending member id begins none.
    """
    delay_grows_with_generation_only: bool = False
    """True if only a group's very first rebalance is delayed further when members join."""
    expiry_ends_delay: bool = True
    """True if an expired member ends the initial delay when all others have joined."""
    describes_assignment_as_metadata: bool = False
    """True if DescribeGroups shows a member's assignment as its metadata (2.3)."""
    commit_checks_state_first: bool = False
    """True if OffsetCommit checks the group's state before the member."""
    has_consumer_groups: bool = True
    """True if the coordinator serves consumer groups (KIP-848)."""


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
    unassigned_rejoin_rebalances=False,
    static_rejoin_is_logged=False,
    heartbeat_while_completing=ErrorCode.REBALANCE_IN_PROGRESS,
    heartbeat_checks_generation_while_completing=False,
    unsynced_members_time_out=False,
    sync_prolongs_session=True,
    leaves_one_by_one=True,
    delay_grows_with_generation_only=True,
    expiry_ends_delay=False,
    commit_checks_state_first=True,
    has_consumer_groups=False,
)


class ConsumerGroupOptions(NamedTuple):
    """Behaviour of groups of the consumer protocol; defaults are the latest ones."""

    first_epoch: int = 1
    """The epoch of a group before its first member joins."""
    subscription_may_be_empty: bool = True
    """True if a member may join without topics."""
    members_may_begin_again: bool = True
    """True if a known member may send epoch 0, as after a restart."""
    assignor_begins_epoch: bool = True
    """True if another preferred assignor begins an epoch of the group."""
    last_members_get_extra: bool = True
    """True if, with `uniform`, members that have an extra partition keep it before others get one.

    Otherwise the first members get one each.
    """
    balances_by_topic: bool = True
    """True if `uniform` moves partitions topic by topic where subscriptions differ.

    Otherwise it moves them one by one.
    """
    empty_groups_have_target: bool = True
    """True if the target assignment follows when the last member leaves."""
    further_revocation_keeps_epoch: bool = True
    """True if a member that revoked all it had to keeps its epoch when it has to revoke more.

    Otherwise its epoch rises by one.
    """
    unsubscribed_is_revoked_at_once: bool = True
    """True if a member that is revoking partitions has to revoke unsubscribed topics, too."""
    revoked_come_back_at_once: bool = True
    """True if a member can get partitions back in the heartbeat that revokes them."""
    commits_in_earlier_epochs: bool = True
    """True if members commit in an earlier epoch for what they have had since then (KIP-1251)."""
    classic_members_need_policy: bool = True
    """True if `group.consumer.migration.policy` can forbid classic members to join."""
    says_why_it_is_not_upgraded: bool = True
    """True if a member that may not upgrade a classic group is told the reason."""
    leaves_by_classic_request: bool = True
    """True if LeaveGroup removes members of the consumer protocol, too."""
    describes_revocations: bool = True
    """True if ConsumerGroupDescribe lists partitions that a member has to revoke as its own."""
    described_errors_have_message: bool = True
    """True if ConsumerGroupDescribe says why a group cannot be described."""
    describes_nameless_groups: bool = True
    """True if an empty group id is refused alone; otherwise all groups of the request are."""


CONSUMER_GROUPS_OF_3_9: Final = ConsumerGroupOptions(
    first_epoch=0,
    subscription_may_be_empty=False,
    members_may_begin_again=False,
    assignor_begins_epoch=False,
    last_members_get_extra=False,
    balances_by_topic=False,
    empty_groups_have_target=False,
    further_revocation_keeps_epoch=False,
    unsubscribed_is_revoked_at_once=False,
    revoked_come_back_at_once=False,
    commits_in_earlier_epochs=False,
    classic_members_need_policy=False,
    says_why_it_is_not_upgraded=False,
    leaves_by_classic_request=False,
    describes_revocations=False,
    described_errors_have_message=False,
    describes_nameless_groups=False,
)
