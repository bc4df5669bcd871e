"""Transactions that a test holds between their decision and their end, to go on step by step.

The laws:

1. What is held has been decided, logged (PrepareCommit, PrepareAbort) and answered. Its markers, or
   those of some partitions, wait, and without all of them it is not complete.
2. A hold is on the transactional id and not on a coordinator: one that takes over finds it.
"""

from typing import Final

from mockbroker.protocol.types import TopicPartition

EVERYTHING: Final[frozenset[TopicPartition]] = frozenset()
"""Held: all markers, and the record that the transaction is complete."""


class HeldEndings:
    """What of which transactional id is held."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        """Hold nothing."""
        self._held: dict[str, frozenset[TopicPartition]] = {}

    def __contains__(self, transactional_id: str) -> bool:
        """Tell whether anything of a transactional id is held."""
        return transactional_id in self._held

    def hold(self, transactional_id: str, partition: TopicPartition | None = None) -> None:
        """Hold the markers of a partition, or all that follows a decision."""
        held = self._held.get(transactional_id)
        if partition is None or held == EVERYTHING:
            self._held[transactional_id] = EVERYTHING
        else:
            self._held[transactional_id] = (held or frozenset()) | {partition}

    def release(self, transactional_id: str) -> None:
        """Hold nothing of a transactional id any more."""
        self._held.pop(transactional_id, None)

    def holds_marker(self, transactional_id: str, partition: TopicPartition) -> bool:
        """Tell whether the marker of a partition has to wait."""
        held = self._held.get(transactional_id)
        return held is not None and (held == EVERYTHING or partition in held)

    def holds_completion(self, transactional_id: str) -> bool:
        """Tell whether a transaction whose markers are written has to wait as well."""
        return self._held.get(transactional_id) == EVERYTHING

    def as_text(self) -> list[str]:
        """Show what is held in a stable form."""
        return [
            f"holds {transactional_id!r} {', '.join(map(str, sorted(held))) or 'everything'}"
            for transactional_id, held in sorted(self._held.items())
        ]
