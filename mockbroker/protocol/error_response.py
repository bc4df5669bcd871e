"""The response that refuses a request with one error code, made from the declarations.

Kafka writes such a response by hand for each API (`getErrorResponse`). Nearly all follow one rule:
the code goes to the highest level that has a field for it. Where that is a level of items, each
item of the request has one in the response, with the same keys.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema import Field, Message, Struct, Versions

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
"""The fields that tell one item of a response from another, and their names in the request."""

_SOURCES: Final[Mapping[tuple[ApiKey, str], tuple[str, ...]]] = {
    (ApiKey.ALTER_REPLICA_LOG_DIRS, "results"): ("dirs.topics",),
    (ApiKey.ALTER_USER_SCRAM_CREDENTIALS, "results"): ("deletions", "upsertions"),
    (ApiKey.DESCRIBE_LOG_DIRS, "results"): (),
}
"""What an array of the response answers where it is not the request's first array, item by item."""

_NEVER: Final = Versions.parse("none")

_ITEMS_TOO: Final[Mapping[ApiKey, Versions]] = {
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Versions.parse("0+"),
    ApiKey.ELECT_LEADERS: Versions.parse("0+"),
    ApiKey.FETCH: Versions.parse("0-12"),
    ApiKey.METADATA: Versions.parse("0+"),
}
"""Where Kafka puts the code at the top and into the items as well."""

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
"""What Kafka writes into fields that a refusal leaves open, where it is not their default."""

_ECHOED: Final = ("session_id",)
"""What a response has from its request even in a refusal."""


def error_levels(api_key: ApiKey, version: int) -> tuple[str, ...]:
    """List where a response has an error code: `error_code`, `topics[].partitions[].error_code`."""
    return tuple(_levels(response_type(api_key), version, ""))


def error_response(
    request: Message, version: int, error: ApiError, *, deepest: bool = False
) -> Message:
    """Make the response that refuses a request, or every item of it, with one error code.

    The code goes to the highest level that has a field for it; with `deepest`, to the lowest of
    those that the request has items for: to every partition, where it names partitions.
    """
    assert request.API is not None, request
    response = response_type(request.API)()
    _Refusal(request.API, version, error, deepest).put(response, request)
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
    """Give the struct of which a field is an array, if it is one."""
    return None if field.kind.element is None else field.kind.element.struct


@dataclass(frozen=True, slots=True)
class _Refusal:
    """One error on its way into the response of one API and version."""

    api_key: ApiKey
    version: int
    error: ApiError
    deepest: bool = False

    def put(self, answer: Struct, asked: Struct) -> None:
        """Put the error into an answer or, if it has no field for one, into each of its items."""
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
        """Give an answer one refused item for each one asked for; tell whether there were any."""
        found = False
        for name, field in _fields(type(answer), self.version).items():
            element = _element(field)
            if element is not None and any(_levels(element, self.version, "")):
                items = [self._refused(element, item) for item in self._items_asked(asked, name)]
                setattr(answer, name, items)
                found = found or bool(items)
        return found

    def _items_asked(self, asked: Struct, answered: str) -> Iterator[object]:
        """Go through the items of a request, or of one of its items, that an array answers."""
        fields = _fields(type(asked), self.version)
        sources: Sequence[str] = [name for name, field in fields.items() if field.kind.element][:1]
        if isinstance(asked, Message):
            sources = _SOURCES.get((self.api_key, answered), sources)
        for source in sources:
            outer, _, inner = source.partition(".")
            for item in getattr(asked, outer) or ():
                yield from getattr(item, inner) if inner else (item,)

    def _refused(self, element: type[Struct], item: object) -> Struct:
        """Make the answer to one item of a request, which is a struct or a bare key."""
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
    """Find the field for a bare key; items that only their order tells apart have none."""
    for name, field in _fields(element, version).items():
        if name in KEYS and isinstance(item, type(field.kind.default)):
            return name
    return None


def _copy_keys(answer: Struct, item: Struct, version: int) -> None:
    """Give an answer the keys of the item that it answers."""
    fields, given = _fields(type(answer), version), _fields(type(item), version)
    for name, field in fields.items():
        source = next((key for key in KEYS.get(name, ()) if key in given), None)
        if source is not None:
            setattr(answer, name, _key(field, getattr(item, source), version))


def _key(field: Field, value: Any, version: int) -> object:
    """Give a key as its field can hold it: never null where it may not be, structs made anew."""
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
