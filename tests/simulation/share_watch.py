"""Watch of a share group: its records as the brokers' events describe them, one by one.

A leader that has read a share partition knows only what was stored: records that were acquired are
available again, with the delivery counts that were stored last. The watch forgets the rest, too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import ClusterEvent, Event
from mockbroker.state.events import (
    AcknowledgedRange,
    OffsetRange,
    RecordsAcknowledged,
    RecordsAcquired,
    RecordsArchived,
    RecordsReleased,
    SharePartitionLoaded,
    SharePlace,
)
from mockbroker.state.share.record_state import AcknowledgeType
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_partition import SharePartition
from tests.simulation.share_session import SHARE_GROUP, Record
from tests.support.in_process import NOW_MS, Brokers

TOPIC: Final = "orders"
_DONE: Final = {
    AcknowledgeType.GAP: "skipped",
    AcknowledgeType.ACCEPT: "accepted",
    AcknowledgeType.REJECT: "rejected",
}


@dataclass
class Shared:
    """What is known of one record."""

    delivery_count: int = 0
    stored_count: int = 0
    """The delivery count that a new leader knows."""
    holder: str = ""
    locked_until_ms: int = 0
    done: str = ""
    """How it was done; empty for a record that is to be delivered."""
    is_stored: bool = True
    """True if a new leader knows how the last delivery ended."""


class ShareWatch:
    """Checks every event of the share group."""

    def __init__(self, brokers: Brokers, *, delivery_count_max: int, lock_ms: int) -> None:
        self.records: Final[dict[Record, Shared]] = {}
        self._brokers: Final = brokers
        self._delivery_count_max: Final = delivery_count_max
        self._lock_ms: Final = lock_ms
        self._broken: Final[list[str]] = []
        self._ends_locks = False
        """True while a mishap lets locks expire."""
        self._handlers: Final = {
            ClusterEvent: self._control,
            RecordsAcknowledged: self._acknowledged,
            RecordsAcquired: self._acquired,
            RecordsArchived: self._archived,
            RecordsReleased: self._released,
            SharePartitionLoaded: self._loaded,
        }
        subscribe(brokers.service, self._on_event)

    def look(self) -> None:
        """Report what the events since the last look have shown."""
        self._ends_locks = False
        assert not self._broken, self._broken[0]

    def left(self) -> list[str]:
        """Return, for each partition that is not shared to its end, what is left."""
        partitions = self._brokers.topic(TOPIC).partitions
        return [text for index in range(len(partitions)) if (text := self._left_of(index))]

    def _left_of(self, index: int) -> str:
        partition = self._brokers.partition(TOPIC, index)
        log = self._brokers.state.log_of(partition, NOW_MS)
        share = self._share(index)
        if share is None:
            return f"orders-{index} is not shared: nothing is loaded"
        if _is_done(share, log.log_end_offset) or self.is_stuck(index):
            return ""
        window = ", ".join(share.as_text())
        return f"orders-{index} is not shared up to {log.log_end_offset}: {window}"

    def is_stuck(self, index: int) -> bool:
        """Return whether records were deleted from a gap in the loaded state.

        As in Kafka, fetches ask for the beginning of the gap from then on, and get no records.
        """
        log = self._brokers.state.log_of(self._brokers.partition(TOPIC, index), NOW_MS)
        share = self._share(index)
        gap = None if share is None else share.active_gap
        return gap is not None and gap.start_offset < log.log_start_offset

    def _share(self, index: int) -> SharePartition | None:
        leader_id = self._brokers.partition(TOPIC, index).leader_id
        manager = self._brokers.service.share_managers.get(leader_id)
        key = SharePartitionKey(SHARE_GROUP, self._brokers.topic(TOPIC).topic_id, index)
        return None if manager is None else manager.loaded(SHARE_GROUP).get(key)

    # Events

    def _on_event(self, event: Event) -> None:
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)  # type: ignore[operator]

    def _check(self, is_kept: bool, record: Record, broken: str) -> None:
        # A subscriber must not raise: the brokers would take it for their own error.
        if not is_kept:
            self._broken.append(f"{broken}: {record}, {self.records.get(record)}")

    def _of(
        self, place: SharePlace, ranges: Iterable[OffsetRange | AcknowledgedRange]
    ) -> Iterable[tuple[Record, Shared, int]]:
        """Yield the records of ranges, and the third value of their range."""
        for first, last, value in ranges:
            for offset in range(first, last + 1):
                record = place.partition, offset
                yield record, self.records.setdefault(record, Shared()), value

    def _control(self, event: ClusterEvent) -> None:
        self._ends_locks = event.kind == "locks_expired"

    def _acquired(self, event: RecordsAcquired) -> None:
        for record, shared, count in self._of(event.place, event.ranges):
            self._check(not shared.done, record, "delivered after it was done")
            self._check(not shared.holder, record, f"acquired by two, now by {event.member_id}")
            expected = shared.delivery_count + 1
            self._check(count == expected, record, f"delivered with the wrong count {count}")
            self._check(expected <= self._delivery_count_max, record, "delivered too often")
            shared.delivery_count, shared.holder = expected, event.member_id
            self._lock(shared)

    def _lock(self, shared: Shared) -> None:
        shared.locked_until_ms = self._brokers.clock.now_ms() + self._lock_ms

    def _acknowledged(self, event: RecordsAcknowledged) -> None:
        for record, shared, kind in self._of(event.place, event.ranges):
            is_holder = shared.holder == event.member_id
            self._check(is_holder, record, f"acknowledged by {event.member_id}")
            if kind == AcknowledgeType.RENEW:
                self._lock(shared)
                continue
            shared.holder, shared.is_stored = "", True
            shared.stored_count = shared.delivery_count
            shared.done = _DONE.get(AcknowledgeType(kind), "")

    def _released(self, event: RecordsReleased) -> None:
        has_ended = self._ends_locks or event.member_id is not None
        now_ms = self._brokers.clock.now_ms()
        for record, shared, _ in self._of(event.place, event.ranges):
            is_over = has_ended or now_ms >= shared.locked_until_ms
            self._check(is_over, record, f"released too early, at {now_ms}")
            shared.holder, shared.is_stored = "", event.is_stored
            if event.is_stored:
                shared.stored_count = shared.delivery_count

    def _archived(self, event: RecordsArchived) -> None:
        for _, shared, _ in self._of(event.place, event.ranges):
            shared.done = "archived"

    def _loaded(self, event: SharePartitionLoaded) -> None:
        for (index, offset), shared in self.records.items():
            if index == event.place.partition:
                shared.holder, shared.delivery_count = "", shared.stored_count
                if not shared.is_stored and offset >= event.start_offset:
                    shared.done = ""


def _is_done(share: SharePartition, log_end_offset: int) -> bool:
    """Return whether all records are done: as in Kafka, the window may end later than they do."""
    if share.start_offset == log_end_offset:
        return True
    number = sum(
        share.count_from_start(first, last)
        for batch in share.batches
        for first, last, state in batch.states()
        if state.state.is_terminal
    )
    return number == log_end_offset - share.start_offset
