"""Run: the input of the rules. One event, or many regular events of one stream.

Runs are flat rows of scalars, so that they fit into files and tables: `COLUMNS` declares them once.
A run of one event is the journal's row; every rule that it concerns sees it.

A *folded* run stands for many rows of one stream, between which no rule can have a finding: it has
the values of the first event at one edge, and the resulting state at the other. A row that is
folded is folded in all of its streams. Folding changes no finding.
"""

from enum import StrEnum
from typing import Final, NamedTuple

SEQUENCES: Final = 1 << 31
"""Sequences count from 0 to 2^31 - 1, and then from 0 again."""
NO_SEQUENCE: Final = -1
"""Base sequence of batches without sequences."""
UNNUMBERED: Final = "__consumer_offsets"
"""The topic in which coordinators write for a producer: each such batch has sequence 0."""


class Stream(StrEnum):
    """Sequence of events that a folded run stands for."""

    EVENT = "event"
    """No fold: one row of the journal; `kind` and columns are the journal's."""
    LOG = "log"
    """Of a partition: batches and markers whose offsets follow one another, under one leader
    epoch. Keyed by topic, partition."""
    PRODUCER = "producer"
    """Of a producer in a partition: its batches, whose sequences follow one another (0 after
    2^31 - 1; in whole transactions also 0 in a higher epoch) and whose offsets grow, under one
    leader epoch, without its markers. Keyed by topic, partition, producer_id."""
    TRANSACTION = "transaction"
    """Of a producer id, in all partitions: whole transactions, each from the transition to Ongoing
    to CompleteX with the batches between, and one marker in each partition that got any. Nothing is
    open before and after. Keyed by producer_id."""
    READ = "read"
    """Fetches of a client from a partition, without errors. Keyed by client_id, topic,
    partition."""


class Run(NamedTuple):
    """One event, or many of a stream; columns that do not apply are None.

    In a folded run, a column has its value at the last event, unless its description differs.
    """

    stream: str
    kind: str
    """The journal's kind; of a folded run its stream."""
    first_seq: int
    """The journal's `seq` of the first event."""
    last_seq: int
    """… and of the last one: the same in a run of one."""
    first_time_ms: int
    """The cluster's time at the first event."""
    last_time_ms: int
    events: int = 1
    topic: str | None = None
    partition: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    """At the first event."""
    last_producer_epoch: int | None = None
    """At the last event; of a TRANSACTION the epoch with which the last transaction completed."""
    transactional_id: str | None = None
    base_sequence: int | None = None
    """Of the first batch; -1 where no producer numbers them."""
    next_sequence: int | None = None
    """The sequence that follows the last batch; a fold has it, see `sequence_after`."""
    record_count: int | None = None
    """Of all batches."""
    is_transactional: bool | None = None
    is_duplicate: bool | None = None
    marker: str | None = None
    """`COMMIT` or `ABORT`."""
    coordinator_epoch: int | None = None
    base_offset: int | None = None
    """Of the first batch."""
    last_offset: int | None = None
    leader_epoch: int | None = None
    log_start_offset: int | None = None
    high_watermark: int | None = None
    log_end_offset: int | None = None
    last_stable_offset: int | None = None
    base_stable_offset: int | None = None
    """LOG: the last stable offset after the first event."""
    stuck_since_seq: int | None = None
    """LOG: the event since which the last stable offset has had its value after the last event,
    below the high watermark; None if it is not below."""
    stuck_since_ms: int | None = None
    """LOG: the time of that event."""
    longest_ms: int | None = None
    """LOG: the longest time for which the last stable offset stood still below the high watermark
    between two events of the run. TRANSACTION: how long the longest transaction took."""
    state_before: str | None = None
    """Of a transition."""
    state_after: str | None = None
    """Of a transition; of a TRANSACTION that of the last one."""
    broker: int | None = None
    """The broker that got the request, or that leads the partition; -1 for none."""
    acks: int | None = None
    call: int | None = None
    connection: int | None = None
    client_id: str | None = None
    api: str | None = None
    """Kafka's name, such as `Produce`."""
    error: str | None = None
    """The name of the code; `NONE` in an answer without one."""
    rule: str | None = None
    """The fault that struck."""
    applied: str | None = None
    crc: int | None = None
    """Of a batch: its CRC32C."""
    group: str | None = None
    detail: str | None = None
    """Other fields of the journal, as a JSON object."""

    @property
    def is_folded(self) -> bool:
        """True if the run stands for several events of one stream."""
        return self.stream != Stream.EVENT

    @property
    def place(self) -> tuple[str, int]:
        """Topic and partition of a run that concerns a partition."""
        assert self.topic is not None, self
        assert self.partition is not None, self
        return self.topic, self.partition

    @property
    def is_numbered(self) -> bool:
        """True if the batches have sequences."""
        return self.base_sequence != NO_SEQUENCE and self.topic != UNNUMBERED

    @property
    def sequence_after(self) -> int:
        """The sequence after the last batch."""
        if self.next_sequence is not None:
            return self.next_sequence
        assert self.base_sequence is not None, self
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return (self.base_sequence + (self.record_count or 0)) % SEQUENCES


class RunColumn(NamedTuple):
    """A column of runs in tables."""

    name: str
    kind: str
    """`int64`, `bool` or `string`."""


def _kind(annotation: object) -> str:
    text = str(annotation)
    return "string" if "str" in text else "bool" if "bool" in text else "int64"


COLUMNS: Final = tuple(RunColumn(name, _kind(kind)) for name, kind in Run.__annotations__.items())
"""All columns, in the order of `Run`."""


def sort_key(run: Run) -> tuple[int, str, int, str, int, int]:
    """Order runs by their first event, then log before producer streams, then by partition."""
    partition = -1 if run.partition is None else run.partition
    producer_id = -1 if run.producer_id is None else run.producer_id
    return run.first_seq, run.stream, run.last_seq, run.topic or "", partition, producer_id


class StreamKey(NamedTuple):
    """Identity of a stream; columns that do not identify it are None."""

    stream: str
    topic: str | None = None
    partition: int | None = None
    producer_id: int | None = None
    client_id: str | None = None


def stream_key(run: Run) -> StreamKey:
    """Return the stream of a folded run."""
    match run.stream:
        case Stream.LOG:
            return StreamKey(run.stream, run.topic, run.partition)
        case Stream.PRODUCER:
            return StreamKey(run.stream, run.topic, run.partition, run.producer_id)
        case Stream.TRANSACTION:
            return StreamKey(run.stream, producer_id=run.producer_id)
        case Stream.READ:
            return StreamKey(run.stream, run.topic, run.partition, client_id=run.client_id)
        case _:
            raise AssertionError(run)
