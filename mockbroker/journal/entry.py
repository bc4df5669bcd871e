"""Entry of a journal: one flat row, the same for all events.

The columns are declared here once. The files' schema and the page `docs/reference/journal.md` are
generated from this table. A changed meaning of a column, or a removed column, requires another
`SCHEMA_VERSION`.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from mockbroker.broker.call import ANONYMOUS
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

SCHEMA_VERSION: Final = 1

KINDS: Final[Mapping[str, str]] = {
    "request": "A request arrived. It has a row for each of its items: partition, topic, group, …"
    " If `connection` is 0, a broker sent it.",
    "answer": "A response was written to the transport. It has a row for each item with its own"
    " error code.",
    "lost": "The client will get no response to a request: `detail` has the reason.",
    "append": "A batch was appended, or recognised as a retry of an appended one (`is_duplicate`).",
    "marker": "A marker ended a transaction in a partition.",
    "transaction": "A coordinator logged a transition of a transactional id; after expiry there is"
    " no `state_after`.",
    "producer_expired": "A log forgot a producer that was idle for too long.",
    "group": "A group entered a state, or has other members.",
    "assignment": "What members of a group own has changed. It has a row for each of them: `detail`"
    " names the member, its partitions (of topics that exist) or active tasks, and whether all"
    " other members own nothing.",
    "offset_committed": "A group's offset for a partition was committed: it is `base_offset`, and"
    " `log_end_offset` is the end of the partition's log. The client id, and `member` in `detail`,"
    " are those of the member; a client that is no member has its own. With a `producer_id`, a"
    " transaction of that producer has committed it. `begun` in `detail` is a transaction that the"
    " member's client has begun since it last committed.",
    "offset_pending": "A transaction commits `base_offset` of a group when it ends.",
    "offset_removed": "A group's offset was removed: it expired, or was deleted with its topic or"
    " its group, or alone.",
    "acquired": "A member of a share group was given records. `detail` has the member, the number"
    " of deliveries with this one, and the limit. This entry, and those of the next four kinds,"
    " have a row for each range of offsets.",
    "acknowledged": "Acknowledgements of a share group's member were accepted: `detail` has their"
    " `type` (`accept`, `release`, `reject`, `renew`, or `gap` for an offset without a record).",
    "lock_expired": "Acquisition locks expired: their records are released. With `is_stored` false,"
    " the share coordinator did not store it.",
    "session_released": "A member's share session ended, and its acquired records are released.",
    "archived": "Released records are not delivered again: they were delivered as often as the"
    " limit allows.",
    "share_start": "The start offset of a share partition moved to `base_offset`: the records"
    " before it are done, or deleted.",
    "share_loaded": "The leader `broker` read the state of a share partition, which begins at"
    " `base_offset`; what was not stored is lost.",
    "share_reset": "The share coordinator `broker` began the state of a share partition anew at"
    " `base_offset` (-1: the leader chooses it), or deleted it (without a `state_epoch`).",
    "leader": "A leader was elected: `broker`, with `leader_epoch`.",
    "topic_created": "A topic was created.",
    "topic_deleted": "A topic was deleted.",
    "log_start": "The records before `log_start_offset` were removed.",
    "truncation": "The records from `log_end_offset` on were removed. With a `broker`, these are"
    " the records that it had appended under `leader_epoch` while it was isolated.",
    "high_watermark": "A high watermark moved that is not at the end of its log.",
    "connected": "A client connected.",
    "disconnected": "A connection ended.",
    "hang_up": "A broker closed a connection: `detail` has the reason.",
    "fault_made": "A fault was made, or got another effect or trigger: `effect` is its text.",
    "fault_struck": "A fault fired on a call. It has a row for each item that the fault selects;"
    " `detail` names the member of a group.",
    "held": "A fault holds a call.",
    "released": "A held call was released.",
    "fault_removed": "A fault was removed.",
    "clock": "The clock was moved: `detail` has both times. Timeouts and expiries follow it.",
    "event": "Another change of the cluster by a control method: `detail` names it.",
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
    principal: str | None = None
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
    record_ids: str | None = None
    detail: str | None = None


def authenticated(principal: str) -> str | None:
    """Return the principal of an authenticated client, and None for any other."""
    return None if principal == ANONYMOUS else principal


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
    Column("kind", "string", "Kind of the event."),
    Column("wall_time_us", "int64", "Real time, in microseconds since 1970."),
    Column("virtual_time_ms", "int64", "The state's time, in milliseconds since 1970."),
    Column(
        "call", "int64",
        "Number of the request, from 1. Its appends, its response and the faults that fire on it"
        " have the same number. Empty for events without a request.",
    ),
    Column("broker", "int32", "Id of the broker that got the request or leads the partition."),
    Column("connection", "int32", "Number of the connection in the cluster, from 1."),
    Column("client_id", "string", "Client id in the request's header."),
    Column(
        "principal", "string",
        "Principal of the client, such as `User:alice`; empty for `User:ANONYMOUS`.",
    ),
    Column("api", "string", "Kafka's name of the API, such as `Produce`."),
    Column("version", "int16", "The version of the request."),
    Column("correlation_id", "int32", "Correlation id in the request's header."),
    Column("group", "string", "Id of the group."),
    Column("transactional_id", "string", "The transactional id."),
    Column("topic", "string", "Name of the topic, also if the request has its id."),
    Column("partition", "int32", "Index of the partition."),
    Column("leader_epoch", "int32", "The partition's leader epoch."),
    Column("producer_id", "int64", "The producer id; -1 in batches without one."),
    Column("producer_epoch", "int16", "The epoch of the producer."),
    Column("base_sequence", "int32", "The first sequence of a batch."),
    Column("record_count", "int32", "Number of records in the batch."),
    Column("crc", "int64", "CRC32C of a batch that was appended, or got an error or no response."),
    Column("is_transactional", "bool", "True if the batch belongs to a transaction."),
    Column("is_duplicate", "bool", "True if the batch was recognised as a retry and not appended."),
    Column("marker", "string", "`COMMIT` or `ABORT`, of a marker or an EndTxn."),
    Column("coordinator_epoch", "int32", "Epoch of the coordinator that wrote it."),
    Column("acks", "int16", "The acks of a Produce."),
    Column("base_offset", "int64", "First offset of the batch, of a duplicate's first copy, or of"
           " the batches that a Fetch returns; a group's offset."),
    Column("last_offset", "int64", "Last offset of the batch, or of those that a Fetch returns."),
    Column("log_start_offset", "int64", "The log start offset after the event."),
    Column("last_stable_offset", "int64", "The last stable offset after the event."),
    Column("high_watermark", "int64", "The high watermark after the event."),
    Column("log_end_offset", "int64", "The log end offset after the event."),
    Column("error", "string", "Name of the error code; `NONE` in a response without an error."),
    Column("rule", "string", "Name of the fault, also in the response that it changed or lost."),
    Column("effect", "string", "Effect of the fault."),
    Column("applied", "string", "When the request is applied: `before` the effect, `after` it (a"
           " hold), or `never`."),
    Column("state_before", "string", "State before the event, by Kafka's name, such as `Ongoing`."),
    Column("state_after", "string", "State after the event."),
    Column(
        "record_ids", "string",
        "Identities of an appended batch's records in order, as a JSON list with null for a record"
        " without one; where the journal is told what identifies records.",
    ),
    Column("detail", "string", "Further details, as a JSON object."),
)  # fmt: skip
"""All columns, in the order of `Entry`."""
