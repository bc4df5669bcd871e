"""Write docs/reference/http.md: every endpoint of the admin port, from its OpenAPI document."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi
from mockbroker.http.problem import KINDS
from tools.paragraph import paragraph

PAGE: Final = Path("docs/reference/http.md")
INTRODUCTION: Final = """\
# HTTP

<!-- Made by `make docs` (tools/http_reference.py) from the endpoints themselves. -->

**You want it when** you look for an endpoint of the admin port, or the fields of a document.
[How to control a cluster over HTTP](../how-to/drive-it-over-http.md) has examples.
**It needs** the extra `http` where the cluster runs.

Bodies of requests and responses are JSON unless stated otherwise. Unknown fields and query
parameters are refused. Durations are written `250ms`, `90s`, `7d`, or as a number of milliseconds.

Ids of faults, transactions and groups may contain slashes, written `%2F`. Clients remove `.` and
`..` from paths; write such an id in the query, and `-` in the path:
`/api/v1/transactions/-?transactional_id=..`.
"""


def page() -> str:
    """Return the whole page."""
    document = openapi(ENDPOINTS)
    schemas = document["components"]["schemas"]
    return "\n".join(
        [
            INTRODUCTION,
            *_endpoints(document["paths"]),
            *_documents(schemas),
            *_problems(),
        ]
    )


def _endpoints(paths: dict[str, Any]) -> Iterator[str]:
    yield "## Endpoints\n"
    yield "| endpoint | description | request | response |"
    yield "| --- | --- | --- | --- |"
    for path, methods in sorted(paths.items()):
        for method, operation in sorted(methods.items()):
            said = _said(operation)
            yield (
                f"| `{method.upper()} {path}` | {operation['summary']} | {said} |"
                f" {_answer(operation['responses'])} |"
            )
    yield ""


def _said(operation: dict[str, Any]) -> str:
    if "requestBody" in operation:
        name = _named(operation["requestBody"]["content"]["application/json"]["schema"])
        return "" if name == "Nothing" else _link(name)
    query = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
    return ", ".join(f"`?{name}=`" for name in query)


def _answer(responses: dict[str, Any]) -> str:
    status, answer = next(iter(responses.items()))
    for media_type, content in answer.get("content", {}).items():
        shown = _link(_named(content["schema"])) if "schema" in content else f"`{media_type}`"
        return f"{status} {shown}"
    return status


def _documents(schemas: dict[str, Any]) -> Iterator[str]:
    for name, schema in sorted(schemas.items()):
        if "oneOf" in schema:
            yield from _heading(name, schema)
            kinds = ", ".join(_link(_named(each)) for each in schema["oneOf"])
            yield paragraph(f"One of {kinds}.") + "\n"
        elif schema.get("properties"):
            yield from _heading(name, schema)
            yield "| field | type | default |"
            yield "| --- | --- | --- |"
            yield from _fields(schema)
            yield ""


def _heading(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"{schema.get('description', '').splitlines()[0]}\n"


def _fields(schema: dict[str, Any], within: str = "") -> Iterator[str]:
    required = schema.get("required", [])
    for field, kind in schema["properties"].items():
        default = "" if field in required else _default(kind)
        yield f"| `{within}{field}` | {_kind(kind)} | {default} |"
        yield from _fields(kind, f"{within}{field}.") if "properties" in kind else ()


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return _link(_named(schema))
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{str(schema['const']).lower()}`"
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("type", "anything"))


def _default(schema: dict[str, Any]) -> str:
    default = schema.get("default")
    return "" if default is None or default in ({}, []) else f"`{default}`"


def _problems() -> Iterator[str]:
    yield "## Problems\n"
    yield "| code | status | |"
    yield "| --- | --- | --- |"
    for code, kind in KINDS.items():
        yield f"| `{code}` | {kind.status} | {kind.title} |"
    yield ""


def _named(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")
