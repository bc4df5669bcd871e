"""The result of a read."""

from mockbroker.protocol.types import Buffer


class LogSlice:
    """Consecutive batches of a log (Kafka's `FetchDataInfo`).

    `buffers` are the appended buffers themselves, in order; the last may be only a part of one.
    `next_offset` is the next offset to read: one past the last record of the whole batches, or, if
    there is no whole batch, the fetch offset. Then `first_entry_incomplete` is true. After a slice
    with `is_of_older_segment` there is always more to read, whatever the slice's size.
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
        """Hold the batches, their total size, and the offset after the whole ones."""
        self.first_entry_incomplete = first_entry_incomplete
        self.is_of_older_segment = is_of_older_segment
        self.buffers = buffers
        self.size_bytes = size_bytes
        self.next_offset = next_offset

    def __repr__(self) -> str:
        """Show counts and offsets, not the bytes."""
        return (
            f"LogSlice({len(self.buffers)} batches, size_bytes={self.size_bytes}, "
            f"next_offset={self.next_offset})"
        )
