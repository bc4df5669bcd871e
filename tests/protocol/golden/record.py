"""Record the bytes of Kafka's own classes: `python -m tests.protocol.golden.record`.

Needs Java 17 and, for the jars on first use, Maven. Versions that 4.4.0 supports are written by its
generated classes, older ones by the schemas of 2.4.1. Requests are recorded with Kafka's error
response for them.
"""

import base64
import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mockbroker.protocol.codec import message_tree
from mockbroker.protocol.schema.composites import ArrayNode, NullableStructNode, StructNode
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.schema.primitives import Node, UuidNode
from tests.protocol.golden.stored import GOLDEN, REFUSAL, fields_of, written
from tests.support.declared import (
    TameValueMaker,
    ValueMaker,
    cases,
    kafkas_messages,
)
from tests.support.facts import file_of, snake
from tools.kafka_releases import fetch

PROGRAMS: Final = {"4.4.0": "RecordMessages.java", "2.4.1": "RecordOldMessages.java"}
CLIENTS: Final = "org.apache.kafka.common.message"
# Packages of the generated classes outside the clients; others are the group coordinator's.
PACKAGES: Final = {
    "ConsumerProtocol": CLIENTS,
    "EndTxnMarker": CLIENTS,
    "ProducerSnapshot": "org.apache.kafka.server.log.remote.metadata.storage.generated",
    "ShareSnapshot": "org.apache.kafka.coordinator.share.generated",
    "ShareUpdate": "org.apache.kafka.coordinator.share.generated",
    "TransactionLog": "org.apache.kafka.coordinator.transaction.generated",
}
GROUPS: Final = "org.apache.kafka.coordinator.group.generated"


def main() -> int:
    """Record everything again."""
    text = recording()
    GOLDEN.write_text(text, "utf-8")
    sys.stdout.write(f"{GOLDEN}: {text.count(chr(10))} messages\n")
    return 0


def recording() -> str:
    """Return the current golden file; print what a release could not write."""
    rows = [row for release in PROGRAMS for row in recorded_by(release)]
    for row in rows:
        if failure := row.pop("failure", None):
            sys.stderr.write(f"{row['message']} v{row['version']}: {failure}\n")
    kept = sorted(
        (row for row in rows if "bytes" in row), key=lambda row: (row["message"], row["version"])
    )
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in kept]
    return "".join(lines)


def recorded_by(release: str) -> list[dict[str, Any]]:
    """Return the bytes that a release writes, for each version assigned to it."""
    samples = list(samples_of(release))
    questions = "".join(json.dumps(question) + "\n" for _, question in samples)
    program = Path(__file__).with_name(PROGRAMS[release])
    command = ["java", "-cp", f"{fetch(release)}/*", str(program)]
    ran = subprocess.run(command, input=questions, stdout=subprocess.PIPE, text=True, check=True)
    answers = map(json.loads, ran.stdout.splitlines())
    return [row | answer for (row, _), answer in zip(samples, answers, strict=True)]


def samples_of(release: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Create three values per message and version: a row of the file, and Java's input."""
    for message, version in cases(*kafkas_messages()):
        source, file = file_of(message.__name__, version)
        if (source == "2.4.1") != (release == "2.4.1") or (
            source == "2.4.1" and message.API is None
        ):
            continue  # the oldest request header has no schema there: it is tested by hand
        node = message_tree(message, version)
        seed = f"{message.__name__} v{version}"
        for maker in (
            ValueMaker(seed, extensions=False),
            ValueMaker(seed, small=True, extensions=False),
            TameValueMaker(seed),
        ):
            value = maker.message(message, version)
            row = {"message": message.__name__, "version": version, "release": release}
            question: dict[str, Any] = {"version": version}
            if message.KIND == "request" and isinstance(maker, TameValueMaker):
                question |= {"error": REFUSAL.code, "why": REFUSAL.why}
            if message.API is not None:
                question |= {"api_key": message.API, "request": message.KIND == "request"}
            if release == "2.4.1":
                question |= {"value": by_position(node, value)}
            else:
                named = by_name(node, value, names_of(file))
                question |= {"class": class_of(message), "value": named}
            yield row | {"value": written(node, value)}, question


def class_of(message: type[Message]) -> str:
    """Return the generated class of a message."""
    name = message.__name__
    if message.API is not None or message.KIND == "header":
        return f"{CLIENTS}.{name}Data"
    package = next((PACKAGES[start] for start in PACKAGES if name.startswith(start)), GROUPS)
    return f"{package}.{name}"


def names_of(file: Any) -> dict[str, str]:
    """Map our field names to those of Kafka's JSON, for a message file and its structs."""
    names: dict[str, str] = {}
    for field in file["fields"] + file.get("commonStructs", []):
        name = field["name"]
        names[snake(name)] = name[0].lower() + name[1:]
        names |= names_of(field) if "fields" in field else {}
    return names


def by_name(node: Node, value: Any, names: dict[str, str]) -> Any:
    """Encode a value as JSON for Kafka's JSON converters."""
    match node:
        case _ if value is None:
            return None
        case NullableStructNode():
            return by_name(node.inner, value, names)
        case StructNode():
            return {
                names[name.removesuffix("_")]: by_name(inner, getattr(value, name), names)
                for name, inner in fields_of(node)
            }
        case ArrayNode():
            return [by_name(node.element, item, names) for item in value]
        case UuidNode():
            assert isinstance(value, uuid.UUID)
            return base64.urlsafe_b64encode(value.bytes).decode().rstrip("=")
        case _:
            return written(node, value)


def by_position(node: Node, value: Any) -> Any:
    """Encode a value as lists in wire order."""
    match node:
        case StructNode():
            return [by_position(inner, getattr(value, name)) for name, inner in fields_of(node)]
        case ArrayNode() if value is not None:
            return [by_position(node.element, item) for item in value]
        case _:
            return written(node, value)


if __name__ == "__main__":
    sys.exit(main())
