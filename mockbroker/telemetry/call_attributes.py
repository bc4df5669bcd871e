"""Attributes of requests and responses, from the fields of their items as the journal has them."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from mockbroker.broker.call import ANONYMOUS
from mockbroker.events.event_types import CallId
from mockbroker.journal.recorded import Facts
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.telemetry import attributes as names

ITEMS_MAX: Final = 20
"""Partitions and errors that a span names."""
_OPERATION_TYPES: Final[Mapping[ApiKey, str]] = {
    ApiKey.FETCH: "receive",
    ApiKey.OFFSET_COMMIT: "settle",
    ApiKey.PRODUCE: "send",
    ApiKey.SHARE_ACKNOWLEDGE: "settle",
    ApiKey.SHARE_FETCH: "receive",
    ApiKey.TXN_OFFSET_COMMIT: "settle",
}

Values: TypeAlias = dict[str, str | int | Sequence[str]]


def call_attributes(call: CallId) -> Values:
    """Return the attributes that the header of a request decides."""
    values: Values = {
        names.API_KEY: int(call.api),
        names.API_VERSION: call.version,
        names.BROKER: call.broker,
        names.CALL: call.number,
        names.CORRELATION_ID: call.correlation_id,
        names.MESSAGING_SYSTEM: names.KAFKA,
        names.OPERATION_NAME: call.api.title,
        names.PROTOCOL: names.KAFKA,
        names.RPC_METHOD: call.api.title,
        names.RPC_SYSTEM: names.KAFKA,
    }
    if call.api in _OPERATION_TYPES:
        values[names.OPERATION_TYPE] = _OPERATION_TYPES[call.api]
    if call.client_id is not None:
        values[names.CLIENT_ID] = call.client_id
    if call.principal != ANONYMOUS:
        values[names.PRINCIPAL] = call.principal
    if not call.is_between_brokers:
        values[names.CONNECTION] = call.connection
        values[names.TRANSPORT] = names.TCP
    return values


def request_attributes(items: Sequence[Facts]) -> Values:
    """Return the attributes of the items of a request."""
    values: Values = {}
    for column, name in (
        ("group", names.GROUP),
        ("marker", names.MARKER),
        ("producer_epoch", names.PRODUCER_EPOCH),
        ("producer_id", names.PRODUCER_ID),
        ("topic", names.DESTINATION),
        ("transactional_id", names.TRANSACTIONAL_ID),
    ):
        value = _single(items, column)
        if isinstance(value, str | int) and value != "":
            values[name] = value
    partitions = list(dict.fromkeys(filter(None, map(_partition, items))))
    if partitions:
        values[names.PARTITIONS] = partitions[:ITEMS_MAX]
        values[names.PARTITION_COUNT] = len(partitions)
    if len(partitions) == 1 and names.DESTINATION in values:
        values[names.PARTITION] = partitions[0].rpartition("-")[2]
    counts = [count for item in items if isinstance(count := item.get("record_count"), int)]
    if counts:
        values[names.MESSAGE_COUNT] = sum(counts)
    return values


def answer_attributes(items: Sequence[Facts]) -> Values:
    """Return the attributes of the items of a response: the errors, and which has them."""
    failed = [item for item in items if _error(item) is not ErrorCode.NONE]
    first = _error(failed[0]).name if failed else ErrorCode.NONE.name
    values: Values = {names.RPC_STATUS: first}
    if failed:
        values[names.ERROR_TYPE] = first
        texts = (f"{_partition(item)} {_error(item).name}".strip() for item in failed)
        values[names.ERRORS] = list(dict.fromkeys(texts))[:ITEMS_MAX]
    return values


def _single(items: Sequence[Facts], column: str) -> object:
    """Return the value that all items have which have one; None if they differ."""
    values = {item[column] for item in items if item.get(column) is not None}
    return values.pop() if len(values) == 1 else None


def _partition(item: Facts) -> str:
    topic, partition = item.get("topic"), item.get("partition")
    return "" if topic is None or partition is None else f"{topic}-{partition}"


def _error(item: Facts) -> ErrorCode:
    error = item.get("error")
    return error if isinstance(error, ErrorCode) else ErrorCode.NONE
