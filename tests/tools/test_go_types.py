"""The document that Go's types are made from has structs only."""

import json

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi
from tools.go_types import simplified

DOCUMENT = simplified(openapi(ENDPOINTS))
SCHEMAS = DOCUMENT["components"]["schemas"]


def test_no_choice_is_left() -> None:
    text = json.dumps(DOCUMENT)
    assert "anyOf" not in text
    assert "oneOf" not in text


def test_an_exclusive_choice_has_the_fields_of_all_members_and_needs_none() -> None:
    effect = SCHEMAS["Effect"]
    assert {"answer", "top_level", "hold", "until", "latency"} <= effect["properties"].keys()
    assert "required" not in effect
    assert effect["properties"]["latency"] == {"$ref": "#/components/schemas/Latency"}
    assert SCHEMAS["Latency"]["required"] == ["latency"]


def test_what_may_be_null_is_a_pointer() -> None:
    rack = SCHEMAS["BrokerView"]["properties"]["rack"]
    assert rack == {"type": "string", "nullable": True}
    assert "nearest" not in SCHEMAS["FaultView"]["required"]


def test_text_lists_and_long_numbers_have_types_of_their_own() -> None:
    match = SCHEMAS["Match"]["properties"]
    assert match["topic"]["x-go-type"] == "Several[string]"
    assert match["producer_id"]["x-go-type"] == "Several[int64]"
    assert match["partition"]["x-go-type"] == "Several[int]"
    assert SCHEMAS["AdvanceDocument"]["properties"]["by"]["x-go-type"] == "Text"
    assert SCHEMAS["PartitionView"]["properties"]["log_end_offset"]["format"] == "int64"
    assert SCHEMAS["Effect"]["properties"]["until"] == {
        "type": "string",
        "x-go-type": "Until",
    }


def test_the_documents_of_the_live_page_are_left_out() -> None:
    assert "OverviewView" not in SCHEMAS
    assert {"StateView", "FaultDocument", "JournalSelection"} <= SCHEMAS.keys()
