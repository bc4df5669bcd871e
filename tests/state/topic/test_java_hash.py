"""Java's hash codes and iteration orders."""

from uuid import UUID

import pytest

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.java_hash import (
    ids_in_java_hash_order,
    in_java_hash_order,
    indexes_in_java_hash_order,
    java_hash_code,
    texts_in_java_hash_order,
    texts_in_timeline_order,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 0),
        ("a", 97),
        ("hello", 99162322),
        ("transactional-id", 510590431),
        ("polygenelubricants", -2147483648),
        ("ü", 252),
        ("😀", 1772899),
    ],
)
def test_hash_codes_are_those_of_java(text: str, code: int) -> None:
    assert java_hash_code(text) == code


def test_the_hash_code_of_a_long_text_is_that_of_its_parts() -> None:
    text = "transactional-id" * 2000
    code = 0
    for letter in text:
        code = (31 * code + ord(letter)) % (1 << 32)
    assert java_hash_code(text) % (1 << 32) == code


def test_partitions_have_the_order_of_kafkas_response() -> None:
    partitions = {TopicPartition("described", index) for index in range(3)}
    assert [each.partition for each in in_java_hash_order(partitions)] == [0, 2, 1]


def test_no_partition_is_lost_when_there_are_many() -> None:
    partitions = {TopicPartition(name, index) for name in ("a", "b") for index in range(40)}
    ordered = in_java_hash_order(partitions)
    assert len(ordered) == len(partitions)
    assert set(ordered) == partitions


def test_texts_are_in_the_order_of_a_java_hash_map() -> None:
    # The order of a HashMap in OpenJDK 17 with these keys, inserted in any order.
    assert texts_in_java_hash_order(["roundrobin", "range"]) == ["range", "roundrobin"]
    assert texts_in_java_hash_order([f"t{index}" for index in range(30)][::-1]) == (
        texts_in_java_hash_order(f"t{index}" for index in range(30))
    )


def test_texts_of_one_bucket_keep_their_order() -> None:
    one, other = "preallocate", "compression.gzip.level"
    assert texts_in_java_hash_order([one, other]) == [one, other]
    assert texts_in_java_hash_order([other, one]) == [other, one]


def test_ids_and_numbers_are_in_the_order_of_a_java_hash_map() -> None:
    # The bucket of an id is that of the exclusive or of its four words.
    ids = [UUID(int=each) for each in (3 << 96, 2, 1 << 64)]
    assert ids_in_java_hash_order(ids) == [UUID(int=1 << 64), UUID(int=2), UUID(int=3 << 96)]
    assert indexes_in_java_hash_order([18, 1, 0, -1]) == [0, -1, 1, 18]


def test_texts_are_in_the_order_of_kafkas_timeline_table() -> None:
    assert texts_in_timeline_order(["member-a", "member-b"]) == ["member-b", "member-a"]
    many = [f"member-{number}" for number in range(40)]
    assert sorted(texts_in_timeline_order(many)) == sorted(many)


def test_ids_are_in_the_order_of_a_java_hash_map() -> None:
    ids = [UUID(int=value) for value in (17, 16, 1 << 96, 3)]
    assert [each.int for each in ids_in_java_hash_order(ids)] == [16, 17, 1 << 96, 3]
