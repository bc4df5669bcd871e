"""Worst requests: for each array of each API, a request that has thousands of elements in it."""

import uuid
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import encode, message_tree
from mockbroker.protocol.headers import RequestHeader, request_header_version
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.schema.composites import ArrayNode, NullableStructNode, StructNode
from mockbroker.protocol.schema.primitives import Node, Scalar, Sized, StringNode, UuidNode
from mockbroker.protocol.varint import write_uvarint

TOPIC: Final = "orders"
"""Topic that exists; half of the requests name it and its first partition in each element."""

_CLIENT_ID: Final = "worst"
_UNKNOWN_TAG: Final = write_uvarint(99) + write_uvarint(0)
_TOPIC_RESOURCE: Final = 2

Path: TypeAlias = tuple[str, ...]


class WorstRequest(NamedTuple):
    """Request of one API and version, without its size."""

    name: str
    frame: bytes


def worst_requests(api_key: ApiKey, version: int, count: int) -> Iterator[WorstRequest]:
    """Yield requests with `count` elements in one array, or as many tagged fields."""
    tree = message_tree(request_type(api_key), version)
    title = f"{api_key.name} v{version}"
    for path in _arrays(tree):
        for maker in (_Alike(path, count), _Distinct(path, count)):
            request = maker.value(tree, ())
            frame = _header(api_key, version) + encode(request, version)
            yield WorstRequest(f"{title} {'.'.join(path)} {maker.name}", frame)
    if tree.flexible:
        tags = write_uvarint(count) + _UNKNOWN_TAG * count
        body = encode(_Alike((), 0).value(tree, ()), version)
        header = _header(api_key, version)
        yield WorstRequest(f"{title} tagged fields", header + body[:-1] + tags)
        if request_header_version(api_key, version) > 1:
            yield WorstRequest(f"{title} tagged fields of the header", header[:-1] + tags + body)


def _header(api_key: ApiKey, version: int) -> bytes:
    header = RequestHeader(
        request_api_key=api_key,
        request_api_version=version,
        correlation_id=1,
        client_id=_CLIENT_ID,
    )
    return encode(header, request_header_version(api_key, version))


def _arrays(node: Node, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of the arrays below a node."""
    match node:
        case StructNode():
            for member, inner in node.untagged:
                yield from _arrays(inner, (*path, member.name))
        case NullableStructNode():
            yield from _arrays(node.inner, path)
        case ArrayNode():
            yield path
            yield from _arrays(node.element, path)
        case _:
            pass


class _Alike:
    """Maker of a request whose elements are all the same."""

    name = "alike"

    def __init__(self, path: Path, count: int) -> None:
        """Put `count` elements into the array at a path, one into those above and below it."""
        self._path = path
        self._count = count
        self.made = 0

    def value(self, node: Node, path: Path) -> Any:
        """Make the value of a node."""
        match node:
            case StructNode():
                return node.of(
                    **{
                        member.name: self.value(inner, (*path, member.name))
                        for member, inner in node.untagged
                    }
                )
            case NullableStructNode():
                return self.value(node.inner, path) if self._is_near(path) else None
            case ArrayNode():
                if node.nullable and not self._is_near(path):
                    return None
                count = self._count if path == self._path else int(self._is_near(path))
                return [self.value(node.element, path) for _ in range(count)]
            case Sized():
                return self.text(node)
            case _:
                assert isinstance(node, Scalar)
                return self.number(node)

    def _is_near(self, path: Path) -> bool:
        shared = min(len(path), len(self._path))
        return path[:shared] == self._path[:shared]

    def text(self, node: Sized) -> str | bytes | None:
        """Make a text, or bytes."""
        if isinstance(node, StringNode):
            return TOPIC
        return None if node.nullable else b""

    def number(self, node: Scalar) -> object:
        """Make a number, or a UUID."""
        if isinstance(node, UuidNode):
            return uuid.UUID(int=0)
        if node.kind == "bool":
            return True
        return _TOPIC_RESOURCE if node.kind == "int8" else 0


class _Distinct(_Alike):
    """Maker of a request whose elements are all different."""

    name = "distinct"

    def text(self, node: Sized) -> str | bytes | None:
        """Make a new text."""
        self.made += 1
        return f"n{self.made}" if isinstance(node, StringNode) else super().text(node)

    def number(self, node: Scalar) -> object:
        """Make a new number."""
        self.made += 1
        if isinstance(node, UuidNode):
            return uuid.UUID(int=self.made)
        if node.kind == "bool":
            return False
        return self.made if node.kind in {"int32", "int64"} else super().number(node)
