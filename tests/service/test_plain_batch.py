"""The narrow judgement of batches: never kinder than the validator's."""

import random
from itertools import product

import pytest

from mockbroker.plain_batch import KEEP_VIEW_FROM_BYTES, is_plain_batch, kept_batch
from mockbroker.protocol.crc32c import crc32c
from mockbroker.protocol.records.batch import CRC_FROM, HEADER, build_batch, parse_batch_header
from mockbroker.protocol.records.batch_rules import BatchRules
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.refusal import RecordsRefused
from mockbroker.protocol.records.validator import validate_batch

NOW_MS = 1_700_000_000_000
RULES = BatchRules(topic_partition="orders-0")
CRC_AT = 17


def batch_of(*values: bytes | None, key: bytes | None = None, step_ms: int = 0) -> bytes:
    return build_batch(
        [
            Record(offset=index, timestamp=NOW_MS + index * step_ms, key=key, value=value)
            for index, value in enumerate(values)
        ]
    )


def with_right_checksum(batch: bytes) -> bytes:
    checksum = crc32c(batch[CRC_FROM:]).to_bytes(4, "big")
    return batch[:CRC_AT] + checksum + batch[CRC_FROM:]


def is_plain(batch: bytes, rules: BatchRules = RULES, now_ms: int = NOW_MS) -> bool:
    data = b"before" + batch + b"behind"
    fields = list(HEADER.unpack_from(data, 6))
    return is_plain_batch(data, 6, 6 + len(batch), fields, rules, now_ms)


@pytest.mark.parametrize(
    ("key_bytes", "value_bytes"),
    list(product((None, 0, 1, 63, 64), (None, 0, 1, 63, 64, 8191, 20_000))),
)
def test_one_record_of_any_size_is_plain(key_bytes: int | None, value_bytes: int | None) -> None:
    key = None if key_bytes is None else b"k" * key_bytes
    value = None if value_bytes is None else b"v" * value_bytes
    assert is_plain(batch_of(value, key=key))


def test_many_records_with_growing_timestamps_are_plain() -> None:
    assert is_plain(batch_of(*[b"v" * n for n in range(200)], step_ms=3))


def test_headers_are_plain_too() -> None:
    record = Record(timestamp=NOW_MS, value=b"v", headers=(("trace", b"1"),))
    assert is_plain(build_batch([record]))


def test_a_compressed_batch_is_left_to_the_validator() -> None:
    assert not is_plain(build_batch([Record(timestamp=NOW_MS, value=b"v")], compression=1))


def test_a_wrong_checksum_is_left_to_the_validator() -> None:
    batch = bytearray(batch_of(b"value"))
    batch[-2] ^= 1
    assert not is_plain(bytes(batch))


def test_a_batch_above_the_limit_is_left_to_the_validator() -> None:
    batch = batch_of(b"v" * 100)
    assert is_plain(batch, RULES._replace(max_message_bytes=len(batch)))
    assert not is_plain(batch, RULES._replace(max_message_bytes=len(batch) - 1))


@pytest.mark.parametrize("shift_ms", [3_600_001, -1_001])
def test_timestamps_out_of_bounds_are_left_to_the_validator(shift_ms: int) -> None:
    rules = RULES._replace(timestamp_before_max_ms=1_000)
    assert is_plain(batch_of(b"v"), rules)
    assert not is_plain(batch_of(b"v"), rules, now_ms=NOW_MS - shift_ms)


def test_a_batch_that_lies_about_its_max_timestamp_is_left_to_the_validator() -> None:
    batch = bytearray(batch_of(b"v"))
    batch[35:43] = (NOW_MS + 1).to_bytes(8, "big")
    assert not is_plain(with_right_checksum(bytes(batch)))


def test_what_is_plain_after_any_damage_is_what_the_validator_accepts_unchanged() -> None:
    seed = 20_261_121  # every draw follows from it
    source = random.Random(seed)
    originals = [batch_of(b"v" * 40), batch_of(b"a", b"", None), batch_of(*[b"same"] * 30)]
    verdicts = {True: 0, False: 0}
    for _ in range(4_000):
        damaged = bytearray(source.choice(originals))
        for _ in range(source.randint(0, 2)):
            damaged[source.randrange(12, len(damaged))] = source.randrange(256)
        batch = with_right_checksum(bytes(damaged))
        plain = is_plain(batch)
        verdicts[plain] += 1
        if plain:
            header = parse_batch_header(batch)
            assert validate_batch(batch, 0, len(batch), NOW_MS, RULES) == header
    assert min(verdicts.values()) > 100


def test_what_the_validator_refuses_is_never_plain() -> None:
    batch = bytearray(batch_of(b"value", b"value"))
    batch[57:61] = (3).to_bytes(4, "big")
    lying = with_right_checksum(bytes(batch))
    with pytest.raises(RecordsRefused):
        validate_batch(lying, 0, len(lying), NOW_MS, RULES)
    assert not is_plain(lying)


@pytest.mark.parametrize("value_bytes", [10, 5_000])
def test_a_kept_batch_has_the_new_front_and_its_own_body(value_bytes: int) -> None:
    batch = batch_of(b"v" * value_bytes)
    kept = kept_batch(b"??" + batch + b"!!", 2, 2 + len(batch), b"f" * 16)
    assert kept == b"f" * 16 + batch[16:]


def test_a_large_batch_stays_where_it_was_received() -> None:
    frame = bytearray(b"??" + batch_of(b"v" * KEEP_VIEW_FROM_BYTES) + b"!!")
    kept = kept_batch(frame, 2, len(frame) - 2, b"f" * 16)
    assert isinstance(kept, memoryview)
    assert kept.obj is frame
    assert bytes(kept) == bytes(frame[2:-2])
