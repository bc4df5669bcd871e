"""The OpenAPI document as the generator of Java's records takes it."""

from typing import Any

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi
from tools.java_types import INT32, OFFSETS, simplified

TEXT_OR_NULL = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}


def document(**schemas: dict[str, Any]) -> dict[str, Any]:
    """Describe an API whose one path answers the first of these schemas."""
    answer = {"$ref": f"#/components/schemas/{next(iter(schemas))}"}
    return {
        "info": {"title": "an API"},
        "paths": {"/api/v1/a": {"get": answer}, "/api/v1/views/b": {"get": {"$ref": "x/OfPage"}}},
        "components": {"schemas": {**schemas, "OfPage": {"type": "object"}}},
    }


def properties(**fields: dict[str, Any]) -> dict[str, Any]:
    """Simplify the fields of a schema."""
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    simple = simplified(document(A=schema, B={"description": "One of two.", "oneOf": []}))
    return dict(simple["components"]["schemas"]["A"]["properties"])


def test_a_field_gets_one_type() -> None:
    choices = [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]
    assert properties(
        topic={"anyOf": choices},
        by={"anyOf": [{"type": "string"}, {"type": "integer"}]},
        until={"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/B"}]},
        once={"const": True},
        how={"enum": ["disconnect", "silence"], "default": "silence"},
        hold={"enum": ["request"]},
        rate={"type": "number", "default": 1.0},
        config={"type": "object", "additionalProperties": {"type": "string"}},
        arguments={"type": "object"},
    ) == {
        "topic": {"type": "array", "items": {"type": "string"}, "x-always": True},
        "by": {"type": "string"},
        "until": {},
        "once": {"type": "boolean"},
        "how": {"type": "string", "enum": ["disconnect", "silence"]},
        "hold": {"type": "string"},
        "rate": {"type": "number", "format": "double"},
        "config": {"type": "object", "additionalProperties": {"type": "string"}},
        "arguments": {"type": "object", "additionalProperties": {}},
    }


def test_a_field_that_may_be_null_is_not_required() -> None:
    fields = {"a": {"type": "string"}, "b": TEXT_OR_NULL}
    schema = {"type": "object", "properties": fields, "required": ["a", "b"]}
    simple = simplified(document(A=schema))["components"]["schemas"]["A"]
    assert simple["required"] == ["a"]
    assert simple["properties"] == {
        "a": {"type": "string"},
        "b": {"type": "string", "x-always": True},
    }


def test_settings_inside_a_schema_are_a_schema_of_their_own() -> None:
    rate = {"type": "object", "properties": {"rate": {"type": "integer"}}, "required": ["rate"]}
    fields = {"bandwidth": rate}
    union = {"oneOf": [{"$ref": "#/components/schemas/Bandwidth"}]}
    made = simplified(document(Effect=union, Bandwidth={"type": "object", "properties": fields}))[
        "components"
    ]["schemas"]
    assert list(made) == ["BandwidthSettings", "Bandwidth", "Effect"]
    assert made["Bandwidth"]["properties"] == {
        "bandwidth": {"$ref": "#/components/schemas/BandwidthSettings"}
    }
    assert made["BandwidthSettings"]["properties"] == {
        "rate": {"type": "integer", "format": "int64"}
    }
    assert made["Bandwidth"]["x-union"] == "Effect"
    assert made["Effect"]["x-interface"]


def test_each_schema_but_those_of_the_live_page_is_simplified() -> None:
    given = openapi(ENDPOINTS)
    made = simplified(given)["components"]["schemas"]
    assert {"FaultDocument", "PassedView", "ProblemDocument", "StateView"} <= made.keys()
    assert not {"OverviewView", "PictureView", "LoginDocument"} & made.keys()


def test_each_name_of_a_small_number_is_in_the_document() -> None:
    given = openapi(ENDPOINTS)["components"]["schemas"]
    fields = {
        (name, field) for name, schema in given.items() for field in schema.get("properties", ())
    }
    assert {field for _, field in fields} >= INT32
    assert {f"{name}.{field}" for name, field in fields} >= OFFSETS
