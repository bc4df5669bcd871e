"""What releases differ in about committed offsets and the log of groups: a part of `Options`."""

from typing import Final, NamedTuple


class OffsetOptions(NamedTuple):
    """How coordinators keep groups and offsets. The defaults are those of the latest release."""

    offset_value_version: int = 4
    """The version of values in `__consumer_offsets` that hold committed offsets.

    An offset that has an expiry of its own is written in version 1, which alone can hold it.
    """
    group_value_version: int = 3
    """The version of values in `__consumer_offsets` that hold groups."""
    expire_each_by_itself: bool = False
    """Whether each offset expires some time after its commit, whoever uses it, before KIP-211."""
    expire_beside_subscriptions: bool = True
    """Whether a group in use loses offsets of topics that it does not subscribe to, since 2.4."""
    expire_while_rebalancing: bool = False
    """Whether it loses them in any state, or only between two rebalances."""
    empty_groups_go_at_once: bool = False
    """Whether a group that is empty goes with its last offset, however that is deleted."""
    unused_groups_have_tombstones: bool = True
    """Whether a group that never had members leaves a record that it is gone."""
    state_filters_ignore_case: bool = True
    """Whether ListGroups takes the names of states in whatever case, since 3.7."""
    state_filters_are_trimmed: bool = True
    """Whether it takes no notice of spaces around them."""
    rebalancing_shows_assignments: bool = True
    """Whether DescribeGroups shows the last assignments of a group that is not stable."""
    commit_may_lack_group: bool = True
    """Whether OffsetCommit v9 and later has a code of its own for groups that there are not."""
    first_version_is_refused: bool = False
    """Whether v0 of OffsetCommit and OffsetFetch is advertised, but needs ZooKeeper."""
    repeated_commits_are_kept: bool = True
    """Whether a partition that a commit names twice is answered and written twice."""
    expired_groups_share_batches: bool = True
    """Whether what expires in a partition at a time is one batch, or one for each group."""
    groups_have_configs: bool = True
    """Whether describing and altering its configs is among what can be done with a group."""
    batches_are_numbered: bool = True
    """Whether all batches have the sequence 0, or only those of commits."""


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
