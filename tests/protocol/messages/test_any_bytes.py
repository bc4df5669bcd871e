"""Any bytes decode to a message or a `DecodeError` that names a field, at low cost."""

import random
import re
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import pytest

from mockbroker.protocol.codec import decode, decoder, encode, message_construct
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.metadata import MetadataRequest
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.codegen import UNREADABLE
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.varint import write_uvarint
from tests.support.declared import ValueMaker, all_messages, versions

MUTANTS = 25
SPLITS = 120
FRAME_BYTES = 1 << 16
# Largest memory cost of a byte in a frame: the smallest topics have three bytes.
MEMORY_PER_BYTE = 60
WORTHLESS = [b"", b"\0", b"\xff" * 64, b"\0" * 64, b"\x7f" * 64, b"\x80" * 64, b"\x01" * 64]


def check(message: type[Message], version: int, data: bytes) -> None:
    """Check that both codecs decode the same value, or raise an error with a valid path."""
    read, read_slowly = (
        outcome(partial(decode, message, version), data),
        outcome(message_construct(message, version).parse_bytes, data),
    )
    if isinstance(read, DecodeError):
        assert isinstance(read_slowly, DecodeError)
        assert (read_slowly.path, read_slowly.why) == (read.path, read.why)
        assert read.why
        assert re.split(r"[.[(]", read.path)[0] in {*message.FIELDS, "tags", "tag", ""}
    else:
        # Decoded bytes encode to the same bytes, or were another encoding of the same value.
        assert same(decode(message, version, encode(read, version)), read)
        assert same(read_slowly, read)


def outcome(read: Callable[[bytes], Any], data: bytes) -> Any:
    """Return the decoded value or the error; any other exception fails the test."""
    try:
        return read(data)
    except DecodeError as error:
        return error


def same(left: object, right: object) -> bool:
    return left == right or repr(left) == repr(right)  # NaN is equal only by identity


def mutants(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Change single bytes, lengths and ends of a frame."""
    for _ in range(MUTANTS):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 1, 3))):
            at = rng.randrange(len(changed) + 1)
            match rng.randrange(4):
                case 0 if changed:
                    changed[min(at, len(changed) - 1)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
                case 1 if changed:
                    changed[min(at, len(changed) - 1)] ^= 1 << rng.randrange(8)
                case 2:
                    changed[at:at] = rng.randbytes(rng.randint(1, 4))
                case _:
                    del changed[at : at + rng.randint(1, 4)]
        yield bytes(changed)


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_mutated_and_random_bytes_are_read_or_refused(message: type[Message]) -> None:
    for version in versions(message):
        seed = f"{message.__name__} v{version}"  # pytest shows it at a failure
        rng = random.Random(seed)
        data = encode(ValueMaker(seed).message(message, version), version)
        for bad in (*mutants(data, rng), *WORTHLESS, rng.randbytes(rng.randint(1, 200))):
            check(message, version, bad)


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_a_frame_cut_anywhere_is_refused(message: type[Message]) -> None:
    for version in versions(message):
        seed = f"{message.__name__} v{version}"
        data = encode(ValueMaker(seed).message(message, version), version)
        for end in range(0, len(data), len(data) // SPLITS + 1):
            with pytest.raises(DecodeError):
                decode(message, version, data[:end])
        with pytest.raises(DecodeError, match="1 bytes are left over"):
            decode(message, version, data + b"\0")


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_a_compiled_decoder_raises_nothing_else(message: type[Message]) -> None:
    for version in versions(message):
        rng = random.Random(f"{message.__name__} v{version}")
        for _ in range(40):
            data = rng.randbytes(rng.randint(0, 80))
            try:
                decoder(message, version)(data, 0, len(data))
            except UNREADABLE:
                continue


# The smallest elements: a message, its version, and the parts of a frame full of them.
FULL_OF_ELEMENTS = [
    (MetadataRequest, 1, b"", b"\0\0", b""),
    (MetadataRequest, 9, b"", b"\x01\0", bytes(4)),
    (ProduceRequest, 3, b"\xff\xff" + bytes(6), bytes(6), b""),
    (ProduceRequest, 9, bytes(7), b"\x01\x01\0", b"\0"),
]


def full_frame(message: type[Message], version: int, parts: tuple[bytes, bytes, bytes]) -> bytes:
    before, element, after = parts
    count = FRAME_BYTES // len(element)
    flexible = version in message.FLEXIBLE
    length = write_uvarint(count + 1) if flexible else count.to_bytes(4, "big")
    return before + length + element * count + after


def peak_bytes_of(message: type[Message], version: int, data: bytes) -> int:
    tracemalloc.start()
    outcome(partial(decode, message, version), data)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak_bytes


def seconds_of(message: type[Message], version: int, data: bytes) -> float:
    """Return the minimum of three runs: on a busy machine a single one may take much longer."""
    tries: list[float] = []
    for _ in range(3):
        start = process_time()
        outcome(partial(decode, message, version), data)
        tries.append(process_time() - start)
    return min(tries)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("message", "version", "before", "element", "after"),
    FULL_OF_ELEMENTS,
    ids=[f"{message.__name__}-{version}" for message, version, *_ in FULL_OF_ELEMENTS],
)
def test_a_frame_full_of_empty_elements_costs_in_proportion(
    message: type[Message], version: int, before: bytes, element: bytes, after: bytes
) -> None:
    good = full_frame(message, version, (before, element, after))
    bad = good[:-1]
    for data in (good, bad):
        assert peak_bytes_of(message, version, data) < MEMORY_PER_BYTE * len(data)
    # A frame with an error in its last byte does not cost orders of magnitude more.
    good_seconds = seconds_of(message, version, good)
    assert seconds_of(message, version, bad) < 10 * good_seconds


COUNTS = [0x7FFFFFFF, 0x10000, 17]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("version", "before"), [(3, b"\xff\xff" + bytes(6)), (9, bytes(7))], ids=["v3", "v9"]
)
def test_a_declared_count_is_not_trusted(count: int, version: int, before: bytes) -> None:
    flexible = version in ProduceRequest.FLEXIBLE
    length = write_uvarint(count + 1) if flexible else count.to_bytes(4, "big")
    data = before + length + bytes(16)
    decoder(ProduceRequest, version)
    tracemalloc.start()
    with pytest.raises(DecodeError, match=rf"topic_data: {count} elements declared, 16 bytes left"):
        decode(ProduceRequest, version, data)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 100_000  # the constructs that explain it are created once


@pytest.mark.parametrize("size", [0x7FFFFFFF, 0x10000, 17])
def test_a_declared_size_is_not_trusted(size: int) -> None:
    partition = b"t" + (1).to_bytes(4, "big") + bytes(4) + size.to_bytes(4, "big", signed=True)
    data = b"\xff\xff" + bytes(6) + (1).to_bytes(4, "big") + b"\0\x01" + partition + bytes(16)
    with pytest.raises(DecodeError) as refused:
        decode(ProduceRequest, 3, data)
    assert refused.value.path == "topic_data[0].partition_data[0].records"
    assert refused.value.why == f"{size} bytes wanted, 16 left"


def test_a_count_of_tags_is_not_trusted() -> None:
    data = bytes(7) + b"\x01" + b"\xff\xff\xff\xff\x0f" + bytes(16)
    with pytest.raises(DecodeError, match="tags: the bytes end inside a varint"):
        decode(ProduceRequest, 9, data)


def test_the_invalid_element_of_a_long_array_is_named() -> None:
    topics = b"\0\x01t\0\0\0\0" * 40 + b"\0\x01\xff\0\0\0\0" + b"\0\x01t\0\0\0\0"
    data = b"\xff\xff" + bytes(6) + (42).to_bytes(4, "big") + topics
    with pytest.raises(DecodeError, match=r"topic_data\[40\]\.name: invalid UTF-8"):
        decode(ProduceRequest, 3, data)


def test_an_element_that_runs_out_of_a_long_array_is_named() -> None:
    topics = b"\0\x01t\0\0\0\0" * 40 + b"\0\x09t\0\0\0\0"
    data = b"\xff\xff" + bytes(6) + (41).to_bytes(4, "big") + topics
    with pytest.raises(DecodeError, match=r"topic_data\[40\]\.name: 9 bytes wanted, 5 left"):
        decode(ProduceRequest, 3, data)
