"""Write packages/go/api/types.go: the documents of the HTTP API, from its OpenAPI document.

oapi-codegen writes the types. It is given a simpler document, so that they are plain structs that
need nothing but Go's standard library:

- an exclusive choice, such as Effect, is one struct whose fields are all optional;
- text that may also be a number is `Text`, and a value that may also be a list is `Several`;
- what may be null is a pointer;
- the documents of the live page are left out.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi

TYPES: Final = Path("packages/go/api/types.go")
MODULE: Final = Path("packages/go/tests")
"""The module that has the generator among its tools."""
SETTINGS: Final = Path("packages/go/api/oapi-codegen.yaml")
OF_THE_PAGE: Final = frozenset({"pictures", "session", "views", "web"})
"""Tags of the endpoints that only the live page uses."""

_REFERENCE: Final = "#/components/schemas/"
_LONG: Final = re.compile(
    r"offset|watermark|_ms$|_us$|bytes|producer_id|crc|seq$|records|rows|call"
)
"""Names of the numbers that take 64 bits."""
_UNTIL: Final = "Until"
_SHARED: Final = {"stream": "Stream", "snapshot": "Snapshot", "producer_snapshot": "Snapshot"}
"""Types with few values that several documents have, by field; they are written by hand."""
_EVENT: Final = "Event"
"""Type within the hand-written `Until`."""
_NULL: Final = {"type": "null"}
_SCALARS: Final = {"string": "string", "integer": "int", "boolean": "bool"}

Schema = dict[str, Any]


def simplified(document: Mapping[str, Any]) -> Schema:
    """Return an OpenAPI document without paths, whose schemas are structs."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    plain = {name: _schema(schema, schemas) for name, schema in schemas.items()}
    used = {_EVENT, *_references(_operations(document))}
    while more := {each for name in used for each in _references(plain[name])} - used:
        used |= more
    components = {name: plain[name] for name in sorted(used)}
    return {
        "openapi": "3.0.3",  # the generator writes pointers for its `nullable`
        "info": document["info"],
        "paths": {},
        "components": {"schemas": components},
    }


def _operations(document: Mapping[str, Any]) -> list[Schema]:
    return [
        operation
        for methods in document["paths"].values()
        for operation in methods.values()
        if not OF_THE_PAGE.intersection(operation["tags"])
    ]


def _references(part: object) -> Iterator[str]:
    """Yield the names of the schemas that a part of the document refers to."""
    if isinstance(part, Mapping):
        if isinstance(reference := part.get("$ref"), str):
            yield reference.removeprefix(_REFERENCE)
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _schema(schema: Schema, schemas: Mapping[str, Schema]) -> Schema:
    """Simplify a component: a choice becomes the union of the fields of its members."""
    if "oneOf" not in schema:
        return _object(_nested(schema) or schema)
    properties: Schema = {}
    for member in _references(schema["oneOf"]):
        for field, kind in schemas[member]["properties"].items():
            is_nested = "properties" in kind
            properties[field] = (
                {"$ref": _REFERENCE + member} if is_nested else _property(field, kind)
            )
    return {"type": "object", "description": schema["description"], "properties": properties}


def _nested(schema: Schema) -> Schema | None:
    """Return the object that a member of a choice consists of: `{"latency": {…}}`."""
    properties = list(schema.get("properties", {}).values())
    if len(properties) == 1 and "properties" in properties[0]:
        return {**properties[0], "description": schema["description"]}
    return None


def _object(schema: Schema) -> Schema:
    given = schema.get("properties", {})
    optional = {name for name, kind in given.items() if _is_optional(kind)}
    return {
        "type": "object",
        "description": schema["description"].partition("\n")[0],
        "required": [name for name in schema.get("required", []) if name not in optional],
        "properties": {name: _property(name, kind) for name, kind in given.items()},
    }


def _is_optional(schema: Schema) -> bool:
    """Return True if a field may be left out, or is null where others have a whole document."""
    choices = schema.get("anyOf", [])
    return "default" in schema or (_NULL in choices and any("$ref" in each for each in choices))


def _property(name: str, schema: Schema) -> Schema:
    """Simplify the schema of a field."""
    choices = [each for each in schema.get("anyOf", [schema]) if each != _NULL]
    kinds = [each.get("type") for each in choices]
    if any("$ref" in each for each in choices) and len(choices) > 1:
        return {"type": "string", "x-go-type": _UNTIL}
    if kinds == ["string", "integer"]:
        return _go("Text")
    if name in _SHARED:
        return _go(_SHARED[name])
    if len(kinds) == 2 and kinds[1] == "array":
        return _go(f"Several[{_scalar(name, choices[0])}]")
    plain = _one(name, choices[0])
    if "anyOf" in schema and "$ref" not in plain:
        plain["nullable"] = True
    return plain


def _one(name: str, schema: Schema) -> Schema:
    plain = {key: value for key, value in schema.items() if key not in {"default", "const"}}
    if "const" in schema:
        return {**plain, "type": "boolean"}
    if "enum" in schema:
        if len(schema["enum"]) == 1:
            return {"type": "string"}
        return {**plain, "type": "string"}
    if schema.get("type") == "array":
        return {"type": "array", "items": _property(name, schema["items"])}
    if isinstance(schema.get("additionalProperties"), dict):
        values = _property(name, schema["additionalProperties"])
        return {"type": "object", "additionalProperties": values}
    if schema.get("type") == "integer" and _LONG.search(name):
        return {**plain, "format": "int64"}
    return {**plain, "format": "double"} if schema.get("type") == "number" else plain


def _scalar(name: str, schema: Schema) -> str:
    if schema["type"] == "integer" and _LONG.search(name):
        return "int64"
    return _SCALARS[schema["type"]]


def _go(kind: str) -> Schema:
    """Name a type that is written by hand; its zero value stands for null."""
    return {"type": "string", "x-go-type": kind, "x-go-type-skip-optional-pointer": True}


def types() -> str:
    """Return the Go source.

    Raises:
        RuntimeError: the generator failed.

    """
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "openapi.json")
        document.write_text(json.dumps(simplified(openapi(ENDPOINTS))), "utf-8")
        command = ["go", "tool", "oapi-codegen", "-config", str(SETTINGS.resolve()), str(document)]
        run = subprocess.run(command, cwd=MODULE, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"oapi-codegen failed: {run.stderr}")
    return str(run.stdout)


if __name__ == "__main__":
    TYPES.write_text(types(), "utf-8")
    sys.stderr.write(f"wrote {TYPES}\n")
