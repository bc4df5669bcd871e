"""Hash with which Kafka's clients choose the partition of a key."""

from typing import Final

SEED: Final = 0x9747B28C
MULTIPLIER: Final = 0x5BD1E995
SHIFT: Final = 24
_WORD: Final = 0xFFFFFFFF
WORD_BYTES: Final = 4


def murmur2(key: bytes) -> int:
    """Hash bytes as Kafka's clients do (`Utils.murmur2`); the result has 32 bits, unsigned."""
    whole = len(key) - len(key) % WORD_BYTES
    hashed = SEED ^ len(key)
    for start in range(0, whole, WORD_BYTES):
        word = int.from_bytes(key[start : start + WORD_BYTES], "little") * MULTIPLIER & _WORD
        word = (word ^ word >> SHIFT) * MULTIPLIER & _WORD
        hashed = hashed * MULTIPLIER & _WORD ^ word
    if whole < len(key):
        hashed = (hashed ^ int.from_bytes(key[whole:], "little")) * MULTIPLIER & _WORD
    hashed = (hashed ^ hashed >> 13) * MULTIPLIER & _WORD
    return hashed ^ hashed >> 15
