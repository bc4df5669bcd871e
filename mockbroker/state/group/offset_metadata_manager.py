"""The offsets that groups have committed, and those that wait for a transaction's end.

The laws:

1. An offset that is committed in a transaction is pending until the marker stands in the group's
   partition of `__consumer_offsets`; then it counts, or it is forgotten.
2. Of two commits the one whose record lies later in that partition counts, whenever its
   transaction ends.
3. A pending offset hides nothing from readers, unless they ask for what is stable (KIP-447).
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.offset_and_metadata import OffsetAndMetadata

_Key: TypeAlias = tuple[str, TopicPartition]
_Transaction: TypeAlias = tuple[int, int]
"""A partition of the offsets' topic, and the producer whose transaction has written to it."""


class OffsetMetadataManager:
    """Every group's offsets, committed and pending (Kafka's `OffsetMetadataManager`)."""

    __slots__ = ("_committed", "_pending", "_waiting")

    def __init__(self) -> None:
        """Start without groups."""
        self._committed: dict[str, dict[TopicPartition, OffsetAndMetadata]] = {}
        self._pending: dict[_Transaction, dict[_Key, OffsetAndMetadata]] = {}
        self._waiting: dict[str, Counter[TopicPartition]] = {}
        """How many open transactions have committed for each partition, by group."""

    def __contains__(self, group_id: str) -> bool:
        """Tell whether a group has committed anything, in a transaction or not."""
        return group_id in self._committed or group_id in self._waiting

    def commit(self, group_id: str, partition: TopicPartition, offset: OffsetAndMetadata) -> None:
        """Take in an offset that counts at once."""
        self._put(group_id, partition, offset)

    def commit_in_transaction(
        self,
        home: int,
        producer_id: int,
        group_id: str,
        partition: TopicPartition,
        offset: OffsetAndMetadata,
    ) -> None:
        """Take in an offset that waits for a marker in partition `home` of the offsets' topic."""
        pending = self._pending.setdefault((home, producer_id), {})
        if (group_id, partition) not in pending:
            self._waiting.setdefault(group_id, Counter())[partition] += 1
        pending[group_id, partition] = offset

    def complete_transaction(self, home: int, producer_id: int, *, is_commit: bool) -> None:
        """Let what a producer has pending in a partition count, or forget it."""
        for (group_id, partition), offset in self._pending.pop((home, producer_id), {}).items():
            self._forget_waiting(group_id, partition)
            if is_commit:
                self._put(group_id, partition, offset)

    def committed(self, group_id: str, partition: TopicPartition) -> OffsetAndMetadata | None:
        """Return what counts for a partition; None where the group has committed nothing."""
        return self._committed.get(group_id, {}).get(partition)

    def committed_partitions(self, group_id: str) -> list[TopicPartition]:
        """List the partitions for which a group has an offset that counts."""
        return list(self._committed.get(group_id, ()))

    def is_unstable(self, group_id: str, partition: TopicPartition) -> bool:
        """Tell whether an open transaction may still change what counts for a partition."""
        return partition in self._waiting.get(group_id, ())

    def forget_topic(self, topic: str) -> None:
        """Forget what groups have committed for a topic that is deleted."""
        for offsets in self._committed.values():
            for partition in [each for each in offsets if each.topic == topic]:
                del offsets[partition]
        for pending in self._pending.values():
            for group_id, partition in [key for key in pending if key[1].topic == topic]:
                del pending[group_id, partition]
                self._forget_waiting(group_id, partition)

    def _forget_waiting(self, group_id: str, partition: TopicPartition) -> None:
        waiting = self._waiting[group_id]
        waiting[partition] -= 1
        if not waiting[partition]:
            del waiting[partition]
        if not waiting:
            del self._waiting[group_id]

    def _put(self, group_id: str, partition: TopicPartition, offset: OffsetAndMetadata) -> None:
        offsets = self._committed.setdefault(group_id, {})
        known = offsets.get(partition)
        if known is None or offset.record_offset > known.record_offset:
            offsets[partition] = offset

    def as_text(self) -> str:
        """Show all offsets, committed and pending, in a stable form."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for group_id, offsets in sorted(self._committed.items()):
            for partition, offset in sorted(offsets.items()):
                yield f"group {group_id} {partition} {offset.as_text()}"
        for (home, producer_id), pending in sorted(self._pending.items()):
            for (group_id, partition), offset in sorted(pending.items()):
                yield (
                    f"group {group_id} {partition} {offset.as_text()} waits for producer "
                    f"{producer_id} in partition {home}"
                )
