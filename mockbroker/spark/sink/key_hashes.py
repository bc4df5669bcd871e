"""Hashes of the keys of a column, all at once."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mockbroker.protocol.records.murmur2 import MULTIPLIER, SEED, SHIFT, WORD_BYTES, murmur2
from mockbroker.spark.sink.byte_columns import spans

Words = NDArray[np.uint32]

_FEW: Final = 16
"""Keys that are hashed one by one when all others have ended."""
_TAILS: Final = np.array([0, 0xFF, 0xFFFF, 0xFFFFFF], np.uint32)
"""Bits of the last word of a key that belong to it, by its length modulo four."""


def murmur2_of(keys: Any) -> Words:
    """Return the hash of each row of a column of bytes, as `murmur2` does.

    A step takes the next word of every key that still has one.
    """
    data, ends = spans(keys)
    starts = np.append(0, ends[:-1])
    lengths = ends - starts
    words = _words_at_each_byte(data)
    hashed: Words = lengths.astype(np.uint32) ^ np.uint32(SEED)
    longer = np.flatnonzero(lengths >= WORD_BYTES)
    at = starts.copy()
    while len(longer) > _FEW:
        word = words[at[longer]] * np.uint32(MULTIPLIER)
        word = (word ^ word >> np.uint32(SHIFT)) * np.uint32(MULTIPLIER)
        hashed[longer] = hashed[longer] * np.uint32(MULTIPLIER) ^ word
        at[longer] += WORD_BYTES
        longer = longer[ends[longer] - at[longer] >= WORD_BYTES]
    left = lengths % WORD_BYTES
    tail = words[ends - left] & _TAILS[left]
    hashed = np.where(left > 0, (hashed ^ tail) * np.uint32(MULTIPLIER), hashed)
    hashed = (hashed ^ hashed >> np.uint32(13)) * np.uint32(MULTIPLIER)
    hashed ^= hashed >> np.uint32(15)
    hashed[longer] = [murmur2(bytes(data[starts[key] : ends[key]])) for key in longer]
    return hashed


def _words_at_each_byte(data: memoryview) -> Words:
    """Return the word that begins at each byte; zeros follow the last one."""
    padded = bytes(data) + bytes(WORD_BYTES)
    return np.ndarray((len(data) + 1,), np.uint32, padded, strides=(1,))
