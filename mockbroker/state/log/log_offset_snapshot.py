"""The start, high watermark and end of a log."""

from typing import NamedTuple


class LogOffsetSnapshot(NamedTuple):
    """The three offsets of a log at one moment (Kafka's class of the same name)."""

    log_start_offset: int
    high_watermark: int
    log_end_offset: int
