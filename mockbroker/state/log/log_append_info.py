"""The result of an append."""

from typing import Self

from mockbroker.state.producer.producer_state_entry import BatchMetadata


class LogAppendInfo:
    """The position of a batch in the log (Kafka's `LogAppendInfo`).

    The log fills one per append, attribute by attribute: calling an `__init__` would double the
    cost. `log_append_time_ms` is the field of ProduceResponse: -1 for a batch with the client's
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
        """Describe a batch that was appended earlier; it may lie before the log start by now."""
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
