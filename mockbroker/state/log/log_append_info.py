"""What an append answers."""

from typing import Self

from mockbroker.state.producer.producer_state_entry import BatchMetadata


class LogAppendInfo:
    """Where a batch stands in the log (Kafka's `LogAppendInfo`).

    The log fills one per append, attribute by attribute: calling an `__init__` would double the
    price. `log_append_time_ms` is what ProduceResponse carries: -1 for a batch with the client's
    own timestamps, and for a duplicate the largest timestamp of the batch that was appended first.
    """

    __slots__ = (
        "base_offset",
        "is_duplicate",
        "last_offset",
        "log_append_time_ms",
        "log_start_offset",
    )

    base_offset: int
    last_offset: int
    log_append_time_ms: int
    log_start_offset: int
    is_duplicate: bool

    @classmethod
    def of_retry(cls, batch: BatchMetadata, log_start_offset: int) -> Self:
        """Answer a batch that was appended before; it may lie before the log's start by now."""
        info = cls()
        info.base_offset = batch.first_offset
        info.last_offset = batch.last_offset
        info.log_append_time_ms = batch.timestamp_ms
        info.log_start_offset = log_start_offset
        info.is_duplicate = True
        return info

    def __repr__(self) -> str:
        """Show every field by its name."""
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"LogAppendInfo({fields})"
