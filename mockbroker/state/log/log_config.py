"""The part of a topic's configuration that the log itself reads."""

from typing import NamedTuple


class LogConfig(NamedTuple):
    """A topic's log settings, as one value that is replaced as a whole (Kafka's `LogConfig`).

    Names are Kafka's with underscores; the defaults are Kafka's too. Negative retention means none.
    """

    segment_bytes: int = 1 << 30
    segment_ms: int = 604_800_000
    retention_ms: int = 604_800_000
    retention_bytes: int = -1
    cleanup_delete: bool = True
    """`cleanup.policy` contains `delete`."""
    cleanup_compact: bool = False
    """`cleanup.policy` contains `compact`."""
