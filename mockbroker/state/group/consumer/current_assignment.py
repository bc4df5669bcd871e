"""Reconciliation of a member: what it has to revoke, and what it may own by now.

Follows Kafka's `CurrentAssignmentBuilder`. A member first revokes what it must not keep; then its
epoch becomes that of the target assignment, and it gets each partition as soon as nobody else has
it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    PartitionEpochs,
    Partitions,
)
from mockbroker.state.release.group_options import ConsumerGroupOptions


class Reconciliation(NamedTuple):
    """What the next assignment of a member depends on."""

    target_epoch: int
    target: Partitions
    subscribed: Collection[Uuid]
    """Ids of the topics that the member subscribes to now."""
    subscription_changed: bool
    is_owned: Callable[[Uuid, int], bool]
    """Returns whether any member still has a partition."""
    owned: Partitions | None
    """The partitions that the member reports as its own; None if it reports nothing."""
    options: ConsumerGroupOptions = ConsumerGroupOptions()
    """The behaviour of the release."""


def reconcile(member: CurrentAssignment, about: Reconciliation) -> CurrentAssignment:
    """Return the next assignment of a member, which may be the present one.

    Raises:
        ApiError: FENCED_MEMBER_EPOCH in a state of a later release.

    """
    if member.state is MemberState.STABLE:
        if member.member_epoch != about.target_epoch:
            return _next(member, about)
        return _without_unsubscribed(member, about) if about.subscription_changed else member
    if member.state is MemberState.UNREVOKED_PARTITIONS:
        if not _owns_any(about.owned, member.pending_revocation):
            rise = 0 if about.options.further_revocation_keeps_epoch else 1
            return _next(member, about, member.member_epoch + rise)
        if about.subscription_changed and about.options.unsubscribed_is_revoked_at_once:
            return _without_unsubscribed(member, about)
        return member
    if member.state is MemberState.UNRELEASED_PARTITIONS:
        return _next(member, about)
    if about.owned is None or about.owned:
        raise ApiError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            "The consumer group member is in a unknown state. The member must abandon all its"
            " partitions and rejoin.",
        )
    return _next(member, about, about.target_epoch)


def held_back(
    member: CurrentAssignment, target_epoch: int, owned: Partitions | None
) -> CurrentAssignment:
    """Return the assignment of a member that is not to learn of its target for the time being.

    A member that joins, or has revoked what it had to, waits as if others had not released its
    partitions yet: it keeps what it has. Any other member does not change.
    """
    is_revoking = member.state is MemberState.UNREVOKED_PARTITIONS
    has_revoked = is_revoking and not _owns_any(owned, member.pending_revocation)
    if member.member_epoch > 0 and not has_revoked:
        return member
    return member._replace(
        member_epoch=target_epoch,
        previous_member_epoch=member.member_epoch,
        state=MemberState.UNRELEASED_PARTITIONS,
        pending_revocation={},
    )


def _owns_any(owned: Partitions | None, revoked: PartitionEpochs) -> bool:
    if owned is None:
        return True
    return any(
        not revoked.get(topic_id, {}).keys().isdisjoint(partitions)
        for topic_id, partitions in owned.items()
    )


def _without_unsubscribed(member: CurrentAssignment, about: Reconciliation) -> CurrentAssignment:
    """Take away the partitions of topics that the member no longer subscribes to."""
    gone = {
        each: epochs for each, epochs in member.assigned.items() if each not in about.subscribed
    }
    if not gone:
        return member
    assigned = {each: epochs for each, epochs in member.assigned.items() if each not in gone}
    revoked = dict(member.pending_revocation)
    for topic_id, epochs in gone.items():
        revoked[topic_id] = {**revoked.get(topic_id, {}), **epochs}
    moved = member._replace(previous_member_epoch=member.member_epoch, assigned=assigned)
    if not _owns_any(about.owned, revoked):
        return moved
    return moved._replace(state=MemberState.UNREVOKED_PARTITIONS, pending_revocation=revoked)


def _next(
    member: CurrentAssignment, about: Reconciliation, member_epoch: int | None = None
) -> CurrentAssignment:
    kept: dict[Uuid, Mapping[int, int]] = {}
    revoked: dict[Uuid, Mapping[int, int]] = {}
    gained: dict[Uuid, Mapping[int, int]] = {}
    is_waiting = False
    comes_back = about.options.revoked_come_back_at_once
    pending_revocation = member.pending_revocation if comes_back else {}
    for topic_id in dict.fromkeys([*about.target, *member.assigned]):
        target = about.target.get(topic_id, frozenset())
        if topic_id not in about.subscribed:
            target = frozenset()
        current = member.assigned.get(topic_id, {})
        own = {each: since for each, since in current.items() if each in target}
        lost = {each: since for each, since in current.items() if each not in target}
        being_revoked = pending_revocation.get(topic_id, {})
        new = target - own.keys()
        released = {
            each for each in new if each in being_revoked or not about.is_owned(topic_id, each)
        }
        is_waiting = is_waiting or len(released) < len(new)
        if own:
            kept[topic_id] = own
        if lost:
            revoked[topic_id] = lost
        if released:
            gained[topic_id] = dict.fromkeys(sorted(released), about.target_epoch)
    if revoked and _owns_any(about.owned, revoked):
        return CurrentAssignment(
            member.member_epoch if member_epoch is None else member_epoch,
            member.member_epoch,
            MemberState.UNREVOKED_PARTITIONS,
            kept,
            revoked,
        )
    for topic_id, epochs in gained.items():
        kept[topic_id] = {**kept.get(topic_id, {}), **epochs}
    state = MemberState.UNRELEASED_PARTITIONS if is_waiting else MemberState.STABLE
    return CurrentAssignment(about.target_epoch, member.member_epoch, state, kept)
