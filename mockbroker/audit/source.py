"""Properties of an audit's evidence, and the thresholds of rules."""

from typing import Final, NamedTuple

from mockbroker.audit.rules.rule_table import JOURNAL, Need


class Thresholds(NamedTuple):
    """Limits above which an observation is a finding, for rules that measure."""

    stuck_stable_offset_ms: int = 16 * 60_000
    """LSO_STUCK: longer than this, in the cluster's time. The default is the longest that Kafka
    lets a transaction take (transaction.max.timeout.ms, 15 min) and a minute to abort it."""
    retries: int = 10
    """RETRY_STORM: from so many tries on that bring nothing, one after another, of one batch."""
    producer_id_expiration_ms: int = 86_400_000
    """UNKNOWN_PID_RESET: the idle time after which a log forgets a producer, if the evidence lacks
    the event (producer.id.expiration.ms)."""


class Source(NamedTuple):
    """Kinds of facts that the evidence can have, whatever its content."""

    facts: frozenset[Need] = JOURNAL
    """Rules that need more are not judged."""
    name: str = "a journal"
    """Name of the source, in the reasons of rules that are not judged."""
    compacted: frozenset[str] = frozenset()
    """Topics from which compaction may have removed batches: their offsets and sequences may have
    gaps. It is set for topics that are read back; a journal has all appends."""
    reasons: tuple[tuple[Need, str], ...] = ()
    """Why the evidence lacks some kinds of facts, where the name of the source does not say it."""
    has_all_ids: bool = True
    """False if there may be transactional ids of which the evidence does not know the state."""
    events: int | None = None
    """Number of rows, if it is not that of the runs."""
    identity: str | None = None
    """`off` if the user says that records have no identity; see `Verdict.identity`."""
    broken: tuple[str, ...] = ()
    """Descriptions of unreadable input."""


THRESHOLDS: Final = Thresholds()
A_JOURNAL: Final = Source()
