"""The fast check of the common case, which leaves all other batches to the validator."""

import pytest

from mockbroker.protocol.records.batch import HEADER_BYTES
from mockbroker.protocol.records.validation.batch_rules import BatchRules
from mockbroker.protocol.records.validation.fast_validator import is_surely_valid
from tests.conformance.batches import GZIP, HEADER, LOG_APPEND_TIME, Item, Producer, batch

HOUR_MS = 3_600_000
NOW_MS = 1_700_000_000_000


@pytest.fixture
def rules() -> BatchRules:
    return BatchRules("orders-0")


def surely_valid(data: bytes, rules: BatchRules) -> bool:
    """Check a batch in the middle of other bytes, and at the very end of them."""
    fields = HEADER.unpack_from(data)
    at_end = is_surely_valid(b"front" + data, 5, 5 + len(data), fields, rules, NOW_MS)
    in_middle = is_surely_valid(
        b"front" + data + b"\x7f" * 9, 5, 5 + len(data), fields, rules, NOW_MS
    )
    assert at_end == in_middle
    return at_end


@pytest.mark.parametrize("size_bytes", [0, 1, 50, 63, 64, 5_000, 8_191, 8_192, 20_000, 1_040_000])
@pytest.mark.parametrize("key", [None, b"", b"key", bytes(63), bytes(64), bytes(300)])
def test_a_single_record_of_any_size_is_surely_valid(
    size_bytes: int, key: bytes | None, rules: BatchRules
) -> None:
    assert surely_valid(batch(Item(value=bytes(size_bytes), key=key), at_ms=NOW_MS), rules)


@pytest.mark.parametrize(
    "items",
    [
        [Item(value=None)],
        [Item(headers=((b"a", b"b"), (b"c", None)))],
        [Item(), Item(value=bytes(100), key=b"k"), Item()],
        [Item(at_ms=NOW_MS + 5), Item(at_ms=NOW_MS)],
    ],
)
def test_other_good_records_are_valid_too(items: list[Item], rules: BatchRules) -> None:
    assert surely_valid(batch(*items, at_ms=NOW_MS), rules)


def test_a_producers_batch_is_surely_valid(rules: BatchRules) -> None:
    assert surely_valid(batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0)), rules)
    assert not surely_valid(batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, -1)), rules)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_offset", 1),
        ("batch_length", 60),
        ("magic", 1),
        ("crc", 1),
        ("attributes", LOG_APPEND_TIME),
        ("last_offset_delta", 1),
        ("record_count", 2),
        ("record_count", 0),
        ("base_timestamp", -1),
        ("max_timestamp", NOW_MS + 1),
    ],
)
def test_a_header_that_is_not_usual_is_left_to_the_validator(
    name: str, value: int, rules: BatchRules
) -> None:
    assert not surely_valid(batch(Item(), at_ms=NOW_MS, wrong={name: value}), rules)


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_records_of_compressed_batches_are_checked(codec: int, rules: BatchRules) -> None:
    in_order = [Item(value=b"value", offset_delta=n) for n in range(3)]
    assert surely_valid(batch(*in_order, at_ms=NOW_MS, codec=codec), rules)
    assert not surely_valid(batch(*in_order[::-1], at_ms=NOW_MS, codec=codec), rules)
    later = {"max_timestamp": NOW_MS + 1}
    assert not surely_valid(batch(*in_order, at_ms=NOW_MS, codec=codec, wrong=later), rules)
    more = {"record_count": 4, "last_offset_delta": 3}
    assert not surely_valid(batch(*in_order, at_ms=NOW_MS, codec=codec, wrong=more), rules)
    assert not surely_valid(batch(at_ms=NOW_MS, payload=b"no frame", codec=codec), rules)


def test_compressed_batches_beyond_a_limit_are_left_to_the_validator(rules: BatchRules) -> None:
    item = Item(value=bytes(4096))
    assert surely_valid(batch(item, at_ms=NOW_MS, codec=GZIP), rules)
    few = rules._replace(decompressed_bytes_max=4096)
    assert not surely_valid(batch(item, at_ms=NOW_MS, codec=GZIP), few)
    assert not surely_valid(batch(Item(value=bytes(20_000)), at_ms=NOW_MS, codec=GZIP), rules)
    no_gzip = rules._replace(release=rules.release._replace(newest_codec=0))
    assert not surely_valid(batch(item, at_ms=NOW_MS, codec=GZIP), no_gzip)
    assert not surely_valid(batch(item, at_ms=NOW_MS, wrong={"attributes": 5}), rules)


def test_empty_batches_and_large_ones_are_left_to_the_validator(rules: BatchRules) -> None:
    assert not surely_valid(
        batch(at_ms=NOW_MS, wrong={"last_offset_delta": -1, "record_count": 0}), rules
    )
    assert not surely_valid(batch(Item(value=bytes(rules.max_message_bytes)), at_ms=NOW_MS), rules)


def test_times_beyond_the_topics_bounds_are_left_to_the_validator(rules: BatchRules) -> None:
    assert surely_valid(batch(Item(), at_ms=NOW_MS + HOUR_MS), rules)
    assert not surely_valid(batch(Item(), at_ms=NOW_MS + HOUR_MS + 1), rules)
    bounded = rules._replace(timestamp_before_max_ms=1000)
    assert surely_valid(batch(Item(), at_ms=NOW_MS - 1000), bounded)
    assert not surely_valid(batch(Item(), at_ms=NOW_MS - 1001), bounded)


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "00",
        "80",
        "ff",
        "8080",
        "0400",
        "040000",
        "06000000",
        "0800000001",
        "0a0000000180",
        "0c0000000180ff",
        "0c00000001ff01",
        "0c000000000080",
        "0c000000010000",
        "0c000000010001",
        "0c000000030000",
        "0c000000010100ff",
        "808001",
        "0c000000018080",
        "0e00000001808080",
        "10000000018080ff80",
        "ffffff01000000",
        "0e00000003000080",
        "100000000361620180",
    ],
)
@pytest.mark.parametrize("count", [1, 2])
def test_bytes_that_only_begin_like_a_record_are_left_to_the_validator(
    payload: str, count: int, rules: BatchRules
) -> None:
    wrong = {"record_count": count, "last_offset_delta": count - 1}
    data = batch(at_ms=NOW_MS, payload=bytes.fromhex(payload), wrong=wrong)
    # An empty value behind no key; any negative length stands for no key.
    is_good = payload in {"0c000000010000", "0c000000030000"} and count == 1
    assert surely_valid(data, rules) is is_good


def test_the_layout_has_the_size_of_a_header() -> None:
    assert HEADER.size == HEADER_BYTES
