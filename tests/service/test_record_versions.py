"""Records as each version of Fetch carries them."""

from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.message_set import messages_of
from mockbroker.protocol.types import BufferChain
from mockbroker.record_versions import JOIN_BELOW_BYTES, records_for_fetch, refuse_new_codec
from mockbroker.state.fetch_session import FetchPartition
from tests.conformance.batches import GZIP, ZSTD, Item, batch
from tests.service.support.in_process import NOW_MS, Brokers

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
    """Give the values of the whole messages; what is not whole stands for padding."""
    end = data.find(PADDING.to_bytes(4, "big"))
    return [m.value for m in messages_of(data if end < 0 else data[: end - 8])]


def test_new_versions_get_large_batches_as_they_lie_and_small_ones_in_one_piece() -> None:
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


def test_what_lies_before_the_offset_is_left_out() -> None:
    data = batch(Item(value=b"a"), Item(value=b"b"), at_ms=NOW_MS, codec=GZIP)
    assert values(converted(data, 3, fetch_offset=0))
    assert len(converted(data, 3, fetch_offset=1)) >= len(data)


def test_less_than_the_log_holds_is_filled_with_half_a_message() -> None:
    data = batch(Item(value=b"a", headers=((b"h", bytes(200)),)), at_ms=NOW_MS)
    answer = converted(data, 3)
    assert len(answer) == len(data)
    assert PADDING.to_bytes(4, "big") in answer
    assert values(answer) == [b"a"]


def test_more_than_the_log_holds_is_cut_off_behind_the_first_batch() -> None:
    one = batch(*[Item(value=b"v") for _ in range(100)], at_ms=NOW_MS)
    answer = converted(one + one, 3)
    assert len(answer) >= len(converted(one, 3)) > len(one)
    assert values(converted(one, 3)) == [b"v"] * 100


def test_nothing_is_converted_to_nothing() -> None:
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
