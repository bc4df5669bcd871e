"""Fields of a record as people write them."""

from datetime import UTC, datetime

import pytest

from mockbroker import Cluster
from mockbroker.control.topics.record_fields import record_fields

MOMENT = datetime(2026, 5, 1, 12, tzinfo=UTC)
MOMENT_MS = 1_777_636_800_000


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"value": 7}, "value=7: a record holds str, bytes or None"),
        ({"value": "x", "key": 7}, "key=7: a record holds"),
        ({"value": "x", "headers": {"h": 1}}, "header h=1: a record holds"),
        ({"value": "x", "headers": "ab"}, "headers='ab': give a mapping of names to values"),
        ({"value": "x", "headers": [(b"h", b"1")]}, "headers=.*: give a mapping of names"),
        ({"value": "x", "partition": "0"}, "partition='0': a partition is a number"),
        ({"value": "x", "timestamp": "now"}, "timestamp='now': give a datetime"),
    ],
)
def test_a_field_of_another_type_is_refused(wrong: dict[str, object], error: str) -> None:
    with Cluster(topics=["orders"]) as cluster:
        with pytest.raises(TypeError, match=error):
            cluster.append("orders", **wrong)  # type: ignore[arg-type]
        assert cluster.records("orders") == []


def test_text_bytes_and_moments_become_what_a_record_holds() -> None:
    fields = record_fields("é", bytearray(b"k"), [("h", memoryview(b"1")), ("n", None)], MOMENT)
    assert fields == (b"k", "é".encode(), (("h", b"1"), ("n", None)), MOMENT_MS)
    record = record_fields(None, None, (), None).record(7)
    assert (record.value, record.key, record.headers, record.timestamp) == (None, None, (), 7)
