"""Entry of a journal: one flat row, the same for all events.

The columns are declared here once. The files' schema and the page `docs/reference/journal.md` are
generated from this table. A changed meaning of a column, or a removed column, requires another
`SCHEMA_VERSION`.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

SCHEMA_VERSION: Final = 1

KINDS: Final[Mapping[str, str]] = {
    "request": "A request came. It has a row for each of its items: partition, topic, group, …",
    "answer": "An answer was given to the transport. It has a row for each item that has an error"
    " code of its own.",
    "lost": "A request that its client will not see answered: `detail` says how, and why.",
    "append": "A batch was appended, or was a retry of one that had been (`is_duplicate`).",
    "marker": "A marker ended a transaction in a partition.",
    "transaction": "A coordinator logged a transition of a transactional id; after expiry there is"
    " no `state_after`.",
    "producer_expired": "A log forgot a producer that had written nothing for long.",
    "group": "A group entered a state.",
    "leader": "A leader was elected: `broker`, under `leader_epoch`.",
    "topic_created": "There is a topic.",
    "topic_deleted": "There is a topic no more.",
    "log_start": "The records before `log_start_offset` are gone.",
    "truncation": "The records from `log_end_offset` on are gone.",
    "high_watermark": "A high watermark that does not follow its log's end has moved.",
    "connected": "A client has connected.",
    "disconnected": "A connection is over.",
    "hang_up": "A broker ends a connection: `detail` says why.",
    "fault_made": "A rule is in force, or has another effect or trigger: `effect` is its text.",
    "fault_struck": "A rule strikes a call. It has a row for each item that the rule is about.",
    "held": "A rule holds a call.",
    "released": "A call is held no more.",
    "fault_removed": "A rule is no more.",
    "clock": "The state's clock jumps: `detail` has both times. Timeouts and expiries follow it.",
    "event": "Something else was done to the cluster: `detail` says what.",
}
"""Kinds of entries."""


class Entry(NamedTuple):
    """One row of a journal; columns that its kind does not have are None."""

    seq: int
    kind: str
    wall_time_us: int
    virtual_time_ms: int
    call: int | None = None
    broker: int | None = None
    connection: int | None = None
    client_id: str | None = None
    api: ApiKey | None = None
    version: int | None = None
    correlation_id: int | None = None
    group: str | None = None
    transactional_id: str | None = None
    topic: str | None = None
    partition: int | None = None
    leader_epoch: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    base_sequence: int | None = None
    record_count: int | None = None
    crc: int | None = None
    is_transactional: bool | None = None
    is_duplicate: bool | None = None
    marker: str | None = None
    coordinator_epoch: int | None = None
    acks: int | None = None
    base_offset: int | None = None
    last_offset: int | None = None
    log_start_offset: int | None = None
    last_stable_offset: int | None = None
    high_watermark: int | None = None
    log_end_offset: int | None = None
    error: ErrorCode | None = None
    rule: str | None = None
    effect: str | None = None
    applied: str | None = None
    state_before: str | None = None
    state_after: str | None = None
    detail: str | None = None


def stored_value(value: object) -> object:
    """Convert a value of a column to its form in files: APIs and errors become their names."""
    if isinstance(value, ApiKey):
        return value.title
    return value.name if isinstance(value, Enum) else value


class Column(NamedTuple):
    """A column in files."""

    name: str
    kind: str
    """`int64`, `int32`, `int16`, `bool` or `string`."""
    about: str


COLUMNS: Final = (
    Column("seq", "int64", "Counts what happened, from 1. The rows of one entry share it."),
    Column("kind", "string", "What the entry is about."),
    Column("wall_time_us", "int64", "Real time, in microseconds since 1970."),
    Column("virtual_time_ms", "int64", "The state's time, in milliseconds since 1970."),
    Column(
        "call", "int64",
        "Counts requests, from 1: what comes of a request (its appends, its answer, a fault that"
        " strikes it) has its number. Empty for what nobody asked for.",
    ),
    Column("broker", "int32", "Who was asked, or leads the partition."),
    Column("connection", "int32", "Counts the connections of a cluster, from 1."),
    Column("client_id", "string", "As the request's header says."),
    Column("api", "string", "Kafka's name of the API, such as `Produce`."),
    Column("version", "int16", "The version of the request."),
    Column("correlation_id", "int32", "As the request's header says."),
    Column("group", "string", "A group's id."),
    Column("transactional_id", "string", "A transactional id."),
    Column("topic", "string", "A topic's name, also where a request has its id."),
    Column("partition", "int32", "A partition's number."),
    Column("leader_epoch", "int32", "The partition's leader epoch."),
    Column("producer_id", "int64", "-1 in batches without a producer."),
    Column("producer_epoch", "int16", "The epoch of the producer."),
    Column("base_sequence", "int32", "The first sequence of a batch."),
    Column("record_count", "int32", "How many records a batch has."),
    Column("crc", "int64", "Of an append: the batch's CRC32C, as its header has it."),
    Column("is_transactional", "bool", "Whether a batch belongs to a transaction."),
    Column("is_duplicate", "bool", "Whether an append was a retry, answered and not appended."),
    Column("marker", "string", "`COMMIT` or `ABORT`: of a marker, and of an EndTxn."),
    Column("coordinator_epoch", "int32", "Of the coordinator that wrote."),
    Column("acks", "int16", "What a Produce asked for."),
    Column("base_offset", "int64", "The first offset of a batch, or of a duplicate's first copy."),
    Column("last_offset", "int64", "The last offset of it."),
    Column("log_start_offset", "int64", "Where the log starts, after this."),
    Column("last_stable_offset", "int64", "Up to where read_committed reads, after this."),
    Column("high_watermark", "int64", "Up to where consumers read, after this."),
    Column("log_end_offset", "int64", "The next record's offset, after this."),
    Column("error", "string", "The error code by its name; `NONE` in an answer without one."),
    Column("rule", "string", "The fault's name: also in the answer that it has changed or lost."),
    Column("effect", "string", "What the fault does."),
    Column("applied", "string", "Whether the request was applied `before` the effect, is `after`"
           " it (a hold), or `never`."),
    Column("state_before", "string", "A state by Kafka's name, such as `Ongoing`."),
    Column("state_after", "string", "The state that follows."),
    Column("detail", "string", "What else there is to know, as a JSON object."),
)  # fmt: skip
"""All columns, in the order of `Entry`."""
