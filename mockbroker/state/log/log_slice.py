"""What a read answers."""

from mockbroker.protocol.types import Buffer


class LogSlice:
    """Batches that follow one another in a log (Kafka's `FetchDataInfo`).

    `buffers` are the appended buffers themselves, in order; of the last there may be only a part.
    `next_offset` is where to read on: one past the last record of the whole batches, or the fetch
    offset where there is none: then `first_entry_incomplete` is true. There is more to read behind
    a slice that `is_of_older_segment`, whatever its size.
    """

    __slots__ = (
        "buffers",
        "first_entry_incomplete",
        "is_of_older_segment",
        "next_offset",
        "size_bytes",
    )

    def __init__(
        self,
        buffers: list[Buffer],
        size_bytes: int,
        next_offset: int,
        *,
        first_entry_incomplete: bool = False,
        is_of_older_segment: bool = False,
    ) -> None:
        """Take the batches, their total size, and the offset behind the whole ones."""
        self.first_entry_incomplete = first_entry_incomplete
        self.is_of_older_segment = is_of_older_segment
        self.buffers = buffers
        self.size_bytes = size_bytes
        self.next_offset = next_offset

    def __repr__(self) -> str:
        """Show how much it holds, not the bytes."""
        return (
            f"LogSlice({len(self.buffers)} batches, size_bytes={self.size_bytes}, "
            f"next_offset={self.next_offset})"
        )
