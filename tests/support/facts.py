"""Contents of Kafka's message files, from the extract under tests/facts."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from mockbroker.protocol.schema.message import Versions

_FOLDER: Final = Path(__file__).parents[1] / "facts"
SOURCES: Final = ("4.4.0", "2.4.1", "log")
"""Sources of messages, newest first: a version in two sources is taken from the newer one."""

OLD_MESSAGES: Final = {
    "ListOffsetsRequest": "ListOffsetRequest",
    "ListOffsetsResponse": "ListOffsetResponse",
}
"""Names that differ in 2.4.1."""

INTER_BROKER: Final = frozenset(
    {"LeaderAndIsr", "StopReplica", "UpdateMetadata", "ControlledShutdown", "AlterPartition"}
)
"""APIs that are advertised, but sent by brokers only."""


class FieldFacts(NamedTuple):
    """What one field of one version is; `fields` are those of a struct."""

    name: str
    kind: str
    nullable: bool
    tag: int | None
    default: object
    compact: bool
    fields: "tuple[FieldFacts, ...] | None"


def read(name: str) -> Any:
    """Read one file of the extract."""
    return json.loads((_FOLDER / name).read_text("utf-8"))


@cache
def messages(source: str) -> dict[str, Any]:
    """Return the message files of a source (`4.4.0`, `2.4.1`, `log`) by name."""
    return {message["name"]: message for message in read(f"messages-{source}.json")}


def files_of(name: str) -> dict[str, Any]:
    """Return the message files that contain a message, by source, newest first."""
    found = {
        source: messages(source).get(OLD_MESSAGES.get(name, name) if source == "2.4.1" else name)
        for source in SOURCES
    }
    return {source: file for source, file in found.items() if file is not None}


def file_of(name: str, version: int) -> tuple[str, Any]:
    """Return the newest message file with a version of a message, and its source."""
    for source, file in files_of(name).items():
        if _has(file["validVersions"], version):
            return source, file
    raise LookupError(f"no message file has {name} v{version}")


@cache
def advertised() -> dict[str, tuple[int, str, set[int]]]:
    """Return key, name and versions of every API that is advertised to clients, by name."""
    found: dict[str, tuple[int, str, set[int]]] = {}
    for path in sorted(_FOLDER.glob("apiversions-*.json")):
        for api in json.loads(path.read_text("utf-8"))["apis"]:
            if api["name"] not in INTER_BROKER:
                _, _, versions = found.setdefault(api["name"], (api["key"], api["name"], set()))
                versions |= set(range(api["min"], api["max"] + 1))
    return found


def snake(name: str) -> str:
    """Convert one of Kafka's names to Python's case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def fields_of(message: Any, version: int) -> tuple[FieldFacts, ...]:
    """Return the fields of one version of a message file, in wire order."""
    shared = {struct["name"]: struct["fields"] for struct in message.get("commonStructs", [])}
    flexible = _has(message["flexibleVersions"], version)
    return _fields(message["fields"], shared, version, flexible=flexible)


def _has(text: str, version: int) -> bool:
    return version in Versions.parse(text)


def _fields(
    fields: list[Any], shared: dict[str, list[Any]], version: int, *, flexible: bool
) -> tuple[FieldFacts, ...]:
    found: list[FieldFacts] = []
    for field in fields:
        tagged = field.get("taggedVersions", "none")
        if not _has(field.get("versions", tagged), version):
            continue
        own = field.get("flexibleVersions")
        compact = flexible if own is None else _has(own, version)
        base = field["type"].removeprefix("[]")
        inner = field.get("fields") or shared.get(base)
        found.append(
            FieldFacts(
                snake(field["name"]),
                field["type"],
                _has(field.get("nullableVersions", "none"), version),
                field["tag"] if _has(tagged, version) else None,
                default_of(field, is_struct=inner is not None),
                compact,
                None if inner is None else _fields(inner, shared, version, flexible=compact),
            )
        )
    return tuple(found)


def default_of(field: Any, *, is_struct: bool) -> object:
    """Return a field's default; `[]` for a list, `{}` for a struct's own."""
    kind, default = field["type"], field.get("default")
    # Kafka's generator ignores an unquoted null as a default, as its bytes show.
    text = "" if default is None else str(default)
    if text == "null" or (kind == "records" and not text):
        return None
    if kind.startswith("[]") or is_struct:
        assert not text, field
        return "[]" if kind.startswith("[]") else "{}"
    if kind in ("string", "bytes", "uuid"):
        assert kind == "string" or not text, field
        return {"string": text, "bytes": b"", "uuid": "zero"}[kind]
    if kind == "bool":
        return text.lower() == "true"
    return float(text or 0) if kind == "float64" else int(text or "0", 0)
