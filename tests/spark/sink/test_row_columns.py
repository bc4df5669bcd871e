"""Assignment of rows to partitions."""

from importlib import import_module
from typing import Any, Final

import pytest

from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.records.record import Record
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.row_columns import RowRouter, RowTarget, check_columns
from mockbroker.spark.sink.row_encoding import encode_records, seal_batch
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS

pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

HEADERS = "array<struct<key: string, value: binary>>"


def routed(
    columns: dict[str, Any], topic: str | None = "t", *, has_headers: bool = False
) -> dict[RowTarget, list[Record]]:
    router = RowRouter(topic, {"t": 4, "u": 1}.__getitem__, has_headers=has_headers, start=0)
    return written(router, pa.record_batch(columns))


def written(router: RowRouter, batch: object) -> dict[RowTarget, list[Record]]:
    records = router.routed(batch)
    encoded = encode_records(records.contents, records.places, 1 << 20)
    return {
        router.target(place): [
            record
            for batch in batches
            for record in records_of(
                seal_batch(batch, producer_id=1, producer_epoch=0, base_sequence=0)
            )
        ]
        for place, batches in encoded.items()
    }


def test_rows_without_key_go_to_one_partition_and_then_to_the_next() -> None:
    router = RowRouter("t", lambda _: 3, has_headers=False, start=1)
    batch = pa.record_batch({"value": ["a", "b"]})
    found = [target for _ in range(3) for target in written(router, batch)]
    assert found == [RowTarget("t", 2), RowTarget("t", 0), RowTarget("t", 1)]


def test_a_key_is_hashed_as_by_java() -> None:
    found = routed({"key": [b"21", b"foobar", None], "value": ["a", "b", "c"]})
    keys = {target.partition: [record.key for record in found[target]] for target in found}
    assert keys == {
        -973932308 % 4: [b"21"],  # the hashes of Kafka's own test
        -790332482 % 4: [b"foobar"],
        1: [None],
    }


def test_rows_of_a_partition_keep_their_order() -> None:
    keys = ["a", "b", "c", "d"] * 5
    found = routed({"key": keys, "value": [str(number) for number in range(20)]})
    for records in found.values():
        numbers = [int(record.value or b"") for record in records]
        assert numbers == sorted(numbers)
    assert sum(map(len, found.values())) == 20


def test_a_row_chooses_its_partition_and_topic() -> None:
    columns = {
        "value": pa.array(["a", "b"]),
        "topic": pa.array(["t", "u"]),
        "partition": pa.array([2, None], pa.int32()),
    }
    assert routed(columns, None).keys() == {RowTarget("t", 2), RowTarget("u", 0)}
    assert routed(columns).keys() == {RowTarget("t", 2), RowTarget("t", 1)}


def test_headers_are_written_if_they_are_wanted() -> None:
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    columns = {
        "value": pa.array(["a", "b"]),
        "headers": pa.array([[{"key": "h", "value": b"x"}], None], kind),
    }
    (records,) = routed(columns, has_headers=True).values()
    assert [each.headers for each in records] == [(("h", b"x"),), ()]
    (records,) = routed(columns).values()
    assert [each.headers for each in records] == [(), ()]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"value": ["a"], "topic": [None]}, "a row has no topic"),
        ({"value": ["a"], "topic": ["t"], "partition": [4]}, "topic t has no partition 4"),
        (
            {"value": ["a", "b"], "topic": ["t", "t"], "partition": [None, -1]},
            "topic t has no partition -1",
        ),
    ],
)
def test_an_invalid_row_is_refused(columns: dict[str, list[object]], told: str) -> None:
    arrays = {name: pa.array(values) for name, values in columns.items()}
    with pytest.raises(KafkaEosError, match=told):
        routed(arrays, None)


@pytest.mark.parametrize(
    ("columns", "topic", "told"),
    [
        ("value bigint", "t", "the column value is bigint: it has to be string or binary"),
        ("value string; id int", "t", "unknown column id: the columns are key, value"),
        ("key string", "t", "the column value is missing"),
        ("value string", None, "no topic: set the option topic"),
    ],
)
def test_wrong_columns_are_refused(columns: str, topic: str | None, told: str) -> None:
    with pytest.raises(KafkaEosError, match=told):
        check_columns(schema(columns), topic, has_headers=False)


def test_headers_have_to_be_there_to_be_included() -> None:
    check_columns(schema(f"value binary; headers {HEADERS}"), "t", has_headers=True)
    with pytest.raises(KafkaEosError, match="the column headers is missing"):
        check_columns(schema("value binary"), "t", has_headers=True)


def schema(columns: str) -> object:
    from pyspark.sql.types import (
        ArrayType,
        BinaryType,
        IntegerType,
        LongType,
        StringType,
        StructField,
        StructType,
    )

    pair = StructType([StructField("key", StringType()), StructField("value", BinaryType())])
    kinds = {
        "bigint": LongType(),
        "binary": BinaryType(),
        "int": IntegerType(),
        "string": StringType(),
        HEADERS: ArrayType(pair),
    }
    names = [each.partition(" ") for each in columns.split("; ")]
    return StructType([StructField(name, kinds[kind]) for name, _, kind in names])
