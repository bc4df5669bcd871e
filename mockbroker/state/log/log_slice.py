"""What a read answers."""

from mockbroker.protocol.types import Buffer


class LogSlice:
    """Batches that follow one another in a log (Kafka's `FetchDataInfo`).

    `buffers` are the appended buffers themselves, in order; of the last there may be only a part. `next_offset` is where to read on:
    one past the last record of the slice, or the fetch offset when the slice is empty.
    """

    __slots__ = ("buffers", "next_offset", "size_bytes")

    def __init__(self, buffers: list[Buffer], size_bytes: int, next_offset: int) -> None:
        """Take the batches, their total size, and the offset behind the whole ones."""
        self.buffers = buffers
        self.size_bytes = size_bytes
        self.next_offset = next_offset

    def __repr__(self) -> str:
        """Show how much it holds, not the bytes."""
        return (
            f"LogSlice({len(self.buffers)} batches, size_bytes={self.size_bytes}, "
            f"next_offset={self.next_offset})"
        )
