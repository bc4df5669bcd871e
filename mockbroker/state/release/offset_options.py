"""Differences between releases in committed offsets and the group log: a part of `Options`."""

from typing import Final, NamedTuple


class OffsetOptions(NamedTuple):
    """Storage of groups and offsets. The defaults are those of the latest release."""

    offset_value_version: int = 4
    """The version of offset values in `__consumer_offsets`.

    An offset with its own expiry is written in version 1, the only one with that field.
    """
    group_value_version: int = 3
    """The version of group values in `__consumer_offsets`."""
    expire_each_by_itself: bool = False
    """True if each offset expires some time after its commit, used or not (before KIP-211)."""
    expire_beside_subscriptions: bool = True
    """True if a group in use loses offsets of topics that it does not subscribe to (since 2.4)."""
    expire_while_rebalancing: bool = False
    """True if it loses them in any state; otherwise only between rebalances."""
    empty_groups_go_at_once: bool = False
    """True if an empty group is deleted with its last offset, however that is deleted."""
    unused_groups_have_tombstones: bool = True
    """True if a group that never had members leaves a tombstone."""
    state_filters_ignore_case: bool = True
    """True if the state filters of ListGroups ignore case (since 3.7)."""
    state_filters_are_trimmed: bool = True
    """True if they ignore surrounding spaces."""
    rebalancing_shows_assignments: bool = True
    """True if DescribeGroups shows the last assignments of a group that is not stable."""
    commit_may_lack_group: bool = True
    """True if OffsetCommit v9+ has a separate error code for unknown groups."""
    first_version_is_refused: bool = False
    """True if v0 of OffsetCommit and OffsetFetch is advertised, but needs ZooKeeper."""
    repeated_commits_are_kept: bool = True
    """True if a partition that a commit names twice is returned and written twice."""
    expired_groups_share_batches: bool = True
    """True if expired offsets share one batch per partition; otherwise one per group."""
    groups_have_configs: bool = True
    """True if the operations on a group include describing and altering its configs."""
    batches_are_numbered: bool = True
    """True if all batches have base sequence 0; otherwise only those of commits."""


OFFSETS_OF_0_11: Final = OffsetOptions(
    offset_value_version=1,
    group_value_version=1,
    expire_each_by_itself=True,
    expire_beside_subscriptions=False,
    expire_while_rebalancing=True,
    empty_groups_go_at_once=True,
    unused_groups_have_tombstones=False,
    state_filters_ignore_case=False,
    state_filters_are_trimmed=False,
    rebalancing_shows_assignments=False,
    commit_may_lack_group=False,
    repeated_commits_are_kept=False,
    expired_groups_share_batches=False,
    groups_have_configs=False,
    batches_are_numbered=False,
)
