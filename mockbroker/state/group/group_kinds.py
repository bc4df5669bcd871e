"""Kinds of group beside the classic one, by the kind in their records."""

from collections.abc import Callable, Mapping
from typing import Final, TypeGuard

from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.group import Group, GroupKind
from mockbroker.state.group.modern.modern_group import ModernGroup
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.group.streams.streams_group import StreamsGroup

_KINDS: Final[Mapping[GroupKind, Callable[[str], ModernGroup]]] = {
    GroupKind.CONSUMER: ConsumerGroup,
    GroupKind.SHARE: ShareGroup,
    GroupKind.STREAMS: StreamsGroup,
}


def new_group(kind: GroupKind, group_id: str) -> ModernGroup:
    """Return a group without members."""
    return _KINDS[kind](group_id)


def is_modern(group: Group) -> TypeGuard[ModernGroup]:
    """Return whether a group consists of records of its own protocol."""
    return group.kind in _KINDS
