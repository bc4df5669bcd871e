"""Make the records of the Java package from the OpenAPI document, with OpenAPI Generator.

The generator takes a document without unions of types, so those are simplified first: `null` means
an absent field, a duration is a string, and one or several values are a list.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi

Schema = dict[str, Any]

PACKAGE: Final = Path("packages/java")
TYPES: Final = PACKAGE / "src/main/java/mockbroker/api"
OF_THE_PAGE: Final = re.compile(r"/(web/.*)?|/api/v1/(views|pictures|session|changes)\b.*")
"""Paths that only the live page needs."""
REFERENCE: Final = re.compile(r'"#/components/schemas/(\w+)"')
INT32: Final = frozenset(
    {
        *("assignment_epoch", "broker", "calls", "controller_id", "coordinator", "count"),
        *("coordinator_epoch", "delivery_count", "group_epoch", "held", "hits", "id"),
        *("in_sync_replicas", "last_producer_epoch", "leader", "leader_epoch", "leads", "on_call"),
        *("member_epoch", "partition", "partitions", "port", "producer_epoch", "record_count"),
        *("base_sequence", "last_sequence", "sequence", "released", "replication_factor", "status"),
        *("replicas", "share_coordinator", "times", "timeout_ms", "to", "version", "acks"),
    }
)
"""Numbers that are an `int` in Kafka's Java clients, or count calls; the others are `long`."""
OFFSETS: Final = frozenset({"LogStartDocument.to"})
"""Offsets with the name of such a number."""
BUILT: Final = frozenset(
    {"ElectDocument", "JournalSelection", "Match", "NewTopicDocument", "RecordDocument"}
)
"""Documents with so many optional fields that they get a builder."""
_REF: Final = "#/components/schemas/"
_NULL: Final = {"type": "null"}


def simplified(document: Mapping[str, Any]) -> Schema:
    """Return the OpenAPI document as the generator takes it."""
    given = document["components"]["schemas"]
    schemas: dict[str, Schema] = {}
    for name in sorted(_reachable(document)):
        _add(schemas, name, given[name])
    for name, schema in list(schemas.items()):
        for each in schema.get("oneOf", ()):
            part = schemas[each["$ref"].removeprefix(_REF)]
            part["x-union"] = name
    return {
        "openapi": "3.0.3",
        "info": {"title": document["info"]["title"], "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }


def _reachable(document: Mapping[str, Any]) -> set[str]:
    """Name the schemas of all paths, without those of the live page."""
    schemas = document["components"]["schemas"]
    found: set[str] = set()
    paths = [each for path, each in document["paths"].items() if not OF_THE_PAGE.fullmatch(path)]
    missing = set(REFERENCE.findall(json.dumps(paths)))
    while missing:
        found |= missing
        texts = json.dumps([schemas[name] for name in missing])
        missing = set(REFERENCE.findall(texts)) - found
    return found


def _add(schemas: dict[str, Schema], name: str, given: Mapping[str, Any]) -> None:
    """Add a schema, and the settings inside it as a schema of its own."""
    description = str(given.get("description", "")).split("\n")[0]
    if "oneOf" in given:
        schemas[name] = {"description": description, "oneOf": given["oneOf"], "x-interface": True}
        return
    properties: dict[str, Schema] = {}
    for field, schema in given.get("properties", {}).items():
        if schema.get("properties"):
            settings = f"{name}Settings"
            _add(schemas, settings, {"description": f"Settings of `{field}`.", **schema})
            properties[field] = {"$ref": f"{_REF}{settings}"}
        else:
            properties[field] = _simple(f"{name}.{field}", schema)
            if field in given.get("required", ()) and _NULL in schema.get("anyOf", ()):
                properties[field]["x-always"] = True
    text = json.dumps(properties)
    schemas[name] = {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": [
            field
            for field in given.get("required", [])
            if _NULL not in given["properties"][field].get("anyOf", ())
        ],
        "x-builder": name in BUILT,
        "x-list": '"array"' in text,
        "x-map": '"additionalProperties"' in text,
    }


def _simple(field: str, schema: Mapping[str, Any]) -> Schema:
    """Return the schema of a field, `Schema.field`, with one type."""
    choices = [each for each in schema.get("anyOf", [schema]) if each != _NULL]
    types = {each.get("type", "") for each in choices}
    if "" in types and len(choices) > 1:
        return {}
    if "array" in types:
        choices = [each for each in choices if each.get("type") == "array"]
    elif len(choices) > 1:
        choices = [{"type": "string"}]
    return _typed(field, choices[0])


def _typed(field: str, schema: Mapping[str, Any]) -> Schema:
    if "const" in schema:
        return {"type": "boolean"}
    if "enum" in schema:
        return {"type": "string", **({"enum": schema["enum"]} if len(schema["enum"]) > 1 else {})}
    if schema.get("type") == "array":
        return {"type": "array", "items": _simple(field, schema["items"])}
    if schema.get("type") == "integer":
        is_int = field.split(".")[1] in INT32 and field not in OFFSETS
        return {"type": "integer", "format": "int32" if is_int else "int64"}
    if schema.get("type") == "number":
        return {"type": "number", "format": "double"}
    if isinstance(schema.get("additionalProperties"), dict):
        values = _simple(field, schema["additionalProperties"])
        return {"type": "object", "additionalProperties": values}
    if schema.get("type") == "object":
        return {"type": "object", "additionalProperties": {}}
    return {key: schema[key] for key in ("$ref", "type") if key in schema}


def write_document(path: Path) -> None:
    """Write the document that the generator reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(simplified(openapi(ENDPOINTS)), indent=2) + "\n", "utf-8")


def main() -> int:
    """Make the records again."""
    with TemporaryDirectory() as folder:
        write_document(Path(folder) / "openapi.json")
        command = [
            "mvn",
            "--batch-mode",
            "--quiet",
            f"--file={PACKAGE}",
            "--activate-profiles=types",
        ]
        command += [f"-Dtypes={folder}", "generate-sources"]
        subprocess.run(command, check=True)
        shutil.rmtree(TYPES, ignore_errors=True)
        shutil.copytree(Path(folder) / "mockbroker/api", TYPES)
    print(TYPES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
