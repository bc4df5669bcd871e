"""Appending produced records to a partition's log."""

import pytest

from mockbroker.broker.produce.append import append_batch, append_message_set, append_records
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.types import Compression
from mockbroker.state.event_reporter import EventReporter, position_of
from mockbroker.state.events import BatchAppended
from tests.conformance.batches import (
    GZIP,
    HEADER,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    ZSTD,
    Item,
    Producer,
    batch,
    message,
)
from tests.support.in_process import NOW_MS, Brokers

LEADER_EPOCH = 4


@pytest.fixture
def brokers() -> Brokers:
    brokers = Brokers(topics={"orders": 1})
    brokers.partition("orders").leader_epoch = LEADER_EPOCH
    return brokers


def configure(brokers: Brokers, **overrides: str) -> None:
    brokers.state.configs.set_topic_overrides(
        "orders", {name.replace("_", "."): value for name, value in overrides.items()}
    )
    brokers.state.configs_changed("orders")


def append(brokers: Brokers, data: bytes | memoryview, *, allows_zstd: bool = True) -> int:
    partition = brokers.partition("orders")
    return append_records(brokers.service, partition, data, allows_zstd=allows_zstd).base_offset


def test_a_batch_is_stamped_with_its_offset_and_leader_epoch(brokers: Brokers) -> None:
    data = batch(Item(), Item(), at_ms=NOW_MS)
    assert [append(brokers, data) for _ in range(2)] == [0, 2]
    stored = brokers.log_bytes("orders")
    first, second = stored[: len(data)], stored[len(data) :]
    assert parse_batch_header(second).base_offset == 2
    assert parse_batch_header(second).partition_leader_epoch == LEADER_EPOCH
    assert first[16:] == second[16:] == data[16:]


def test_the_received_buffer_is_never_modified(brokers: Brokers) -> None:
    sent = bytearray(batch(Item(), at_ms=NOW_MS))
    before = bytes(sent)
    append(brokers, memoryview(sent))
    assert sent == before


def test_a_large_batch_is_not_copied(brokers: Brokers) -> None:
    sent = bytearray(batch(Item(value=bytes(100_000)), at_ms=NOW_MS))
    append(brokers, memoryview(sent))
    assert parse_batch_header(sent).partition_leader_epoch == LEADER_EPOCH
    log = brokers.state.log_of(brokers.partition("orders"), NOW_MS)
    (kept,) = log.read(0, max_bytes=1, up_to_offset=1).buffers
    assert isinstance(kept, memoryview)
    assert kept.obj is sent


def test_a_large_batch_that_cannot_be_written_to_is_copied(brokers: Brokers) -> None:
    sent = batch(Item(value=bytes(100_000)), at_ms=NOW_MS)
    append(brokers, memoryview(sent))
    assert parse_batch_header(brokers.log_bytes("orders")).partition_leader_epoch == LEADER_EPOCH


def test_a_retry_gets_the_offset_of_the_first_time(brokers: Brokers) -> None:
    data = batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0))
    assert [append(brokers, data) for _ in range(3)] == [0, 0, 0]
    assert len(brokers.log_bytes("orders")) == len(data)


@pytest.mark.parametrize(
    ("refused_batch", "code"),
    [
        (batch(Item(), at_ms=NOW_MS, wrong={"crc": 1}), ErrorCode.CORRUPT_MESSAGE),
        (
            batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 9)),
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ),
    ],
)
def test_a_refused_batch_changes_nothing(
    brokers: Brokers, refused_batch: bytes, code: ErrorCode
) -> None:
    append(brokers, batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0)))
    before = brokers.state.as_text()
    with pytest.raises(ApiError) as refused:
        append(brokers, refused_batch)
    assert refused.value.code is code
    assert brokers.state.as_text() == before


def test_zstd_is_refused_to_old_clients(brokers: Brokers) -> None:
    data = batch(Item(), at_ms=NOW_MS, codec=ZSTD)
    assert append(brokers, data) == 0
    with pytest.raises(ApiError) as refused:
        append(brokers, data, allows_zstd=False)
    assert refused.value.code is ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


def test_log_append_time_is_written_over_the_producers(brokers: Brokers) -> None:
    configure(brokers, message_timestamp_type="LogAppendTime")
    brokers.clock.advance(5_000)
    brokers.service.read_clock()
    append(brokers, batch(Item(), at_ms=NOW_MS - 7))
    header = parse_batch_header(brokers.log_bytes("orders"))
    assert header.max_timestamp == NOW_MS + 5_000
    assert header.attributes & LOG_APPEND_TIME


def test_an_attribute_that_producers_must_not_set_is_cleared(brokers: Brokers) -> None:
    append(brokers, batch(Item(), at_ms=NOW_MS, attributes=LOG_APPEND_TIME))
    stored = brokers.log_bytes("orders")
    assert not parse_batch_header(stored).attributes & LOG_APPEND_TIME
    assert [record.value for record in records_of(stored)] == [b"value"]


@pytest.mark.parametrize(
    ("compression_type", "sent", "stored"),
    [
        ("producer", GZIP, Compression.GZIP),
        ("uncompressed", GZIP, Compression.NONE),
        ("gzip", 0, Compression.GZIP),
        ("zstd", GZIP, Compression.ZSTD),
        ("gzip", GZIP, Compression.GZIP),
    ],
)
def test_a_topic_may_store_batches_in_its_own_codec(
    brokers: Brokers, compression_type: str, sent: int, stored: Compression
) -> None:
    configure(brokers, compression_type=compression_type)
    append(brokers, batch(Item(value=b"a"), Item(value=b"b"), at_ms=NOW_MS, codec=sent))
    data = brokers.log_bytes("orders")
    assert parse_batch_header(data).compression == stored
    assert [record.value for record in records_of(data)] == [b"a", b"b"]


@pytest.mark.parametrize("magic", [0, 1])
def test_an_old_message_set_becomes_one_batch(brokers: Brokers, magic: int) -> None:
    sent = message(b"a", magic=magic, at_ms=NOW_MS) + message(
        b"b", magic=magic, at_ms=NOW_MS, offset=1
    )
    info = append_message_set(brokers.service, brokers.partition("orders"), sent)
    assert (info.base_offset, info.last_offset) == (0, 1)
    data = brokers.log_bytes("orders")
    assert parse_batch_header(data).magic == 2
    assert [record.value for record in records_of(data)] == [b"a", b"b"]


def test_a_message_set_that_cannot_be_read_is_refused(brokers: Brokers) -> None:
    sent = message(b"a", magic=1, at_ms=NOW_MS, crc=1)
    with pytest.raises(ApiError) as refused:
        append_message_set(brokers.service, brokers.partition("orders"), sent)
    assert refused.value.code is ErrorCode.CORRUPT_MESSAGE
    assert not brokers.log_bytes("orders")


def test_readers_are_woken_by_a_batch_and_not_by_a_retry(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[object] = []
    monkeypatch.setattr(brokers.service.purgatory, "touch", woken.append)
    data = batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0))
    header = parse_batch_header(data)
    partition = brokers.partition("orders")
    for _ in range(2):
        append_batch(brokers.service, partition, header, bytearray(data))
    assert woken == [partition]
    assert len(brokers.log_bytes("orders")) == len(data) == HEADER.size + len(data[61:])


def test_an_append_and_a_retry_are_reported(brokers: Brokers) -> None:
    reported: list[object] = []
    brokers.state.observation.reporter = EventReporter(reported.append)
    partition = brokers.partition("orders")
    data = batch(Item(), Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0))
    append(brokers, data)
    position = position_of(partition)
    append(brokers, data)
    header = parse_batch_header(data)
    assert reported == [
        BatchAppended(position, header, 0, 1, is_duplicate=False),
        BatchAppended(position, header, 0, 1, is_duplicate=True),
    ]


# Topics that are kept in an old format


def in_format(version: str, *, release: str = "2.4", proposals: tuple[str, ...] = ()) -> Brokers:
    brokers = Brokers(topics={"orders": 1}, release=release, proposals=proposals)
    configure(brokers, message_format_version=version)
    return brokers


@pytest.mark.parametrize("version", ["0.9.0", "0.10.0", "0.10.2"])
@pytest.mark.parametrize(
    ("attributes", "codec", "why", "code"),
    [
        (
            0,
            GZIP,
            "Idempotent records cannot be used with magic version",
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ),
        (
            TRANSACTIONAL,
            Compression.NONE,
            "Transactional records are not supported for magic",
            ErrorCode.UNKNOWN_SERVER_ERROR,
        ),
        (
            TRANSACTIONAL,
            GZIP,
            "Transactional records cannot be used with magic version",
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ),
    ],
)
def test_an_old_format_has_no_room_for_a_producer_id(
    version: str, attributes: int, codec: int, why: str, code: ErrorCode
) -> None:
    brokers = in_format(version)
    data = batch(Item(), at_ms=NOW_MS, codec=codec, producer=Producer(7), attributes=attributes)
    with pytest.raises(ApiError, match=why) as error:
        append(brokers, data)
    assert error.value.code is code
    assert brokers.log_bytes("orders") == b""


def test_an_old_format_has_no_room_for_headers() -> None:
    brokers = in_format("0.10.0")
    with pytest.raises(ApiError, match="Magic v1 does not support record headers") as error:
        append(brokers, batch(Item(), Item(headers=[(b"h", b"v")]), at_ms=NOW_MS))
    assert error.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert append(brokers, batch(Item(), at_ms=NOW_MS)) == 0


def test_an_old_format_has_no_room_for_zstd() -> None:
    brokers = in_format("0.10.0")
    why = "ZStandard compression is not supported for magic 1"
    with pytest.raises(ApiError, match=why) as error:
        append(brokers, batch(Item(), at_ms=NOW_MS, codec=ZSTD))
    assert error.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert brokers.log_bytes("orders") == b""


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (batch(Item(), at_ms=NOW_MS, producer=Producer(7)), "Idempotent records .* version 1"),
        (batch(Item(headers=[(b"h", b"v")]), at_ms=NOW_MS), "Magic v1 does not support record"),
    ],
)
def test_an_old_format_has_no_room_for_them_in_old_requests_either(sent: bytes, why: str) -> None:
    brokers = in_format("0.10.0")
    partition = brokers.partition("orders")
    with pytest.raises(ApiError, match=why):
        append_message_set(brokers.service, partition, sent)
    assert brokers.log_bytes("orders") == b""
    message_set = message(b"a", magic=1, at_ms=NOW_MS)
    assert append_message_set(brokers.service, partition, message_set).base_offset == 0


def test_the_newest_format_has_room_for_them_in_old_requests() -> None:
    brokers = in_format("0.11.0")
    sent = batch(Item(headers=[(b"h", b"v")]), at_ms=NOW_MS, producer=Producer(7))
    assert append_message_set(brokers.service, brokers.partition("orders"), sent).base_offset == 0


def test_since_0_11_a_format_has_room_for_both() -> None:
    brokers = in_format("0.11.0")
    data = batch(Item(headers=[(b"h", b"v")]), at_ms=NOW_MS, producer=Producer(7))
    assert append(brokers, data) == 0


@pytest.mark.parametrize(
    ("proposals", "is_refused"), [((), False), (("old-message-formats",), True)]
)
def test_an_ignored_format_setting_applies_with_a_proposal(
    proposals: tuple[str, ...], is_refused: bool
) -> None:
    brokers = in_format("0.10.0", release="3.9", proposals=proposals)
    data = batch(Item(), at_ms=NOW_MS, producer=Producer(7))
    if is_refused:
        with pytest.raises(ApiError, match="magic version 1"):
            append(brokers, data)
    else:
        assert append(brokers, data) == 0


def test_the_log_gets_the_time_of_each_append(brokers: Brokers) -> None:
    for number in (1, 2):
        brokers.clock.advance(10)
        brokers.service.read_clock()
        append(brokers, batch(Item(), at_ms=NOW_MS))
        segment = brokers.state.log_of(brokers.partition("orders"), 0).segments.active
        assert segment.created_ms == NOW_MS + 10
        assert segment.last_modified_ms == NOW_MS + 10 * number
