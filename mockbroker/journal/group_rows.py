"""Rows of the events of groups: what a member owns, and the records of share groups.

An event of a share group has a row for each range of offsets, by its kind.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from mockbroker.broker.request_items import TopicName
from mockbroker.journal.recorded import Facts
from mockbroker.protocol.consumer_protocol import assigned_partitions
from mockbroker.state.events import (
    OffsetRange,
    Owned,
    RecordsAcknowledged,
    RecordsAcquired,
    RecordsArchived,
    RecordsReleased,
    ShareEvent,
    SharePartitionLoaded,
    ShareStartMoved,
    ShareStateReset,
)
from mockbroker.state.share.record_state import AcknowledgeType

Row: TypeAlias = tuple[str, Facts]
"""Kind of an entry, and the values of one row."""


def owned_texts(partitions: Owned, topic_name: TopicName) -> list[str]:
    """Return partitions as `orders-0`, and tasks as `0_3`."""
    if isinstance(partitions, bytes):
        return [f"{topic}-{index}" for topic, index in assigned_partitions(partitions)]
    return [
        f"{owner}_{index}" if isinstance(owner, str) else f"{topic_name(owner) or owner}-{index}"
        for owner, index in partitions
    ]


def share_rows(event: ShareEvent, topic_name: TopicName) -> Iterator[Row]:
    """Yield the kind and the values of each row of an event."""
    group, topic_id, partition, broker = event.place
    place = {
        "broker": broker,
        "group": group,
        "topic": topic_name(topic_id) or str(topic_id),
        "partition": partition,
    }
    for kind, facts in _ROWS[type(event)](event):
        yield kind, {**place, **facts}


def _acquired(event: RecordsAcquired) -> Iterator[Row]:
    member, limit = event.member_id, event.delivery_count_max
    return (("acquired", _range(each, limit, member=member)) for each in event.ranges)


def _acknowledged(event: RecordsAcknowledged) -> Iterator[Row]:
    for first, last, kind in event.ranges:
        detail = {
            "member": event.member_id,
            "type": AcknowledgeType(kind).name.lower(),
            "limit": event.delivery_count_max,
        }
        yield "acknowledged", {"base_offset": first, "last_offset": last, "detail": detail}


def _released(event: RecordsReleased) -> Iterator[Row]:
    limit, is_stored = event.delivery_count_max, event.is_stored
    for each in event.ranges:
        if event.member_id is None:
            yield "lock_expired", _range(each, limit, is_stored=is_stored)
        else:
            yield (
                "session_released",
                _range(each, limit, member=event.member_id, is_stored=is_stored),
            )


def _archived(event: RecordsArchived) -> Iterator[Row]:
    return (("archived", _range(each, event.delivery_count_max)) for each in event.ranges)


def _range(each: OffsetRange, limit: int, **more: object) -> Facts:
    detail = {**more, "delivery_count": each.delivery_count, "limit": limit}
    return {"base_offset": each.first_offset, "last_offset": each.last_offset, "detail": detail}


def _start_moved(event: ShareStartMoved) -> Iterator[Row]:
    yield "share_start", {"base_offset": event.after, "detail": {"before": event.before}}


def _loaded(event: SharePartitionLoaded) -> Iterator[Row]:
    detail = {"state_epoch": event.state_epoch}
    yield "share_loaded", {"base_offset": event.start_offset, "detail": detail}


def _reset(event: ShareStateReset) -> Iterator[Row]:
    detail = {"state_epoch": event.state_epoch}
    yield "share_reset", {"base_offset": event.start_offset, "detail": detail}


_ROWS: Final[Mapping[type, Callable[[Any], Iterator[Row]]]] = {
    RecordsAcquired: _acquired,
    RecordsAcknowledged: _acknowledged,
    RecordsReleased: _released,
    RecordsArchived: _archived,
    ShareStartMoved: _start_moved,
    SharePartitionLoaded: _loaded,
    ShareStateReset: _reset,
}
SHARE_EVENTS: Final = tuple(_ROWS)
"""The types of the events."""
