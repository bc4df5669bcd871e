"""Hash with which Kafka's clients choose the partition of a key."""

from typing import Final

_SEED: Final = 0x9747B28C
_MULTIPLIER: Final = 0x5BD1E995
_SHIFT: Final = 24
_WORD: Final = 0xFFFFFFFF
_WORD_BYTES: Final = 4


def murmur2(key: bytes) -> int:
    """Hash bytes as Kafka's clients do (`Utils.murmur2`); the result has 32 bits, unsigned."""
    whole = len(key) - len(key) % _WORD_BYTES
    hashed = _SEED ^ len(key)
    for start in range(0, whole, _WORD_BYTES):
        word = int.from_bytes(key[start : start + _WORD_BYTES], "little") * _MULTIPLIER & _WORD
        word = (word ^ word >> _SHIFT) * _MULTIPLIER & _WORD
        hashed = hashed * _MULTIPLIER & _WORD ^ word
    if whole < len(key):
        hashed = (hashed ^ int.from_bytes(key[whole:], "little")) * _MULTIPLIER & _WORD
    hashed = (hashed ^ hashed >> 13) * _MULTIPLIER & _WORD
    return hashed ^ hashed >> 15
