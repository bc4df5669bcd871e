"""Records in the format of each Fetch version."""

from uuid import UUID

import pytest

from mockbroker.broker.handlers.record_versions import (
    ConversionWay,
    records_for_fetch,
    refuse_new_codec,
)
from mockbroker.broker.outcomes import JOIN_BELOW_BYTES
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import batch_spans
from mockbroker.protocol.records.message_set import messages_of
from mockbroker.protocol.types import BufferChain
from mockbroker.state.fetch.fetch_session import FetchPartition
from tests.conformance.batches import CONTROL, GZIP, ZSTD, Item, batch
from tests.support.in_process import NOW_MS, Brokers

PADDING = 0x7FFF_FFFF


def wish(fetch_offset: int = 0) -> FetchPartition:
    return FetchPartition("orders", UUID(int=0), 0, fetch_offset=fetch_offset, max_bytes=1_000_000)


def converted(data: bytes, version: int, *, fetch_offset: int = 0, **overrides: str) -> bytes:
    brokers = Brokers(topics={"orders": 1}, release="2.4")
    configs = {name.replace("_", "."): value for name, value in overrides.items()}
    brokers.state.configs.set_topic_overrides("orders", configs)
    brokers.state.configs_changed("orders")
    chain = BufferChain([data], len(data))
    config = brokers.partition("orders").config
    return bytes(records_for_fetch(chain, version, wish(fetch_offset), config))


def values(data: bytes) -> list[bytes | None]:
    """Return the values of the whole messages; an incomplete one is padding."""
    end = data.find(PADDING.to_bytes(4, "big"))
    return [m.value for m in messages_of(data if end < 0 else data[: end - 8])]


def test_new_versions_get_large_batches_uncopied_and_small_ones_joined() -> None:
    brokers = Brokers(topics={"orders": 1})
    config = brokers.partition("orders").config
    small = BufferChain([b"first", b"second"], 11)
    assert records_for_fetch(small, 4, wish(), config) == b"firstsecond"
    large = BufferChain([bytes(JOIN_BELOW_BYTES)] * 2, 2 * JOIN_BELOW_BYTES)
    assert records_for_fetch(large, 4, wish(), config) is large


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_old_versions_get_messages_of_their_time(version: int) -> None:
    data = batch(*[Item(value=b"%d" % n) for n in range(20)], at_ms=NOW_MS)
    answer = converted(data, version)
    assert answer[16] == (1 if version >= 2 else 0)
    assert values(answer)[:3] == [b"0", b"1", b"2"]


def test_records_before_the_offset_are_left_out() -> None:
    data = batch(Item(value=b"a"), Item(value=b"b"), at_ms=NOW_MS, codec=GZIP)
    assert values(converted(data, 3, fetch_offset=0))
    assert len(converted(data, 3, fetch_offset=1)) >= len(data)


def test_a_shorter_conversion_is_padded_with_an_incomplete_message() -> None:
    data = batch(Item(value=b"a", headers=((b"h", bytes(200)),)), at_ms=NOW_MS)
    answer = converted(data, 3)
    assert len(answer) == len(data)
    assert PADDING.to_bytes(4, "big") in answer
    assert values(answer) == [b"a"]


def test_a_longer_conversion_is_cut_off_after_the_first_batch() -> None:
    one = batch(*[Item(value=b"v") for _ in range(100)], at_ms=NOW_MS)
    answer = converted(one + one, 3)
    assert len(answer) >= len(converted(one, 3)) > len(one)
    assert values(converted(one, 3)) == [b"v"] * 100


def test_empty_records_are_converted_to_empty_records() -> None:
    assert converted(b"", 3) == b""


def test_a_topic_may_forbid_conversion() -> None:
    data = batch(Item(), at_ms=NOW_MS)
    with pytest.raises(ApiError) as refused:
        converted(data, 3, message_downconversion_enable="false")
    assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION


def test_zstd_cannot_be_converted() -> None:
    with pytest.raises(ApiError) as refused:
        converted(batch(Item(), at_ms=NOW_MS, codec=ZSTD), 3)
    assert refused.value.code is ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


def test_a_topic_in_zstd_is_refused_to_old_clients() -> None:
    refuse_new_codec("zstd", 10)
    refuse_new_codec("producer", 0)
    with pytest.raises(ApiError) as refused:
        refuse_new_codec("zstd", 9)
    assert refused.value.code is ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


@pytest.mark.parametrize(("format_version", "magic"), [("0.9.0", 0), ("0.10.0", 1)])
@pytest.mark.parametrize("version", [4, 11])
def test_a_topic_of_an_old_format_has_messages_for_new_versions_too(
    format_version: str, magic: int, version: int
) -> None:
    data = batch(Item(value=b"a"), Item(value=b"b"), at_ms=NOW_MS)
    answer = converted(data, version, message_format_version=format_version)
    assert [(m.magic, m.value) for m in messages_of(answer)] == [(magic, b"a"), (magic, b"b")]
    later = converted(data, version, fetch_offset=1, message_format_version=format_version)
    assert [m.value for m in messages_of(later)] == [b"b"]


def test_a_topic_of_an_old_format_is_converted_further_for_older_versions() -> None:
    data = batch(Item(value=b"a"), at_ms=NOW_MS)
    answer = converted(data, 0, message_format_version="0.10.0")
    assert answer[16] == 0
    assert values(answer) == [b"a"]


def test_before_kip_283_converted_records_take_the_space_they_need() -> None:
    data = batch(*[Item(value=b"%d" % n) for n in range(3)], at_ms=NOW_MS)
    config = Brokers(topics={"orders": 1}, release="1.1").partition("orders").config
    chain = BufferChain([data], len(data))
    way = ConversionWay(pads=False)
    answer = bytes(records_for_fetch(chain, 2, wish(), config, way))
    assert [m.value for m in messages_of(answer)] == [b"0", b"1", b"2"]
    assert sum(end - start for start, end in batch_spans(answer)) == len(answer)


MARKER = batch(Item(key=b"\0\0\0\1", value=bytes(6)), at_ms=NOW_MS, attributes=CONTROL)


def test_a_batch_after_a_marker_appears_twice_as_in_kafka() -> None:
    one, two = (batch(Item(value=value), at_ms=NOW_MS) for value in (b"a", b"b"))
    answer = converted(MARKER + one + two, 3)
    assert values(answer) == [b"a", b"a", b"b"]
    assert len(answer) == len(MARKER + one + two)


def test_markers_alone_are_converted_to_an_incomplete_message() -> None:
    assert values(converted(MARKER, 3)) == []
    assert len(converted(MARKER, 3)) == 12


def test_zstd_after_another_batch_is_left_out() -> None:
    one = batch(Item(value=b"a"), at_ms=NOW_MS)
    packed = batch(Item(value=b"b"), at_ms=NOW_MS, codec=ZSTD)
    assert values(converted(one + packed, 3)) == [b"a"]
