"""Every declared message, with values generated from a seed."""

import random
import uuid
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final, TypeAlias

from mockbroker.protocol import consumer_protocol, headers, log_records
from mockbroker.protocol.codec import message_tree
from mockbroker.protocol.dump.decode import declared_api_keys
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.schema.composites import ArrayNode, NullableStructNode, StructNode
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.schema.primitives import (
    Node,
    RecordsNode,
    Scalar,
    Sized,
    StringNode,
    UuidNode,
)

Case: TypeAlias = tuple[type[Message], int]

_RANGES: Final = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_ALPHABET: Final = "abcXYZ019._-/ äß€漢🙂"
OLD_RECORD: Final = bytes.fromhex("0000000000000000 0000000f d20cbff5 00 00 ffffffff 00000001 76")
"""Message set of one record without a key (magic 0), valid in every version."""


@cache
def api_messages() -> tuple[type[Message], ...]:
    """List the request and the response of every API."""
    keys = tuple(declared_api_keys())
    return tuple(find(key) for key in keys for find in (request_type, response_type))


@cache
def other_messages() -> tuple[type[Message], ...]:
    """List the headers, the records of internal topics and the blobs of consumers."""
    names = [
        f"{log_records.__name__}.{module.name}" for module in iter_modules(log_records.__path__)
    ]
    modules = [headers, consumer_protocol, *map(import_module, names)]
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Message) and value is not Message
    )


def all_messages() -> tuple[type[Message], ...]:
    """List every message."""
    return api_messages() + other_messages()


def kafkas_messages() -> tuple[type[Message], ...]:
    """List the messages that Kafka has as well."""
    return tuple(m for m in all_messages() if m.API is None or not m.API.is_extension)


def versions(message: type[Message]) -> range:
    """Return the versions of a message."""
    assert message.VERSIONS.last is not None, message
    return range(message.VERSIONS.first, message.VERSIONS.last + 1)


def cases(*messages: type[Message]) -> Iterator[Case]:
    """Yield each message in all of its versions."""
    return ((message, version) for message in messages for version in versions(message))


class ValueMaker:
    """Generator of values of messages: random, or the smallest (`small`: null, empty, zero).

    Without `extensions`, fields that Kafka does not have keep their initial values.
    """

    def __init__(self, seed: str, *, small: bool = False, extensions: bool = True) -> None:
        """Generate the same values for the same seed."""
        self._extensions = extensions
        self._random = random.Random(seed)
        self._small = small

    def message(self, message: type[Message], version: int) -> Any:
        """Generate a message in one version; fields that the version lacks have their defaults."""
        return self._value(message_tree(message, version))

    def _value(self, node: Node) -> Any:
        match node:
            case StructNode():
                nodes = [*node.untagged, *((member, inner) for _, member, inner in node.tagged)]
                return node.of(
                    **{
                        member.name: self._value(inner)
                        for member, inner in nodes
                        if self._extensions or not member.field.is_extension
                    }
                )
            case NullableStructNode():
                return None if self._is_null() else self._value(node.inner)
            case ArrayNode():
                if node.nullable and self._is_null():
                    return None
                return [self._value(node.element) for _ in range(self._size(3))]
            case Sized():
                return None if node.nullable and self._is_null() else self._text_or_bytes(node)
            case Scalar():
                return self._scalar(node)
            case _:
                raise AssertionError(node)

    def _is_null(self) -> bool:
        return self._small or self._random.random() < 0.25

    def _size(self, most: int) -> int:
        return 0 if self._small else self._random.randint(0, most)

    def _text_or_bytes(self, node: Sized) -> str | bytes:
        # Sometimes more than the 126 bytes of a one-byte compact length.
        size = self._size(300 if self._random.random() < 0.05 else 12)
        if isinstance(node, StringNode):
            return "".join(self._random.choices(_ALPHABET, k=size))
        return self._random.randbytes(size)

    def _scalar(self, node: Scalar) -> object:
        if isinstance(node, UuidNode):
            return uuid.UUID(int=0 if self._small else self._random.getrandbits(128))
        if node.kind == "bool":
            return not self._small and self._random.random() < 0.5
        if node.kind == "float64":
            return 0.0 if self._small else self._random.uniform(-1e9, 1e9)
        first, last = _RANGES[node.kind]
        pick = self._random.choice((0, 1, first, last, self._random.randint(first, last)))
        return 0 if self._small else pick


class TameValueMaker(ValueMaker):
    """Generator of values that pass Kafka's own checks: small numbers, short names, two items."""

    def __init__(self, seed: str) -> None:
        """Generate the same values for the same seed."""
        super().__init__(seed, extensions=False)
        self._count = 0

    def _is_null(self) -> bool:
        return False

    def _size(self, most: int) -> int:
        return min(most, 2)

    def _text_or_bytes(self, node: Sized) -> str | bytes:
        self._count += 1
        if isinstance(node, RecordsNode):
            return OLD_RECORD
        return f"t{self._count}" if isinstance(node, StringNode) else b"b%d" % self._count

    def _scalar(self, node: Scalar) -> object:
        if isinstance(node, UuidNode) or node.kind in ("bool", "float64"):
            return super()._scalar(node)
        self._count += 1
        # Kafka converts items to maps: possible ids are unique.
        return self._count if node.kind in ("int32", "int64") else self._count % 2 + 2
