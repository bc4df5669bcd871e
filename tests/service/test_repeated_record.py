"""Requests of one record that repeat: each is judged as the first was."""

import sys
from random import Random

import pytest

from mockbroker.protocol.crc32c import crc32c
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.records.batch import CRC_FROM, build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.repeated_record import RepeatedRecord
from tests.service.support.in_process import NOW_MS, Brokers, frame_of, sized
from tests.service.support.requests import produce

CRC_AT = 17
ROUNDS = 1_500


def a_batch(value: bytes = b"v" * 40, *, at_ms: int = NOW_MS) -> bytes:
    return build_batch([Record(timestamp=at_ms, value=value)])


def with_right_checksum(batch: bytes) -> bytes:
    return batch[:CRC_AT] + crc32c(batch[CRC_FROM:]).to_bytes(4, "big") + batch[CRC_FROM:]


def request_of(batch: bytes, version: int = 9, correlation_id: int = 1) -> bytes:
    request: ProduceRequest = produce("orders", 0, batch)
    return sized(frame_of(request, version, correlation_id))


def learned(brokers: Brokers, batch: bytes) -> tuple[RepeatedRecord, bytes, int]:
    """Append a batch, and learn its request; give the frame and where its batch is."""
    brokers.connect().feed(request_of(batch))
    frame = request_of(batch)[4:]
    batch_at = frame.index(batch)
    partition = brokers.partition("orders")
    rules = brokers.service.batch_rules_of(partition)
    return RepeatedRecord(brokers.service, partition, 0, rules, frame, batch_at), frame, batch_at


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 1})


def test_the_same_request_again_is_appended_behind_the_first(brokers: Brokers) -> None:
    repeated, frame, _ = learned(brokers, a_batch())
    assert repeated.append(b"??" + frame, 2, 2 + len(frame)) == (1, 1)
    assert repeated.append(frame, 0, len(frame)) == (1, 2)
    assert brokers.partition("orders").log is repeated.log
    assert repeated.log.log_end_offset == 3


def test_another_value_and_correlation_id_are_like_it(brokers: Brokers) -> None:
    repeated, _, _ = learned(brokers, a_batch())
    other = request_of(a_batch(b"w" * 40), correlation_id=77)[4:]
    assert repeated.append(other, 0, len(other)) == (77, 1)
    assert b"w" * 40 in brokers.log_bytes("orders")


def test_a_wrong_checksum_is_not_like_it(brokers: Brokers) -> None:
    repeated, frame, batch_at = learned(brokers, a_batch())
    damaged = bytearray(frame)
    damaged[batch_at + 80] ^= 1
    assert repeated.append(bytes(damaged), 0, len(damaged)) is None
    assert repeated.misses == 1
    assert repeated.log.log_end_offset == 1


@pytest.mark.parametrize("shift_ms", [-10_000_000, 3_600_001])
def test_timestamps_are_judged_each_time(shift_ms: int) -> None:
    brokers = Brokers(
        topics={"orders": 1}, configs={"log.message.timestamp.before.max.ms": "3600000"}
    )
    repeated, _, _ = learned(brokers, a_batch())
    late = request_of(a_batch(at_ms=NOW_MS + shift_ms))[4:]
    assert repeated.append(late, 0, len(late)) is None


def test_a_new_config_of_the_topic_is_noticed(brokers: Brokers) -> None:
    repeated, frame, _ = learned(brokers, a_batch())
    brokers.state.configs.set_topic_overrides("orders", {"max.message.bytes": "10"})
    brokers.state.configs_changed("orders")
    assert repeated.append(frame, 0, len(frame)) is None


@pytest.mark.parametrize("version", [7, 9])
@pytest.mark.parametrize("seed", [1, 2])
def test_any_damage_is_answered_as_without_memory(version: int, seed: int) -> None:
    sys.stdout.write(f"seed {seed}\n")
    source = Random(seed)
    narrow = Brokers(topics={"orders": 1})
    wide = Brokers(topics={"orders": 1}, narrow=False)
    peers = [narrow.connect(), wide.connect()]
    for _ in range(ROUNDS):
        batch = bytearray(a_batch(source.randbytes(40), at_ms=NOW_MS + source.randint(-2, 2)))
        for _ in range(source.choice((0, 0, 0, 1, 2))):
            batch[source.randrange(12, len(batch))] = source.randrange(256)
        data = request_of(with_right_checksum(bytes(batch)), version)
        answers = []
        for peer in peers:
            peer.feed(data)
            answers.append(peer.new_frames())
        assert answers[0] == answers[1]
        assert [peer.is_hung_up for peer in peers] == [False, False]
    assert narrow.state.as_text() == wide.state.as_text()
    assert narrow.log_bytes("orders") == wide.log_bytes("orders")
    assert narrow.plain_answers > ROUNDS // 4
