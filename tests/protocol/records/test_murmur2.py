"""Hashes of keys, compared with those of other clients."""

import pytest
from hypothesis import given
from hypothesis.strategies import binary
from kafka.partitioner.default import murmur2 as murmur2_of_kafka_python

from mockbroker.protocol.records.murmur2 import murmur2


@given(binary(max_size=40))
def test_keys_have_the_hash_of_another_client(key: bytes) -> None:
    assert murmur2(key) == murmur2_of_kafka_python(key)


@pytest.mark.parametrize(
    ("key", "hashed"),
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536)],
)
def test_keys_have_the_hash_of_java(key: bytes, hashed: int) -> None:
    assert murmur2(key) == hashed & 0xFFFFFFFF
