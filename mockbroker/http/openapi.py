"""The OpenAPI document, built from the endpoints and the document classes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from mockbroker.faults.documents.fault_document import complete_schemas
from mockbroker.http.endpoint import API, IDS, NUMBERS, Endpoint
from mockbroker.http.problem import KINDS, MEDIA_TYPE, ProblemDocument
from mockbroker.version import __version__

Schema = dict[str, Any]

_REF: Final = "#/components/schemas/{name}"
_PARAMETER: Final = re.compile(r"\{(\w+)\}")
_ELSEWHERE: Final = (
    "If this is `.` or `..`, which clients remove from paths: `-`, and the id in the query, under"
    " the name of this parameter."
)
_OF_ALL: Final = (
    "unauthorized",
    "foreign-origin",
    "misdirected",
    "invalid",
    "not-running",
    "mistake",
)
_OF_BODIES: Final = ("malformed-json", "late", "too-large", "not-json")


def openapi(endpoints: Sequence[Endpoint]) -> Schema:
    """Describe endpoints in OpenAPI 3.1."""
    types = [ProblemDocument, *(each.reads for each in endpoints if each.has_body)]
    types += [each.answers for each in endpoints if each.answers is not None]
    _, components = msgspec.json.schema_components(types, ref_template=_REF)
    complete_schemas(components)
    paths: dict[str, Schema] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mockbroker",
            "version": __version__,
            "description": "Control a mock Kafka cluster: faults, clock, brokers, journal, etc.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(endpoint: Endpoint) -> Schema:
    operation: Schema = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "tags": [endpoint.path.removeprefix(f"{API}/").strip("/").split("/")[0] or "web"],
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint)],
        "responses": {str(endpoint.status): _answer(endpoint), **_problems(endpoint)},
    }
    if endpoint.has_body:
        schema = {"$ref": _REF.format(name=endpoint.reads.__name__)}
        operation["requestBody"] = {
            "required": any(field.required for field in msgspec.structs.fields(endpoint.reads)),
            "content": {"application/json": {"schema": schema}},
        }
    return operation


def _path_parameters(path: str) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _path_schema(name)}
        for name in _PARAMETER.findall(path)
    ]


def _path_schema(name: str) -> Schema:
    if name in NUMBERS:
        return {"type": "integer", "minimum": 0}
    if name in IDS:
        return {"type": "string", "minLength": 1, "description": _ELSEWHERE}
    return {"type": "string", "minLength": 1}


def _query_parameters(endpoint: Endpoint) -> list[Schema]:
    if endpoint.has_body:
        return []
    _, components = msgspec.json.schema_components([endpoint.reads])
    schema = components[endpoint.reads.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(each)}
        for name, each in schema["properties"].items()
    ]


def _without_null(schema: Mapping[str, Any]) -> Schema:
    """Describe the query parameters, which cannot be null."""
    rest = {key: value for key, value in schema.items() if key != "default" or value is not None}
    if "anyOf" not in rest:
        return rest
    choices = [each for each in rest.pop("anyOf") if each != {"type": "null"}]
    return rest | (choices[0] if len(choices) == 1 else {"anyOf": choices})


def _answer(endpoint: Endpoint) -> Schema:
    if endpoint.answers is not None:
        schema = {"$ref": _REF.format(name=endpoint.answers.__name__)}
        return {"description": "Done", "content": {endpoint.media_type: {"schema": schema}}}
    if endpoint.status == 204:
        return {"description": "Done"}
    return {"description": "Done", "content": {endpoint.media_type: {}}}


def _problems(endpoint: Endpoint) -> Schema:
    codes = [*_OF_ALL, *endpoint.problems]
    if endpoint.has_body:
        codes += _OF_BODIES
    if "{" in endpoint.path or endpoint.has_body:
        codes.append("not-found")
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(KINDS[code].status, []).append(code)
    schema = {"$ref": _REF.format(name=ProblemDocument.__name__)}
    return {
        str(status): {
            "description": "; ".join(f"`{code}`: {KINDS[code].title}" for code in of_status),
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status, of_status in sorted(by_status.items())
    }
