import pytest

from mockbroker.protocol.dump.decode_rows import (
    DumpRow,
    shifted,
    shown_bytes,
    shown_text_or_bytes,
    shown_value,
)
from mockbroker.protocol.schema.frame_stream import FieldSpan


@pytest.mark.parametrize(
    ("path", "kind", "value", "shown"),
    [
        ("topics[0].name", "string", "a'b", '"a\'b"'),
        ("topics[0].name", "string", None, "null"),
        ("acks", "int16", -1, "-1"),
        ("is_internal", "bool", True, "true"),
        ("topics[0].error_code", "int16", 3, "3 UNKNOWN_TOPIC_OR_PARTITION"),
        ("partition_error_code", "int16", 9999, "9999"),
        ("header.request_api_key", "int16", 18, "18 ApiVersions"),
        ("api_keys[0].api_key", "int16", 9999, "9999"),
        ("records", "records", b"\0\xff", "2 bytes 00 ff"),
        ("crc", "uint32", "0x00000001 (correct)", "0x00000001 (correct)"),
        ("size", "float64", 1.5, "1.5"),
    ],
)
def test_a_value_is_formatted_for_readers(path: str, kind: str, value: object, shown: str) -> None:
    assert shown_value(DumpRow(0, 1, path, kind, value)) == shown


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (None, "null"),
        (b"", "''"),
        (b"plain", "'plain'"),
        ("ä€".encode(), "'ä€'"),
        (b"\0\x01", "2 bytes 00 01"),
        (b"\xff", "1 bytes ff"),
        (b"x" * 100, "'" + "x" * 60 + "…'"),
    ],
)
def test_bytes_are_text_where_they_can_be(data: bytes | None, shown: str) -> None:
    assert shown_text_or_bytes(data) == shown


def test_only_the_first_of_many_bytes_are_shown() -> None:
    assert shown_bytes(bytes(12)) == "00 " * 11 + "00"
    assert shown_bytes(bytes(13)) == "00 " * 12 + "…"


def test_a_row_has_the_position_of_its_field_in_the_input() -> None:
    assert shifted(FieldSpan("acks", "int16", 1, 3, -1), 10) == DumpRow(11, 13, "acks", "int16", -1)
