"""Items of a request: the partitions, topics, groups and transactional ids that it names.

A request is a tree of arrays. An item is a lowest element with a name, together with the names
above it: `{topic: orders, partition: 3, transactional_id: mine}`. A fault selects items, and the
other items of the request can be handled without them.

The names are derived from the declarations: a struct with `Topic` in its name has a topic's name or
id, an array of numbers inside it has partitions, and so on. A test checks them for every API.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from mockbroker.protocol.records.batch import HEADER_BYTES, MAGIC_V2, parse_batch_header
from mockbroker.protocol.schema.message import (
    Field,
    Kind,
    Message,
    Struct,
)
from mockbroker.protocol.types import NO_PRODUCER_ID, ZERO_UUID, BufferChain, Uuid

MessageT = TypeVar("MessageT", bound=Message)
StructT = TypeVar("StructT", bound=Struct)

Step: TypeAlias = tuple[str, int]
"""An array's name, and the index of the element in it."""
Path: TypeAlias = tuple[Step, ...]
TopicName: TypeAlias = Callable[[Uuid], str | None]
"""Gives the name of the topic that has an id."""

_PLAIN: Final[Mapping[str, str]] = {
    "base_sequence": "base_sequence",
    "group": "group",
    "group_id": "group",
    "producer_epoch": "producer_epoch",
    "producer_id": "producer_id",
    "transactional_id": "transactional_id",
    "v3_and_below_producer_epoch": "producer_epoch",
    "v3_and_below_producer_id": "producer_id",
    "v3_and_below_transactional_id": "transactional_id",
}
"""Fields with the same meaning everywhere, and their selectors."""

_BARE: Final[Mapping[str, str]] = {
    "group_ids": "group",
    "groups": "group",
    "groups_names": "group",
    "partition_ids": "partition",
    "partition_indexes": "partition",
    "partitions": "partition",
    "topic_names": "topic",
    "transactional_ids": "transactional_id",
}
"""Arrays of bare names or numbers."""

_TOPICS: Final = ("topic", "topic_name", "name")
_PARTITIONS: Final = ("partition", "partition_index", "partition_id", "index")
_RESOURCES: Final[Mapping[int, str]] = {2: "topic", 32: "group"}
"""Selectors for the resources of configs, by resource type."""
_STATES: Final = ("StateData", "StateSummaryData")
"""Structs of the share coordinator's APIs, which have a topic id."""
_NO_ITEMS: Final = frozenset({"assignments", "configs", "creations", "forgotten_topics_data"})
"""Arrays that describe their topic, whose responses are matched by position only, or that drop
partitions from a fetch session."""
_COORDINATOR_KEYS: Final = ("key", "coordinator_keys")
_KEY_TYPES: Final[Mapping[int, str]] = {0: "group", 1: "transactional_id"}
_OF_BATCH: Final = ("producer_id", "producer_epoch", "base_sequence")
"""Selectors for the header of a batch."""


class Item(NamedTuple):
    """One item of a request."""

    path: Path
    """Position of the item; empty for a request without other items than itself."""
    named: Mapping[str, object]
    """Names of the item, by selector."""


def items_of(request: Message, version: int, topic_name: TopicName) -> list[Item]:
    """List a request's items; a request without named elements is its own only item."""
    walk = _Walk(version, topic_name, getattr(request, "key_type", 0))
    named = walk.named(request)
    return list(walk.items(request, (), named)) or [Item((), named)]


def named_by(
    struct: Struct, version: int, topic_name: TopicName, *, is_in_topic: bool = False
) -> dict[str, object]:
    """Return the names that a struct of a request or response has itself, by selector."""
    return _Walk(version, topic_name, 0).named(struct, is_in_topic=is_in_topic)


def names_in(
    struct: type[Struct], version: int, inherited: Collection[str], *, is_in_topic: bool = False
) -> set[str]:
    """Return the selectors that the items of a request, or of a struct in one, can have.

    `inherited` are fields that items take over from the structs around them.
    """
    fields = _fields(struct, version)
    is_topic = _is_of_topics(struct)
    names = {selector for name, selector in _PLAIN.items() if name in fields}
    names |= {name for name in inherited if name in struct.FIELDS}
    if is_topic:
        names |= {"topic"}
    elif is_in_topic:
        names |= {"partition"}
    if "resource_name" in fields:
        names |= {*_RESOURCES.values()}
    if "key" in fields and issubclass(struct, Message):
        names |= {*_KEY_TYPES.values()}
    if "records" in fields:
        names |= {*_OF_BATCH}
    for name in _item_arrays(struct, version):
        element = fields[name].kind.element
        assert element is not None, name
        if element.struct is not None:
            names |= names_in(element.struct, version, inherited, is_in_topic=is_topic)
        elif name in _COORDINATOR_KEYS:
            names |= {*_KEY_TYPES.values()}
        else:
            names |= {_BARE[name]}
    return names


def is_of_topics(struct: type[Struct]) -> bool:
    """Return whether elements inside such structs are partitions of a topic."""
    return _is_of_topics(struct)


def subset(request: MessageT, paths: Collection[Path]) -> MessageT:
    """Copy a request with only the given items; other arrays do not change."""
    return _copied(request, frozenset(paths))


class _Walk(NamedTuple):
    """Traversal of a request of one version."""

    version: int
    topic_name: TopicName
    key_type: int

    def items(self, struct: Struct, path: Path, named: Mapping[str, object]) -> Iterator[Item]:
        """Yield the lowest items below a struct with these names; nothing if there are none."""
        is_topic = _is_of_topics(type(struct))
        for name in _item_arrays(type(struct), self.version):
            elements: Sequence[object] = getattr(struct, name) or ()
            for index, element in enumerate(elements):
                at = (*path, (name, index))
                if isinstance(element, Struct):
                    here = {**named, **self.named(element, is_in_topic=is_topic)}
                    below = list(self.items(element, at, here))
                    yield from below or [Item(at, here)]
                else:
                    yield Item(at, {**named, self._bare(name): element})

    def named(self, struct: Struct, *, is_in_topic: bool = False) -> dict[str, object]:
        """Return the names in a struct itself; a struct inside a topic is a partition."""
        fields = _fields(type(struct), self.version)
        named: dict[str, object] = {
            selector: getattr(struct, name) for name, selector in _PLAIN.items() if name in fields
        }
        if _is_of_topics(type(struct)):
            named |= self._topic(struct, fields)
        elif is_in_topic:
            name = next(name for name in _PARTITIONS if name in fields)
            named["partition"] = getattr(struct, name)
        if "resource_name" in fields:
            kind = _RESOURCES.get(getattr(struct, "resource_type"))  # noqa: B009
            named |= {} if kind is None else {kind: getattr(struct, "resource_name")}  # noqa: B009
        if "key" in fields and isinstance(struct, Message):
            named[self._bare("key")] = getattr(struct, "key")  # noqa: B009 - not of all structs
        if "records" in fields:
            named |= _of_batch(getattr(struct, "records"))  # noqa: B009
        return named

    def _topic(self, struct: Struct, fields: Mapping[str, Field]) -> dict[str, object]:
        topic_id = getattr(struct, "topic_id", ZERO_UUID) if "topic_id" in fields else ZERO_UUID
        if topic_id != ZERO_UUID:
            return {"topic": self.topic_name(topic_id)}
        name = next((name for name in _TOPICS if name in fields), None)
        return {} if name is None else {"topic": getattr(struct, name)}

    def _bare(self, name: str) -> str:
        if name in _COORDINATOR_KEYS:
            return _KEY_TYPES.get(self.key_type, "group")
        return _BARE[name]


def _of_batch(records: Any) -> dict[str, object]:
    """Return the producer's fields in the first batch of a partition's records."""
    if records is None or isinstance(records, BufferChain) or len(records) < HEADER_BYTES:
        # Chains are in responses of fetches only.
        return {}
    header = parse_batch_header(records)
    if header.magic != MAGIC_V2 or header.producer_id == NO_PRODUCER_ID:
        return {}
    return {
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
    }


@cache
def _fields(struct: type[Struct], version: int) -> Mapping[str, Field]:
    return {name: field for name, field in struct.FIELDS.items() if version in field.versions}


@cache
def _item_arrays(struct: type[Struct], version: int) -> tuple[str, ...]:
    """Return the arrays whose elements have names, or items below them."""
    return tuple(
        name
        for name, field in _fields(struct, version).items()
        if field.kind.element is not None
        and name not in _NO_ITEMS
        and _names_something(name, field.kind.element, version, struct)
    )


def _names_something(name: str, element: Kind, version: int, owner: type[Struct]) -> bool:
    if element.struct is None:
        if _BARE.get(name) == "partition":
            return _is_of_topics(owner)
        return name in _BARE or name in _COORDINATOR_KEYS
    struct = element.struct
    fields = _fields(struct, version)
    return (
        (_is_of_topics(struct) and any(key in fields for key in (*_TOPICS, "topic_id")))
        or (_is_of_topics(owner) and any(key in fields for key in _PARTITIONS))
        or any(key in fields for key in (*_PLAIN, "resource_name"))
        or bool(_item_arrays(struct, version))
    )


def _is_of_topics(struct: type[Struct]) -> bool:
    if issubclass(struct, Message):
        return False
    return "Topic" in struct.__name__ or struct.__name__.endswith(_STATES)


def _copied(struct: StructT, paths: frozenset[Path]) -> StructT:
    """Copy a struct; arrays that paths lead into have only the elements of the paths."""
    copy = type(struct)()
    for name in struct.FIELDS:
        setattr(copy, name, getattr(struct, name))
    for name in {path[0][0] for path in paths if path}:
        kept: dict[int, set[Path]] = {}
        for path in paths:
            if path and path[0][0] == name:
                kept.setdefault(path[0][1], set()).add(path[1:])
        elements = getattr(struct, name)
        setattr(copy, name, [_copied_element(elements[i], kept[i]) for i in sorted(kept)])
    return copy


def _copied_element(element: object, paths: set[Path]) -> object:
    return _copied(element, frozenset(paths)) if isinstance(element, Struct) else element
