"""Committed offsets of the groups in one partition of `__consumer_offsets`.

Rules:

1. The state is derived only from the partition's records, in their order: appended records are
   replayed in the same way as loaded ones.
2. An offset that is committed in a transaction is pending until the marker is in the partition;
   then it is applied, or discarded.
3. Of two commits the one with the later record applies, whenever its transaction ends.
4. Readers see the committed offset beside a pending one, unless they require stable offsets
   (KIP-447); that check costs one lookup.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from mockbroker.protocol.types import NO_PRODUCER_ID, TopicPartition
from mockbroker.state.group.group_log_record import OffsetAndMetadata, OffsetRecord

_Key: TypeAlias = tuple[str, TopicPartition]

_NOTHING: Final[Mapping[TopicPartition, OffsetAndMetadata]] = MappingProxyType({})


class OffsetMetadataManager:
    """Offsets by group, committed and pending (Kafka's `OffsetMetadataManager`)."""

    __slots__ = ("_committed", "_pending", "_waiting")

    def __init__(self) -> None:
        """Start without offsets."""
        self._committed: dict[str, dict[TopicPartition, OffsetAndMetadata]] = {}
        self._pending: dict[int, dict[_Key, OffsetAndMetadata]] = {}
        """By the producer id of the open transaction."""
        self._waiting: dict[str, Counter[TopicPartition]] = {}
        """Number of open transactions with a pending offset for each partition, by group."""

    # Records

    def replay(self, record: OffsetRecord, producer_id: int = NO_PRODUCER_ID) -> None:
        """Apply a record of the partition."""
        group_id, partition, value = record
        if value is None:
            self._forget(group_id, partition)
        elif producer_id == NO_PRODUCER_ID:
            self._committed.setdefault(group_id, {})[partition] = value
        else:
            pending = self._pending.setdefault(producer_id, {})
            if (group_id, partition) not in pending:
                self._waiting.setdefault(group_id, Counter())[partition] += 1
            pending[group_id, partition] = value

    def complete_transaction(
        self, producer_id: int, *, is_commit: bool
    ) -> dict[str, list[OffsetRecord]]:
        """Apply or discard a producer's pending offsets; return the applied ones by group."""
        pending = self._pending.pop(producer_id, {})
        applied: dict[str, list[OffsetRecord]] = {}
        for (group_id, partition), value in pending.items():
            self._forget_waiting(group_id, partition)
            of_group = applied.setdefault(group_id, [])
            if is_commit and self._put(group_id, partition, value):
                of_group.append(OffsetRecord(group_id, partition, value))
        return applied

    def _put(self, group_id: str, partition: TopicPartition, value: OffsetAndMetadata) -> bool:
        offsets = self._committed.setdefault(group_id, {})
        known = offsets.get(partition)
        is_newer = known is None or value.record_offset > known.record_offset
        if is_newer:
            offsets[partition] = value
        return is_newer

    def _forget(self, group_id: str, partition: TopicPartition) -> None:
        offsets = self._committed.get(group_id)
        if offsets is not None:
            offsets.pop(partition, None)
            if not offsets:
                del self._committed[group_id]
        if self.is_unstable(group_id, partition):
            for pending in self._pending.values():
                if pending.pop((group_id, partition), None) is not None:
                    self._forget_waiting(group_id, partition)

    def _forget_waiting(self, group_id: str, partition: TopicPartition) -> None:
        waiting = self._waiting[group_id]
        waiting[partition] -= 1
        if not waiting[partition]:
            del waiting[partition]
        if not waiting:
            del self._waiting[group_id]

    # Queries

    def committed(self, group_id: str, partition: TopicPartition) -> OffsetAndMetadata | None:
        """Return the committed offset for a partition; None if there is none."""
        return self._committed.get(group_id, _NOTHING).get(partition)

    def all_committed(self, group_id: str) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """Return all committed offsets of a group, in the order of the first commits."""
        return self._committed.get(group_id, _NOTHING)

    def is_unstable(self, group_id: str, partition: TopicPartition) -> bool:
        """Return whether an open transaction may still change a partition's committed offset."""
        waiting = self._waiting.get(group_id)
        return waiting is not None and partition in waiting

    def has_open_transactions(self, group_id: str) -> bool:
        """Return whether an open transaction has pending offsets of a group."""
        return group_id in self._waiting

    def known_partitions(self, group_id: str) -> list[TopicPartition]:
        """List the partitions for which a group has a committed or a pending offset."""
        committed, waiting = self.all_committed(group_id), self._waiting.get(group_id, ())
        return [*committed, *(each for each in waiting if each not in committed)]

    def of_topic(self, topic: str) -> list[OffsetRecord]:
        """List the tombstones for a topic's offsets, group by group."""
        groups = dict.fromkeys([*self._committed, *self._waiting])
        return [
            OffsetRecord(group_id, partition, None)
            for group_id in groups
            for partition in self.known_partitions(group_id)
            if partition.topic == topic
        ]

    def first_record_offset(self) -> int | None:
        """Return the offset of the first record that is still needed; None if none is."""
        return min((value.record_offset for value in self._values()), default=None)

    def _values(self) -> Iterator[OffsetAndMetadata]:
        for offsets in self._committed.values():
            yield from offsets.values()
        for pending in self._pending.values():
            yield from pending.values()

    def as_text(self) -> list[str]:
        """Show all offsets, committed and pending, in a stable form."""
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        for group_id, offsets in sorted(self._committed.items()):
            for partition, value in sorted(offsets.items()):
                yield f"group {group_id} {partition} {value.as_text()}"
        for producer_id, pending in sorted(self._pending.items()):
            for (group_id, partition), value in sorted(pending.items()):
                yield (
                    f"group {group_id} {partition} {value.as_text()} waits for producer"
                    f" {producer_id}"
                )
