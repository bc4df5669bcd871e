"""Records in the format of each Fetch version: old versions support old formats only."""

from typing import Final, NamedTuple

from mockbroker.broker.outcomes import JOIN_BELOW_BYTES
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import MAGIC_AT, batch_spans
from mockbroker.protocol.records.conversion import down_convert
from mockbroker.protocol.records.message_set import INCOMPLETE_MESSAGE, MAGIC_V0, MAGIC_V1
from mockbroker.protocol.types import Buffer, BufferChain
from mockbroker.state.config.topic_config import TopicConfig
from mockbroker.state.fetch.fetch_session import FetchPartition

FIRST_WITH_TIMESTAMPS: Final = 2
FIRST_WITH_BATCHES: Final = 4
FIRST_WITH_ZSTD: Final = 10
LAST_WITH_HARD_LIMIT: Final = 2
"""Last version in which `max_bytes` truncates even the first batch (KIP-74)."""


class ConversionWay(NamedTuple):
    """Release rules for converting records for consumers of old formats."""

    pads: bool = True
    """Pad converted records to the size of those in the log (KIP-283, since 2.0)."""
    refuses_headers: bool = False
    """Fail on records with headers instead of dropping the headers (KAFKA-5922)."""


KIP_283: Final = ConversionWay()
"""Rules of current releases."""


def refuse_new_codec(compression_type: str, api_version: int) -> None:
    """Refuse a topic with compression type zstd to clients without zstd (KIP-110).

    Raises:
        ApiError: UNSUPPORTED_COMPRESSION_TYPE.

    """
    if compression_type == "zstd" and api_version < FIRST_WITH_ZSTD:
        raise ApiError(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "Fetch before v10 does not support zstd"
        )


def records_for_fetch(
    chain: BufferChain,
    api_version: int,
    wish: FetchPartition,
    config: TopicConfig,
    way: ConversionWay = KIP_283,
) -> Buffer | BufferChain:
    """Return batches in the format of a Fetch version; small ones are joined.

    Converted records take the space of those in the log, as in Kafka since 2.0: the excess is cut
    off, and the rest is filled with an incomplete message, which consumers ignore. Only the first
    batch is always returned whole. (KIP-283)

    Raises:
        ApiError: UNSUPPORTED_COMPRESSION_TYPE for zstd, which clients of old formats cannot read;
            UNSUPPORTED_VERSION if `message.downconversion.enable` is false; UNKNOWN_SERVER_ERROR
            for record headers, in the releases that fail on them.

    """
    if not config.has_newest_format:
        # The log stores batches in any case; clients cannot see the difference.
        data = down_convert(bytes(chain), config.record_version, first_offset=wish.fetch_offset)
        if api_version >= FIRST_WITH_BATCHES:
            return data
    elif api_version >= FIRST_WITH_BATCHES:
        return chain if len(chain) >= JOIN_BELOW_BYTES * len(chain.buffers) else bytes(chain)
    else:
        data = bytes(chain)
    magic = MAGIC_V1 if api_version >= FIRST_WITH_TIMESTAMPS else MAGIC_V0
    first = next(batch_spans(data), None)
    if first is None or all(data[start + MAGIC_AT] <= magic for start, _ in batch_spans(data)):
        return data
    if not config.message_downconversion_enable:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "message.downconversion.enable is false")
    if way.pads:
        return _converted_in_place(data, magic, wish.fetch_offset)
    return down_convert(
        data, magic, first_offset=wish.fetch_offset, refuses_headers=way.refuses_headers
    )


def _converted_in_place(data: bytes, magic: int, first_offset: int) -> bytes:
    """Convert batches to messages that take the same space (`LazyDownConversionRecords`).

    As in Kafka, everything after the first batch is converted again: if the first is a marker,
    whose conversion is empty, the second batch appears twice. zstd batches after the first are
    dropped; as the first batch they are refused.
    """
    spans = list(batch_spans(data))
    parts = (
        down_convert(data[start:end], magic, first_offset=first_offset) for start, end in spans
    )
    head = next(filter(None, parts), b"")
    if not head:
        return INCOMPLETE_MESSAGE
    try:
        rest = down_convert(data[spans[0][1] :], magic, first_offset=first_offset)
    except ApiError:
        rest = b""
    size_bytes = max(len(data), len(head))
    filler = INCOMPLETE_MESSAGE.ljust(size_bytes, b"\0")
    return (head + rest + filler)[:size_bytes]
