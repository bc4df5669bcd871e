"""The offsets that the groups of one partition of `__consumer_offsets` have committed.

The laws:

1. It is what the partition's records say, in their order, and nothing else: a record that is
   appended is replayed as one that is loaded.
2. An offset that is committed in a transaction is pending until the marker stands in the partition;
   then it counts, or it is forgotten.
3. Of two commits the one whose record lies later counts, whenever its transaction ends.
4. A pending offset hides nothing from readers, unless they ask for what is stable (KIP-447): that
   question costs one lookup.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from mockbroker.protocol.types import NO_PRODUCER_ID, TopicPartition
from mockbroker.state.group.group_log_record import OffsetRecord
from mockbroker.state.group.offset_and_metadata import OffsetAndMetadata

_Key: TypeAlias = tuple[str, TopicPartition]

_NOTHING: Final[Mapping[TopicPartition, OffsetAndMetadata]] = MappingProxyType({})


class OffsetMetadataManager:
    """Offsets by group, committed and pending (Kafka's `OffsetMetadataManager`)."""

    __slots__ = ("_committed", "_pending", "_waiting")

    def __init__(self) -> None:
        """Start without offsets."""
        self._committed: dict[str, dict[TopicPartition, OffsetAndMetadata]] = {}
        self._pending: dict[int, dict[_Key, OffsetAndMetadata]] = {}
        """By the producer whose transaction is open."""
        self._waiting: dict[str, Counter[TopicPartition]] = {}
        """How many open transactions have committed for each partition, by group."""

    # Records

    def replay(self, record: OffsetRecord, producer_id: int = NO_PRODUCER_ID) -> None:
        """Take in a record as it stands in the partition."""
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

    def complete_transaction(self, producer_id: int, *, is_commit: bool) -> Collection[str]:
        """Let what a producer has pending count, or forget it; return the groups it is of."""
        pending = self._pending.pop(producer_id, {})
        for (group_id, partition), value in pending.items():
            self._forget_waiting(group_id, partition)
            if is_commit:
                self._put(group_id, partition, value)
        return dict.fromkeys(group_id for group_id, _ in pending)

    def _put(self, group_id: str, partition: TopicPartition, value: OffsetAndMetadata) -> None:
        offsets = self._committed.setdefault(group_id, {})
        known = offsets.get(partition)
        if known is None or value.record_offset > known.record_offset:
            offsets[partition] = value

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

    # Questions

    def committed(self, group_id: str, partition: TopicPartition) -> OffsetAndMetadata | None:
        """Return what counts for a partition; None where the group has committed nothing."""
        return self._committed.get(group_id, _NOTHING).get(partition)

    def all_committed(self, group_id: str) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """Return all offsets of a group that count, in the order of the first commits."""
        return self._committed.get(group_id, _NOTHING)

    def is_unstable(self, group_id: str, partition: TopicPartition) -> bool:
        """Tell whether an open transaction may still change what counts for a partition."""
        waiting = self._waiting.get(group_id)
        return waiting is not None and partition in waiting

    def has_open_transactions(self, group_id: str) -> bool:
        """Tell whether any offset of a group waits for the end of a transaction."""
        return group_id in self._waiting

    def known_partitions(self, group_id: str) -> list[TopicPartition]:
        """List the partitions for which a group has an offset that counts, or waits."""
        committed, waiting = self.all_committed(group_id), self._waiting.get(group_id, ())
        return [*committed, *(each for each in waiting if each not in committed)]

    def of_topic(self, topic: str) -> list[OffsetRecord]:
        """List the tombstones that forget a topic, group by group."""
        groups = dict.fromkeys([*self._committed, *self._waiting])
        return [
            OffsetRecord(group_id, partition, None)
            for group_id in groups
            for partition in self.known_partitions(group_id)
            if partition.topic == topic
        ]

    def first_record_offset(self) -> int | None:
        """Return where the first record lies that still says something; None where none does."""
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
