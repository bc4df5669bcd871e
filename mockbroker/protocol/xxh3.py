"""XXH3, the hash function of 64 bits that Kafka applies to the topics of a group (KIP-1101).

It follows the specification of xxHash, with the seed 0 and the default secret. A hash is computed
once for each change of a topic, which does not make a library worth its place in every test
environment.
"""

from collections.abc import Callable
from struct import iter_unpack, unpack_from
from typing import Final

_MASK: Final = (1 << 64) - 1
_MASK_32: Final = (1 << 32) - 1
_PRIMES_32: Final = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
_PRIMES: Final = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_AVALANCHE: Final = 0x165667919E3779F9
_RRMXMX: Final = 0x9FB21C651E98DF25
_SECRET: Final = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_STRIPE: Final = 64
_STRIPES_OF_BLOCK: Final = (len(_SECRET) - _STRIPE) // 8
_BLOCK: Final = _STRIPE * _STRIPES_OF_BLOCK
_LANES: Final = (1, 0, 3, 2, 5, 4, 7, 6)
"""The lane that each lane's value is added to."""
_KEYS: Final = tuple(unpack_from("<8Q", _SECRET, 8 * index) for index in range(_STRIPES_OF_BLOCK))
"""The part of the secret for each stripe of a block."""
_KEYS_OF_BLOCK: Final = unpack_from("<8Q", _SECRET, len(_SECRET) - _STRIPE)
_KEYS_AT_END: Final = unpack_from("<8Q", _SECRET, len(_SECRET) - _STRIPE - 7)
_ACCUMULATORS: Final = (
    _PRIMES_32[2],
    _PRIMES[0],
    _PRIMES[1],
    _PRIMES[2],
    _PRIMES[3],
    _PRIMES_32[1],
    _PRIMES[4],
    _PRIMES_32[0],
)


def xxh3_64(data: bytes) -> int:
    """Return the hash of bytes as a signed number."""
    size = len(data)
    hashed = next(of for longest, of in _BY_SIZE if size <= longest)(data)
    return hashed - (1 << 64) if hashed >> 63 else hashed


def _of_none(_data: bytes) -> int:
    return _avalanche_64(_secret(56) ^ _secret(64))


def _of_3(data: bytes) -> int:
    size = len(data)
    mixed = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
    key = _secret(0)
    return _avalanche_64(mixed ^ key & _MASK_32 ^ key >> 32)


def _of_8(data: bytes) -> int:
    first = int.from_bytes(data[:4], "little")
    last = int.from_bytes(data[-4:], "little")
    mixed = (last + (first << 32) & _MASK) ^ _secret(8) ^ _secret(16)
    mixed ^= _rotated(mixed, 49) ^ _rotated(mixed, 24)
    mixed = mixed * _RRMXMX & _MASK
    mixed ^= (mixed >> 35) + len(data)
    mixed = mixed * _RRMXMX & _MASK
    return mixed ^ mixed >> 28


def _of_16(data: bytes) -> int:
    low = _word(data, 0) ^ _secret(24) ^ _secret(32)
    high = _word(data, len(data) - 8) ^ _secret(40) ^ _secret(48)
    swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
    return _avalanche(len(data) + swapped + high + _folded(low, high))


def _of_128(data: bytes) -> int:
    size = len(data)
    total = size * _PRIMES[0]
    for index in range((size - 1) // 32 + 1):
        total += _mixed(data, 16 * index, 32 * index)
        total += _mixed(data, size - 16 * (index + 1), 32 * index + 16)
    return _avalanche(total)


def _of_240(data: bytes) -> int:
    size = len(data)
    total = size * _PRIMES[0] + sum(_mixed(data, 16 * index, 16 * index) for index in range(8))
    total = _avalanche(total)
    total += sum(_mixed(data, 16 * index, 16 * index - 125) for index in range(8, size // 16))
    return _avalanche(total + _mixed(data, size - 16, 119))


def _of_many(data: bytes) -> int:
    lanes = list(_ACCUMULATORS)
    whole = (len(data) - 1) // _STRIPE
    stripes = iter_unpack("<8Q", memoryview(data)[: whole * _STRIPE])
    for number, stripe in enumerate(stripes, 1):
        _accumulate(lanes, stripe, _KEYS[(number - 1) % _STRIPES_OF_BLOCK])
        if number % _STRIPES_OF_BLOCK == 0:
            _scramble(lanes)
    _accumulate(lanes, unpack_from("<8Q", data, len(data) - _STRIPE), _KEYS_AT_END)
    total = len(data) * _PRIMES[0]
    for index in range(0, 8, 2):
        keys = unpack_from("<QQ", _SECRET, 11 + 8 * index)
        total += _folded(lanes[index] ^ keys[0], lanes[index + 1] ^ keys[1])
    return _avalanche(total)


def _accumulate(lanes: list[int], stripe: tuple[int, ...], keys: tuple[int, ...]) -> None:
    for index, value in enumerate(stripe):
        keyed = value ^ keys[index]
        lanes[_LANES[index]] += value
        lanes[index] = lanes[index] + (keyed & _MASK_32) * (keyed >> 32) & _MASK


def _scramble(lanes: list[int]) -> None:
    for index, lane in enumerate(lanes):
        known = lane & _MASK
        lanes[index] = (known ^ known >> 47 ^ _KEYS_OF_BLOCK[index]) * _PRIMES_32[0] & _MASK


def _word(data: bytes, position: int) -> int:
    return int.from_bytes(data[position : position + 8], "little")


def _secret(position: int) -> int:
    return _word(_SECRET, position)


def _mixed(data: bytes, position: int, key: int) -> int:
    return _folded(
        _word(data, position) ^ _secret(key), _word(data, position + 8) ^ _secret(key + 8)
    )


def _folded(one: int, other: int) -> int:
    product = (one & _MASK) * (other & _MASK)
    return product & _MASK ^ product >> 64


def _rotated(value: int, bits: int) -> int:
    return value << bits & _MASK | value >> 64 - bits


def _avalanche(value: int) -> int:
    value &= _MASK
    value = (value ^ value >> 37) * _AVALANCHE & _MASK
    return value ^ value >> 32


def _avalanche_64(value: int) -> int:
    value = (value ^ value >> 33) * _PRIMES[1] & _MASK
    value = (value ^ value >> 29) * _PRIMES[2] & _MASK
    return value ^ value >> 32


_BY_SIZE: Final[tuple[tuple[float, Callable[[bytes], int]], ...]] = (
    (0, _of_none),
    (3, _of_3),
    (8, _of_8),
    (16, _of_16),
    (128, _of_128),
    (240, _of_240),
    (float("inf"), _of_many),
)
"""The longest input of each of the algorithm's parts."""
