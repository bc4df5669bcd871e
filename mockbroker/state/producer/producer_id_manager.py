"""Allocation of producer ids: each broker takes blocks of ids, and assigns them in order."""

from typing import Final

PRODUCER_ID_BLOCK_SIZE: Final = 1000
"""Number of ids in a broker's block (`ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE`)."""


class ProducerIdManager:
    """The next free block of the cluster, and the rest of each broker's block."""

    __slots__ = ("_blocks", "next_block_start")

    def __init__(self) -> None:
        """Start at id 0."""
        self.next_block_start = 0
        self._blocks: dict[int, tuple[int, int]] = {}

    def generate_producer_id(self, broker_id: int) -> int:
        """Return an id that no producer of the cluster has had."""
        next_id, end = self._blocks.get(broker_id, (0, 0))
        if next_id == end:
            next_id = self.next_block_start
            end = self.next_block_start = next_id + PRODUCER_ID_BLOCK_SIZE
        self._blocks[broker_id] = (next_id + 1, end)
        return next_id

    def as_text(self) -> list[str]:
        """Return the state as text in a stable form, for `ClusterState.as_text`."""
        return [
            f"producer ids from {self.next_block_start}",
            *(f"broker {broker} assigns {ids}" for broker, ids in sorted(self._blocks.items())),
        ]
