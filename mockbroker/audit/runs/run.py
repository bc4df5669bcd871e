"""Run: the input of the rules. One event, or a batch with its request and its response.

Runs are flat rows of scalars, so that they fit into files and tables: `COLUMNS` declares them once.
A run has the columns of the journal's row. A batch that was appended once and then acknowledged is
one run instead of three (`came_seq`, `answered_seq`): rules get the same from it as from the rows.
"""

import json
from typing import Final, NamedTuple

SEQUENCES: Final = 1 << 31
"""Sequences count from 0 to 2^31 - 1, and then from 0 again."""
NO_SEQUENCE: Final = -1
"""Base sequence of batches without sequences."""
CALLS: Final = frozenset({"request", "answer", "lost"})
"""Kinds of runs with an API."""
RESET: Final = "event reset"
"""The kind, as in `exact_kind`, of a run after which the cluster is new: its topics, its producers
and groups, and its clock."""
COORDINATORS_LOG: Final = "__transaction_state"
"""The topic in which coordinators write transitions."""
OFFSETS_LOG: Final = "__consumer_offsets"
"""The topic of groups' offsets. Coordinators write to it for a producer: each such batch has
sequence 0."""


class Run(NamedTuple):
    """One event; columns that do not apply are None."""

    kind: str
    """The journal's kind."""
    seq: int
    """The journal's `seq`."""
    virtual_time_ms: int
    """The cluster's time."""
    topic: str | None = None
    partition: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    transactional_id: str | None = None
    base_sequence: int | None = None
    """Of a batch; -1 where no producer numbers them."""
    record_count: int | None = None
    is_transactional: bool | None = None
    is_duplicate: bool | None = None
    marker: str | None = None
    """`COMMIT` or `ABORT`."""
    coordinator_epoch: int | None = None
    base_offset: int | None = None
    last_offset: int | None = None
    leader_epoch: int | None = None
    log_start_offset: int | None = None
    high_watermark: int | None = None
    log_end_offset: int | None = None
    last_stable_offset: int | None = None
    state_before: str | None = None
    """Of a transition."""
    state_after: str | None = None
    """Of a transition."""
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
    came_seq: int | None = None
    """Of an append whose request and response are part of the run: the `seq` of its request."""
    came_ms: int | None = None
    """The time of the request."""
    answered_seq: int | None = None
    """The `seq` of the response, which is without an error."""

    @property
    def place(self) -> tuple[str, int]:
        """Topic and partition of a run that concerns a partition."""
        assert self.topic is not None, self
        assert self.partition is not None, self
        return self.topic, self.partition

    @property
    def is_numbered(self) -> bool:
        """True if the batches have sequences."""
        return self.base_sequence != NO_SEQUENCE and self.topic != OFFSETS_LOG

    @property
    def sequence_after(self) -> int:
        """The sequence after the last record."""
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


def exact_kind(run: Run) -> str:
    """Return the kind of a run; of calls with the API, and of events of a cluster with the name."""
    if run.kind in CALLS:
        return f"{run.kind} {run.api}"
    if run.kind == "event":
        return f"event {json.loads(run.detail or '{}').get('event')}"
    return run.kind


def sort_key(run: Run) -> tuple[int, str, int, int]:
    """Order runs by their number; the rows of one entry by partition."""
    partition = -1 if run.partition is None else run.partition
    producer_id = -1 if run.producer_id is None else run.producer_id
    return run.seq, run.topic or "", partition, producer_id
