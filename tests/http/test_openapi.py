"""The OpenAPI document describes the existing endpoints."""

import json
import re
from typing import Any

import pytest

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi
from tests.support.http import Http

DOCUMENT = openapi(ENDPOINTS)
OPERATIONS = [
    (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def references(document: Any) -> set[str]:
    return set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))


def test_the_openapi_document_is_served(http: Http) -> None:
    document = http.get("/openapi.json")
    assert document == DOCUMENT
    assert document["openapi"] == "3.1.0"


def test_every_reference_leads_somewhere() -> None:
    schemas = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert references(DOCUMENT) <= schemas
    assert references(DOCUMENT) == schemas


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_every_operation_describes_its_parameters_and_results(
    method: str, path: str, operation: dict[str, Any]
) -> None:
    in_path = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
    assert in_path == re.findall(r"\{(\w+)\}", path)
    assert ("requestBody" in operation) == (method in {"post", "put"})
    good = [status for status in operation["responses"] if status.startswith("2")]
    assert len(good) == 1
    assert operation["summary"][0].isupper()


def test_exclusive_fields_are_described_as_alternatives() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert {"$ref": "#/components/schemas/LoseResponse"} in schemas["Effect"]["oneOf"]
    assert schemas["LoseResponse"]["required"] == ["lose_response"]
    assert schemas["LoseResponse"]["additionalProperties"] is False
