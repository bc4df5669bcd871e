"""Items of requests and responses, as values by the names of columns.

The fields of each requested item (a partition, a group), and of each item of the response with its
own error code, are derived from the declarations, as faults derive them. The batch headers of a
Produce are read at once, and a Fetch response is read without its records, because their buffers
are not stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple, cast

from mockbroker.broker.request_items import (
    Item,
    TopicName,
    is_of_topics,
    items_of,
    named_by,
)
from mockbroker.events.event_types import CallId
from mockbroker.journal.entry import authenticated
from mockbroker.journal.recorded import Facts, error_of
from mockbroker.protocol.error_response import ERROR_CODES
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsResponseTopic,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.metadata import MetadataResponseTopic
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.records.batch import (
    HEADER_BYTES,
    MAGIC_V2,
    batch_spans,
    parse_batch_header,
    read_prefix,
)
from mockbroker.protocol.schema.message import Field, Message, Struct
from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    ZERO_UUID,
    BatchHeader,
    Buffer,
    BufferChain,
    Uuid,
)

_OWN_COLUMNS: Final = frozenset(
    {"base_offset", "high_watermark", "last_stable_offset", "leader_epoch", "log_start_offset"}
)
"""Fields that are columns."""
_NAMES: Final = frozenset(
    {
        *("group", "group_id", "index", "key", "name", "partition", "partition_id"),
        *("partition_index", "producer_epoch", "producer_id", "resource_name", "topic"),
        *("topic_id", "topic_name", "transactional_id", "v3_and_below_producer_epoch"),
        *("v3_and_below_producer_id", "v3_and_below_transactional_id"),
    }
)
"""Fields that name items."""
_NO_PRODUCER: Final = {"producer_id": NO_PRODUCER_ID, "producer_epoch": NO_PRODUCER_EPOCH}
_COARSE: Final = (MetadataResponseTopic, DescribeTopicPartitionsResponseTopic)
"""Structs whose partitions describe a topic, and have no responses of their own."""


def call_facts(call: CallId | None) -> dict[str, object]:
    """Return who sent a request and which one it is, by column; nothing without a request."""
    if call is None:
        return {}
    number, broker, connection, client_id, api, version, correlation_id, principal = call
    return {
        "call": number,
        "broker": broker,
        "connection": connection,
        "client_id": client_id,
        "principal": authenticated(principal),
        "api": api,
        "version": version,
        "correlation_id": correlation_id,
    }


def batch_facts(header: BatchHeader) -> dict[str, object]:
    """Return the fields of a batch header, by column."""
    return {
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "record_count": header.record_count,
        "is_transactional": header.is_transactional,
    }


def request_facts(request: Message, version: int, topic_name: TopicName) -> list[Facts]:
    """Return the fields of each item of a request, or of the request if it has none."""
    if isinstance(request, ProduceRequest):
        return _produced(request, version, topic_name)
    return [
        {**item.named, **_fields_of(_chain(request, item), version)}
        for item in items_of(request, version, topic_name)
    ]


def _produced(request: ProduceRequest, version: int, topic_name: TopicName) -> list[Facts]:
    shared = {"transactional_id": request.transactional_id, "acks": request.acks}
    return [
        {
            **shared,
            **named_by(topic, version, topic_name),
            "partition": partition.index,
            **_of_records(partition.records),
        }
        for topic in request.topic_data
        for partition in topic.partition_data
    ] or [shared]


def _of_records(records: Buffer | BufferChain | None) -> Facts:
    if records is None or isinstance(records, BufferChain) or len(records) < HEADER_BYTES:
        return {}
    header = parse_batch_header(records)
    return {**batch_facts(header), "crc": header.crc} if header.magic == MAGIC_V2 else {}


def _chain(request: Struct, item: Item) -> list[Struct]:
    """Return the structs on the way to an item, the request first."""
    chain = [request]
    for name, index in item.path:
        element: object = getattr(chain[-1], name)[index]
        if not isinstance(element, Struct):
            break
        chain.append(element)
    return chain


def _fields_of(chain: Sequence[Struct], version: int) -> dict[str, object]:
    """Return the fields of structs that are not names: those with columns, the rest as `detail`."""
    detail: dict[str, object] = {}
    facts: dict[str, object] = {}
    for struct in chain:
        for name, field in _scalars(type(struct), version).items():
            value = getattr(struct, name)
            if name in _OWN_COLUMNS:
                facts[name] = value
            elif value != field.initial():
                detail[name] = str(value) if isinstance(value, Uuid) else value
    if isinstance(chain[0], EndTxnRequest):
        detail.pop("committed", None)
        facts["marker"] = "COMMIT" if chain[0].committed else "ABORT"
    if detail:
        facts["detail"] = detail
    return facts


@cache
def _scalars(struct: type[Struct], version: int) -> Mapping[str, Field]:
    return {
        name: field
        for name, field in struct.FIELDS.items()
        if version in field.versions
        and field.kind.element is None
        and field.kind.struct is None
        and field.kind.name not in {"bytes", "records"}
        and name not in _NAMES
        and name not in ERROR_CODES
    }


# Answers


class _Level(NamedTuple):
    """Names and error on the path to an item of a response."""

    named: Mapping[str, object]
    error: int | None
    chain: tuple[Struct, ...]


def answer_facts(
    response: Message, asked: Sequence[Facts], version: int, topic_name: TopicName
) -> list[Facts]:
    """Return the fields of each item of a response, with those of the request's item."""
    if isinstance(response, FetchResponse):
        answered: list[Facts] = _fetched(response, asked, topic_name)
    else:
        levels = _answers(response, version, topic_name, _Level({}, None, ()))
        answered = [
            {
                **_known(level.named),
                **_fields_of(level.chain, version),
                "error": error_of(level.error or 0),
            }
            for level in levels
        ]
    return _with_asked(answered, asked)


def _known(named: Mapping[str, object]) -> Facts:
    """Return the names in a response; with an error there is no producer: the request's stays."""
    return {
        name: value
        for name, value in named.items()
        if value is not None and value != _NO_PRODUCER.get(name)
    }


def _answers(
    struct: Struct, version: int, topic_name: TopicName, above: _Level, *, is_in_topic: bool = False
) -> Iterator[_Level]:
    """Yield the lowest levels that have error codes, or the response itself."""
    named = {**above.named, **named_by(struct, version, topic_name, is_in_topic=is_in_topic)}
    own = next((getattr(struct, n) for n in ERROR_CODES if n in _codes(type(struct), version)), 0)
    here = _Level(named, own or above.error, (*above.chain, struct))
    has_items = False
    in_topic = is_of_topics(type(struct))
    for name in _arrays(type(struct), version):
        for element in cast("Sequence[Struct] | None", getattr(struct, name)) or ():
            has_items = True
            yield from _answers(element, version, topic_name, here, is_in_topic=in_topic)
    if not has_items:
        yield here


@cache
def _codes(struct: type[Struct], version: int) -> frozenset[str]:
    fields = struct.FIELDS
    return frozenset(n for n in ERROR_CODES if n in fields and version in fields[n].versions)


@cache
def _arrays(struct: type[Struct], version: int) -> tuple[str, ...]:
    """Return the arrays with error codes below them."""
    if issubclass(struct, _COARSE):
        return ()
    found: list[str] = []
    for name, field in struct.FIELDS.items():
        element = None if field.kind.element is None else field.kind.element.struct
        if version in field.versions and element is not None:
            below = _codes(element, version) or _arrays(element, version)
            found += [name] if below else []
    return tuple(found)


def _fetched(response: FetchResponse, asked: Sequence[Facts], topic_name: TopicName) -> list[Facts]:
    answered: list[Facts] = []
    detail: Facts = cast("Facts", asked[0].get("detail", {})) if asked else {}
    isolation: dict[str, object] = {
        name: detail[name] for name in ("isolation_level",) if name in detail
    }
    for topic in response.responses:
        by_id = topic.topic_id != ZERO_UUID
        name = topic_name(topic.topic_id) if by_id else topic.topic
        for partition in topic.partitions:
            records = partition.records
            answered.append(
                {
                    "topic": name,
                    "partition": partition.partition_index,
                    "error": error_of(partition.error_code),
                    "high_watermark": partition.high_watermark,
                    "last_stable_offset": partition.last_stable_offset,
                    "log_start_offset": partition.log_start_offset,
                    **_span(records),
                    "detail": {"bytes": 0 if records is None else len(records), **isolation},
                }
            )
    return answered or [{"error": error_of(response.error_code)}]


def _span(records: Buffer | BufferChain | None) -> Facts:
    """Return the first and the last offset of whole batches, or of messages of older formats."""
    buffers = records.buffers if isinstance(records, BufferChain) else [records or b""]
    with suppress(DecodeError):  # a fault may have changed the bytes
        last = next((at for at in map(_last_offset, reversed(buffers)) if at is not None), None)
        if last is not None:
            return {"base_offset": read_prefix(buffers[0])[0], "last_offset": last}
    return {}


def _last_offset(buffer: Buffer) -> int | None:
    starts = [start for start, _ in batch_spans(buffer)]
    if not starts:
        return None
    start = starts[-1]
    offset, _, _, magic = read_prefix(buffer, start)
    is_batch = magic == MAGIC_V2
    return int(offset + (parse_batch_header(buffer, start).last_offset_delta if is_batch else 0))


def _with_asked(answered: list[Facts], asked: Sequence[Facts]) -> list[Facts]:
    """Add the names in the request to each item of a response."""
    if len(answered) == len(asked):
        return [{**_without_detail(a), **b} for a, b in zip(asked, answered, strict=True)]
    by_place = {(facts.get("topic"), facts.get("partition")): facts for facts in asked}
    shared = _shared(asked)
    return [
        {**shared, **_without_detail(by_place.get((f.get("topic"), f.get("partition")), {})), **f}
        for f in answered
    ]


def _shared(asked: Sequence[Facts]) -> Facts:
    """Return the fields that are equal in all items."""
    first: Facts = asked[0] if asked else {}
    return {
        name: value
        for name, value in _without_detail(first).items()
        if all(facts.get(name) == value for facts in asked)
    }


def _without_detail(facts: Facts) -> Facts:
    return {name: value for name, value in facts.items() if name != "detail"}
