"""Recorded messages: values as JSON by our field names, and the bytes that Kafka wrote for them."""

import base64
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from mockbroker.protocol.codec import message_tree
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.schema.composites import ArrayNode, NullableStructNode, StructNode
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.schema.primitives import (
    BytesNode,
    Node,
    RecordsNode,
    UuidNode,
)

GOLDEN: Final = Path(__file__).with_name("messages.jsonl")
REFUSAL: Final = ApiError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "not for you")
"""Error of the recorded error responses."""

Write: TypeAlias = Callable[[Node, Any], Any]


class Recorded(NamedTuple):
    """One message in one version, as a release of Kafka wrote it, and its refusal of a request."""

    message: str
    version: int
    release: str
    value: Any
    data: bytes
    refusal: bytes | None


def recorded() -> list[Recorded]:
    """Read the golden file."""
    rows = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    return [
        Recorded(
            row["message"],
            row["version"],
            row["release"],
            row["value"],
            bytes.fromhex(row["bytes"]),
            bytes.fromhex(row["refusal"]) if "refusal" in row else None,
        )
        for row in rows
    ]


def fields_of(node: StructNode) -> list[tuple[str, Node]]:
    """Return Kafka's fields of a version, including tagged ones, in declaration order."""
    nodes = {member.name: inner for member, inner in node.untagged}
    nodes |= {member.name: inner for _, member, inner in node.tagged}
    return [
        (name, nodes[name])
        for name, field in node.of.FIELDS.items()
        if name in nodes and not field.is_extension
    ]


def written(node: Node, value: Any) -> Any:
    """Encode a value as JSON."""
    match node:
        case _ if value is None:
            return None
        case NullableStructNode():
            return written(node.inner, value)
        case StructNode():
            return {name: written(inner, getattr(value, name)) for name, inner in fields_of(node)}
        case ArrayNode():
            return [written(node.element, item) for item in value]
        case BytesNode() | RecordsNode():
            return base64.b64encode(value).decode()
        case UuidNode():
            return str(value)
        case _:
            return value


def value_of(message: type[Message], version: int, written_value: Any) -> Message:
    """Decode a message from JSON."""
    value: Message = _read(message_tree(message, version), written_value)
    return value


def _read(node: Node, value: Any) -> Any:
    match node:
        case _ if value is None:
            return None
        case NullableStructNode():
            return _read(node.inner, value)
        case StructNode():
            fields = fields_of(node)
            return node.of(**{name: _read(inner, value[name]) for name, inner in fields})
        case ArrayNode():
            return [_read(node.element, item) for item in value]
        case BytesNode() | RecordsNode():
            return base64.b64decode(value)
        case UuidNode():
            return uuid.UUID(value)
        case _:
            return value
