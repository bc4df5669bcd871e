"""Error response of any API, derived from its declaration.

Kafka writes these by hand for each API (`getErrorResponse`). Nearly all follow one rule: the code
goes into the highest level that has a field for it. If that level is an array, the response has one
element for each element of the request, with the same keys.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Final, cast

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.codegen import PacedItems
from mockbroker.protocol.schema.message import (
    Field,
    Message,
    Struct,
    Versions,
)

ERROR_CODES: Final = ("error_code", "partition_error_code")
_ERROR_MESSAGE: Final = "error_message"

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "entity": ("entity",),
    "entity_name": ("entity_name",),
    "entity_type": ("entity_type",),
    "group_id": ("group_id",),
    "index": ("index",),
    "key": ("key",),
    "name": ("name",),
    "partition": ("partition",),
    "partition_id": ("partition_id",),
    "partition_index": ("partition_index", "partition"),
    "producer_id": ("producer_id",),
    "resource_name": ("resource_name",),
    "resource_type": ("resource_type",),
    "topic": ("topic",),
    "topic_id": ("topic_id",),
    "topic_name": ("topic_name", "name"),
    "transactional_id": ("transactional_id",),
    "user": ("name",),
}
"""Fields that identify an element of a response, and their names in the request."""

_SOURCES: Final[Mapping[tuple[ApiKey, str], tuple[str, ...]]] = {
    (ApiKey.ALTER_REPLICA_LOG_DIRS, "results"): ("dirs.topics",),
    (ApiKey.ALTER_USER_SCRAM_CREDENTIALS, "results"): ("deletions", "upsertions"),
    (ApiKey.DESCRIBE_LOG_DIRS, "results"): (),
}
"""Request arrays that a response array corresponds to, if not the request's first one."""

_NEVER: Final = Versions.parse("none")

_ITEMS_TOO: Final[Mapping[ApiKey, Versions]] = {
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Versions.parse("0+"),
    ApiKey.ELECT_LEADERS: Versions.parse("0+"),
    ApiKey.FETCH: Versions.parse("0-12"),
    ApiKey.METADATA: Versions.parse("0+"),
}
"""Versions in which Kafka sets the code at the top level and in the elements."""

_OPEN: Final[Mapping[ApiKey, Mapping[str, object]]] = {
    ApiKey.CREATE_DELEGATION_TOKEN: {
        "principal_type": "User",
        "principal_name": "ANONYMOUS",
        "token_requester_principal_type": "User",
        "token_requester_principal_name": "ANONYMOUS",
        "issue_timestamp_ms": -1,
        "expiry_timestamp_ms": -1,
        "max_timestamp_ms": -1,
    },
    ApiKey.DELETE_RECORDS: {"low_watermark": -1},
    ApiKey.DESCRIBE_CLIENT_QUOTAS: {"entries": None},
    ApiKey.FETCH: {"high_watermark": -1, "records": b""},
    ApiKey.FIND_COORDINATOR: {"node_id": -1, "port": -1},
    ApiKey.INIT_PRODUCER_ID: {"producer_epoch": -1},
    ApiKey.JOIN_GROUP: {"protocol_name": None},
    ApiKey.OFFSET_FETCH: {"committed_offset": -1},
    ApiKey.PRODUCE: {"base_offset": -1},
    ApiKey.SHARE_FETCH: {"records": b""},
}
"""Values that Kafka sets in the other fields of an error response, if not the defaults."""

_ECHOED: Final = ("session_id",)
"""Fields that an error response copies from its request."""


def error_levels(api_key: ApiKey, version: int) -> tuple[str, ...]:
    """List the error codes: `error_code`, `topics[].partitions[].error_code`."""
    return tuple(_levels(response_type(api_key), version, ""))


def error_response(
    request: Message,
    version: int,
    error: ApiError,
    *,
    deepest: bool = False,
    paced: PacedItems = iter,
) -> Message:
    """Build the response that reports one error for a request, or for every element of it.

    The code goes into the highest level that has a field for it. With `deepest` it goes into the
    lowest level that the request has elements for: every partition, if the request lists
    partitions. `paced` yields the elements of the request.
    """
    assert request.API is not None, request
    response = response_type(request.API)()
    _Refusal(request.API, version, error, paced, deepest).put(response, request)
    for name in _ECHOED:
        if name in response.FIELDS and name in request.FIELDS:
            setattr(response, name, getattr(request, name))
    return response


def _levels(struct: type[Struct], version: int, path: str) -> Iterator[str]:
    for name, field in _fields(struct, version).items():
        if name in ERROR_CODES:
            yield path + name
        element = _element(field)
        if element is not None:
            yield from _levels(element, version, f"{path}{name}[].")


@cache
def _fields(struct: type[Struct], version: int) -> Mapping[str, Field]:
    return {name: field for name, field in struct.FIELDS.items() if version in field.versions}


def _element(field: Field) -> type[Struct] | None:
    """Return the struct of an array field, or None."""
    return None if field.kind.element is None else field.kind.element.struct


@dataclass(frozen=True, slots=True)
class _Refusal:
    """One error to write into the response of one API and version."""

    api_key: ApiKey
    version: int
    error: ApiError
    paced: PacedItems
    deepest: bool = False

    def put(self, answer: Struct, asked: Struct) -> None:
        """Set the error in a struct or, if it has no field for it, in each of its elements."""
        fields = _fields(type(answer), self.version)
        for name, value in _OPEN.get(self.api_key, {}).items():
            if name in fields and (value is not None or self.version in fields[name].nullable):
                setattr(answer, name, value)
        if self.deepest and self.put_into_items(answer, asked):
            return
        code_name = next((name for name in ERROR_CODES if name in fields), None)
        if code_name is not None:
            setattr(answer, code_name, int(self.error.code))
            if _ERROR_MESSAGE in fields:
                setattr(answer, _ERROR_MESSAGE, self.error.why or None)
        if code_name is None or (isinstance(asked, Message) and self._items_have_it_too()):
            self.put_into_items(answer, asked)

    def _items_have_it_too(self) -> bool:
        return self.version in _ITEMS_TOO.get(self.api_key, _NEVER)

    def put_into_items(self, answer: Struct, asked: Struct) -> bool:
        """Add an error element for each requested one; return False if there are none."""
        found = False
        for name, field in _fields(type(answer), self.version).items():
            element = _element(field)
            if element is not None and any(_levels(element, self.version, "")):
                asked_items = self.paced(self._items_asked(asked, name))
                items = [self._refused(element, item) for item in asked_items]
                setattr(answer, name, items)
                found = found or bool(items)
        return found

    def _items_asked(self, asked: Struct, answered: str) -> Iterator[object]:
        """Yield the request elements that a response array corresponds to."""
        fields = _fields(type(asked), self.version)
        sources: Sequence[str] = [name for name, field in fields.items() if field.kind.element][:1]
        if isinstance(asked, Message):
            sources = _SOURCES.get((self.api_key, answered), sources)
        for source in sources:
            outer, _, inner = source.partition(".")
            for item in getattr(asked, outer) or ():
                yield from getattr(item, inner) if inner else (item,)

    def _refused(self, element: type[Struct], item: object) -> Struct:
        """Build the response element for a request element, which is a struct or a bare key."""
        answer = element()
        if isinstance(item, Struct):
            _copy_keys(answer, item, self.version)
            self.put(answer, item)
        else:
            key = _key_of_kind(element, self.version, item)
            if key is not None:
                setattr(answer, key, item)
            self.put(answer, answer)
        return answer


def _key_of_kind(element: type[Struct], version: int, item: object) -> str | None:
    """Return the field for a bare key; elements identified by position only have none."""
    for name, field in _fields(element, version).items():
        if name in KEYS and isinstance(item, type(field.kind.default)):
            return name
    return None


def _copy_keys(answer: Struct, item: Struct, version: int) -> None:
    """Copy the key fields of a request element into its response element."""
    fields, given = _fields(type(answer), version), _fields(type(item), version)
    for name, field in fields.items():
        source = next((key for key in KEYS.get(name, ()) if key in given), None)
        if source is not None:
            setattr(answer, name, _key(field, getattr(item, source), version))


def _key(field: Field, value: Any, version: int) -> object:
    """Convert a key for its response field: null becomes the default, structs are copied."""
    if value is None:
        return None if version in field.nullable else field.kind.default
    element = _element(field)
    if element is None:
        return value
    items: Sequence[Struct] = value
    keys = [element() for _ in items]
    for key, item in zip(keys, items, strict=True):
        _copy_keys(key, item, version)
    return keys


def errors_in(response: Struct) -> Iterator[ErrorCode]:
    """Yield every error code of a response, NONE included, level by level."""
    for name in response.FIELDS:
        value = getattr(response, name)
        if name in ERROR_CODES:
            yield ErrorCode(value)
        elif isinstance(value, Struct):
            yield from errors_in(value)
        elif isinstance(value, list):
            elements = cast("list[object]", value)
            yield from chain.from_iterable(errors_in(e) for e in elements if isinstance(e, Struct))


def first_error(response: Struct) -> ErrorCode:
    """Return the first error of a response, or NONE."""
    return next((code for code in errors_in(response) if code), ErrorCode.NONE)
