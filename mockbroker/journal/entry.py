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
    "request": "A request was received. It has a row for each item: partition, topic, group, …",
    "answer": "A response was passed to the transport. It has a row for each item with its own"
    " error code.",
    "lost": "A request gets no response: `detail` has the way and the reason.",
    "append": "A batch was appended, or recognised as a retry (`is_duplicate`).",
    "marker": "A marker ended a transaction in a partition.",
    "transaction": "A coordinator logged a transition of a transactional id; after expiry there is"
    " no `state_after`.",
    "producer_expired": "A log removed the state of an idle producer.",
    "group": "A group entered a state.",
    "leader": "A leader was elected: `broker`, under `leader_epoch`.",
    "topic_created": "A topic was created.",
    "topic_deleted": "A topic was deleted.",
    "log_start": "The records before `log_start_offset` were deleted.",
    "truncation": "The records from `log_end_offset` on were truncated.",
    "high_watermark": "A high watermark that does not follow its log's end has moved.",
    "connected": "A client has connected.",
    "disconnected": "A connection has ended.",
    "hang_up": "A broker closes a connection: `detail` has the reason.",
    "fault_made": "A fault was created or changed: `effect` is its text.",
    "fault_struck": "A fault fires on a call. It has a row for each item that matches the fault.",
    "held": "A fault holds a call.",
    "released": "A held call was released.",
    "fault_removed": "A fault was removed.",
    "clock": "The state's clock jumps: `detail` has both times. Timeouts and expiries follow it.",
    "event": "Another control action on the cluster: `detail` describes it.",
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
    Column("seq", "int64", "Number of the event, from 1. The rows of one entry share it."),
    Column("kind", "string", "Kind of the entry."),
    Column("wall_time_us", "int64", "Real time, in microseconds since 1970."),
    Column("virtual_time_ms", "int64", "The state's time, in milliseconds since 1970."),
    Column(
        "call", "int64",
        "Number of the request, from 1. Later events of the request (appends, the response, a"
        " fault that fires on it) have it, too. Empty for events without a request.",
    ),
    Column("broker", "int32", "The broker that got the request, or that leads the partition."),
    Column("connection", "int32", "Number of the connection in its cluster, from 1."),
    Column("client_id", "string", "From the request's header."),
    Column("api", "string", "Kafka's name of the API, such as `Produce`."),
    Column("version", "int16", "The version of the request."),
    Column("correlation_id", "int32", "From the request's header."),
    Column("group", "string", "A group's id."),
    Column("transactional_id", "string", "A transactional id."),
    Column("topic", "string", "A topic's name, even if the request has its id."),
    Column("partition", "int32", "A partition's number."),
    Column("leader_epoch", "int32", "The partition's leader epoch."),
    Column("producer_id", "int64", "-1 in batches without a producer."),
    Column("producer_epoch", "int16", "The epoch of the producer."),
    Column("base_sequence", "int32", "The first sequence of a batch."),
    Column("record_count", "int32", "Number of records in a batch."),
    Column("crc", "int64", "Of an append: the CRC32C in the batch's header."),
    Column("is_transactional", "bool", "Whether a batch belongs to a transaction."),
    Column("is_duplicate", "bool", "Whether a batch was a retry: answered, but not appended."),
    Column("marker", "string", "`COMMIT` or `ABORT`: of a marker, and of an EndTxn."),
    Column("coordinator_epoch", "int32", "Epoch of the coordinator that wrote the marker."),
    Column("acks", "int16", "The `acks` of a Produce request."),
    Column("base_offset", "int64", "The first offset of a batch, or of a duplicate's first copy."),
    Column("last_offset", "int64", "The last offset of that batch."),
    Column("log_start_offset", "int64", "Where the log starts, after this."),
    Column("last_stable_offset", "int64", "End of read_committed reads, after this."),
    Column("high_watermark", "int64", "End of consumers' reads, after this."),
    Column("log_end_offset", "int64", "The next record's offset, after this."),
    Column("error", "string", "The error code by its name; `NONE` in an answer without one."),
    Column("rule", "string", "The fault's name, also in a response that it has changed or lost."),
    Column("effect", "string", "Effect of the fault."),
    Column("applied", "string", "Whether the request was applied `before` the effect, is `after`"
           " it (a hold), or `never`."),
    Column("state_before", "string", "A state by Kafka's name, such as `Ongoing`."),
    Column("state_after", "string", "The state that follows."),
    Column("detail", "string", "Other fields, as a JSON object."),
)  # fmt: skip
"""All columns, in the order of `Entry`."""
