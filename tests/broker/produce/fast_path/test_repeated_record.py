"""Requests of one record that repeat: each is judged as the first was."""

import sys
from random import Random

import pytest

from mockbroker.broker.produce.fast_path.repeated_record import RepeatedRecord
from mockbroker.events.event_types import NOBODY
from mockbroker.protocol.crc32c import crc32c
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    batch_spans,
    build_batch,
    parse_batch_header,
)
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.producer.producer_state_entry import ProducerStateEntry
from tests.support.in_process import (
    NOW_MS,
    Brokers,
    frame_of,
    sized,
)
from tests.support.requests import fetch, produce

CRC_AT = 17
PRODUCER_ID = 77
LAST_SEQUENCE = (1 << 31) - 1
ROUNDS = 1_500


def a_batch(value: bytes = b"v" * 40, *, at_ms: int = NOW_MS) -> bytes:
    return build_batch([Record(timestamp=at_ms, value=value)])


def an_idempotent_batch(
    base_sequence: int, *, producer_id: int = PRODUCER_ID, producer_epoch: int = 0
) -> bytes:
    return build_batch(
        [Record(timestamp=NOW_MS, value=b"v" * 40)],
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
    )


def a_run(*base_sequences: int, producer_epoch: int = 0) -> bytes:
    return b"".join(
        request_of(an_idempotent_batch(each, producer_epoch=producer_epoch))
        for each in base_sequences
    )


def entry_of(repeated: RepeatedRecord) -> ProducerStateEntry:
    entry = repeated.log.producers.last_entry(PRODUCER_ID)
    assert entry is not None
    return entry


def with_right_checksum(batch: bytes) -> bytes:
    return batch[:CRC_AT] + crc32c(batch[CRC_FROM:]).to_bytes(4, "big") + batch[CRC_FROM:]


def request_of(batch: bytes, version: int = 9, correlation_id: int = 1) -> bytes:
    request: ProduceRequest = produce("orders", 0, batch)
    return sized(frame_of(request, version, correlation_id))


def learned(brokers: Brokers, batch: bytes) -> tuple[RepeatedRecord, bytes]:
    """Append a batch, and learn its request; give the request too, its size in front."""
    frame = request_of(batch)
    brokers.connect().feed(frame)
    partition = brokers.partition("orders")
    rules = brokers.service.batch_rules_of(partition)
    batch_at = frame.index(batch)
    return RepeatedRecord(brokers.service, partition, 0, rules, NOBODY, frame, batch_at), frame


def headers(brokers: Brokers) -> list[BatchHeader]:
    data = brokers.log_bytes("orders")
    return [parse_batch_header(data, start) for start, _ in batch_spans(data)]


def appended(repeated: RepeatedRecord, data: bytes, position: int = 0) -> object:
    return repeated.append_run(data, position, len(data))


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 1})


def test_the_same_request_again_and_again_is_appended_behind_the_first(brokers: Brokers) -> None:
    repeated, frame = learned(brokers, a_batch())
    assert appended(repeated, frame) == ([1], 1)
    assert appended(repeated, b"??" + frame * 3, 2) == ([1, 1, 1], 2)
    assert brokers.partition("orders").log is repeated.log
    assert repeated.log.log_end_offset == 5
    assert [batch.base_offset for batch in headers(brokers)] == [0, 1, 2, 3, 4]


def test_other_values_and_correlation_ids_are_like_it(brokers: Brokers) -> None:
    repeated, _ = learned(brokers, a_batch())
    others = [request_of(a_batch(bytes((n,)) * 40), correlation_id=n) for n in (7, 8)]
    assert all(repeated.is_like(other, 0) for other in others)
    assert appended(repeated, b"".join(others)) == ([7, 8], 1)
    assert b"\x07" * 40 in brokers.log_bytes("orders")
    assert b"\x08" * 40 in brokers.log_bytes("orders")


def test_a_run_ends_where_a_checksum_is_wrong(brokers: Brokers) -> None:
    repeated, frame = learned(brokers, a_batch())
    damaged = bytearray(frame)
    damaged[-10] ^= 1
    assert appended(repeated, bytes(damaged)) is None
    assert appended(repeated, frame + bytes(damaged) + frame) == ([1], 1)
    assert repeated.log.log_end_offset == 2


def test_a_run_ends_where_a_request_is_not_whole(brokers: Brokers) -> None:
    repeated, frame = learned(brokers, a_batch())
    assert appended(repeated, frame + frame[:-1]) == ([1], 1)
    assert appended(repeated, frame[:-1]) is None


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("shift_ms", [-10_000_000, 1])
def test_timestamps_are_judged_each_time(shift_ms: int, count: int) -> None:
    brokers = Brokers(
        topics={"orders": 1}, configs={"log.message.timestamp.before.max.ms": "3600000"}
    )
    repeated, _ = learned(brokers, a_batch())
    other = request_of(a_batch(at_ms=NOW_MS + shift_ms))
    assert appended(repeated, other * count) is None


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("timestamp", [-1, -5])
def test_a_record_without_a_timestamp_is_not_like_it(
    brokers: Brokers, timestamp: int, count: int
) -> None:
    repeated, _ = learned(brokers, a_batch())
    assert appended(repeated, request_of(a_batch(at_ms=timestamp)) * count) is None


@pytest.mark.parametrize("count", [1, 2])
def test_a_new_config_of_the_topic_is_noticed(brokers: Brokers, count: int) -> None:
    repeated, frame = learned(brokers, a_batch())
    brokers.state.configs.set_topic_overrides("orders", {"max.message.bytes": "10"})
    brokers.state.configs_changed("orders")
    assert appended(repeated, frame * count) is None


@pytest.mark.parametrize("count", [1, 2])
def test_a_run_wakes_who_waits_for_the_partition(brokers: Brokers, count: int) -> None:
    repeated, frame = learned(brokers, a_batch())
    reader = brokers.connect()
    reader.feed(sized(frame_of(fetch("orders", 0, offset=1, max_wait_ms=1000), 12)))
    assert reader.new_frames() == []
    assert appended(repeated, frame * count) is not None
    brokers.loop.run()
    assert len(reader.new_frames()) == 1


def test_a_producers_run_goes_on_with_its_sequences(brokers: Brokers) -> None:
    repeated, _ = learned(brokers, an_idempotent_batch(0))
    assert appended(repeated, a_run(1, 2, 3, 4, 5, 6, 7)) == ([1] * 7, 1)
    entry = entry_of(repeated)
    assert [(each.first_sequence, each.first_offset) for each in entry.batches()] == [
        (n, n) for n in range(3, 8)
    ]
    assert (entry.last_sequence, entry.last_timestamp_ms) == (7, NOW_MS)


def test_a_short_run_leaves_what_was_remembered_before(brokers: Brokers) -> None:
    repeated, _ = learned(brokers, an_idempotent_batch(0))
    assert appended(repeated, a_run(1, 2)) == ([1, 1], 1)
    assert [each.first_sequence for each in entry_of(repeated).batches()] == [0, 1, 2]


@pytest.mark.parametrize(
    ("base_sequences", "count"), [((1, 3), 1), ((1, 1), 1), ((1, 2, 0), 2), ((2, 3), 0), ((0,), 0)]
)
def test_a_producers_run_ends_where_a_sequence_is_not_the_next(
    brokers: Brokers, base_sequences: tuple[int, ...], count: int
) -> None:
    repeated, _ = learned(brokers, an_idempotent_batch(0))
    expected = ([1] * count, 1) if count else None
    assert appended(repeated, a_run(*base_sequences)) == expected
    assert repeated.log.log_end_offset == 1 + count


def test_another_producer_or_epoch_is_not_like_it(brokers: Brokers) -> None:
    repeated, _ = learned(brokers, an_idempotent_batch(0))
    assert appended(repeated, a_run(1, producer_epoch=1)) is None
    assert appended(repeated, request_of(an_idempotent_batch(1, producer_id=78))) is None
    assert appended(repeated, request_of(a_batch())) is None


def test_a_producer_that_is_forgotten_or_fenced_meanwhile_is_noticed(brokers: Brokers) -> None:
    repeated, _ = learned(brokers, an_idempotent_batch(0))
    brokers.connect().feed(request_of(an_idempotent_batch(0, producer_epoch=1)))
    assert appended(repeated, a_run(1)) is None
    repeated.log.producers.clear()
    assert appended(repeated, a_run(1)) is None


def test_a_run_does_not_wrap_the_sequences(brokers: Brokers) -> None:
    repeated, _ = learned(brokers, an_idempotent_batch(LAST_SEQUENCE - 2))
    assert appended(repeated, a_run(LAST_SEQUENCE - 1, LAST_SEQUENCE, 0)) == ([1, 1], 1)
    assert appended(repeated, a_run(0)) is None


@pytest.mark.parametrize("release", ["1.1", "2.4", "4.4"])
@pytest.mark.parametrize("seed", [3, 4])
def test_producers_of_all_kinds_are_answered_as_without_memory(release: str, seed: int) -> None:
    sys.stdout.write(f"seed {seed}\n")
    source = Random(seed)
    narrow = Brokers(topics={"orders": 1}, release=release)
    wide = Brokers(topics={"orders": 1}, release=release, narrow=False)
    peers = [narrow.connect(), wide.connect()]
    sequences = {PRODUCER_ID: LAST_SEQUENCE - 60, PRODUCER_ID + 1: 0}
    for _ in range(ROUNDS // 4):
        producer_id = source.choice(list(sequences))
        data = b""
        for _ in range(source.choice((1, 2, 9))):
            base_sequence = (
                sequences[producer_id] + source.choices((0, 1, -1, -6), (60, 1, 1, 1))[0]
            )
            sent = an_idempotent_batch(base_sequence & LAST_SEQUENCE, producer_id=producer_id)
            data += request_of(sent, version=5)
            if base_sequence == sequences[producer_id]:
                sequences[producer_id] = base_sequence + 1 & LAST_SEQUENCE
        answers: list[list[bytes]] = []
        for peer in peers:
            peer.feed(data)
            answers.append(peer.new_frames())
        assert answers[0] == answers[1]
    assert narrow.state.as_text() == wide.state.as_text()
    assert narrow.log_bytes("orders") == wide.log_bytes("orders")
    assert narrow.plain_answers > ROUNDS // 4


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
        data = request_of(with_right_checksum(bytes(batch)), version) * source.choice((1, 2, 5))
        answers: list[list[bytes]] = []
        for peer in peers:
            peer.feed(data)
            answers.append(peer.new_frames())
        assert answers[0] == answers[1]
        assert [peer.is_hung_up for peer in peers] == [False, False]
    assert narrow.state.as_text() == wide.state.as_text()
    assert narrow.log_bytes("orders") == wide.log_bytes("orders")
    assert narrow.plain_answers > ROUNDS // 4
