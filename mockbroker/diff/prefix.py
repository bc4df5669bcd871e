"""Prefixes of names that leave the names' partitions of internal topics as they are.

A coordinator's partition of an internal topic is the Java hash of the name, modulo the number of
partitions. If the hash of a prefix is 0, a name with it has the same hash as without.
"""

from collections.abc import Iterator, Sequence
from random import Random
from string import ascii_letters, digits
from typing import Final

END: Final = "-"
_BASE: Final = 31
_MODULUS: Final = 1 << 32
_FREE: Final = 8
"""The number of characters that are chosen; with fewer, some starts have no solution."""
_ALPHABET: Final = sorted(map(ord, digits + ascii_letters))


def neutral_prefix(start: str, random: Random) -> str:
    """Return a prefix with this start whose Java hash is 0."""
    wanted = -(_hash(start) * _BASE ** (_FREE + 1) + ord(END)) * pow(_BASE, -1, _MODULUS)
    order = random.sample(_ALPHABET, len(_ALPHABET))
    lowest, highest = _bounds(_FREE)
    totals = list(range(lowest + (wanted - lowest) % _MODULUS, highest + 1, _MODULUS))
    for total in random.sample(totals, len(totals)):
        for chosen in _solutions(total, _FREE, order):
            return start + "".join(map(chr, chosen)) + END
    raise AssertionError(f"no prefix begins with {start!r}")


def _hash(text: str) -> int:
    value = 0
    for character in text:
        value = value * _BASE + ord(character)
    return value


def _bounds(count: int) -> tuple[int, int]:
    ones = sum(_BASE**power for power in range(count))
    return _ALPHABET[0] * ones, _ALPHABET[-1] * ones


def _solutions(total: int, count: int, order: Sequence[int]) -> Iterator[list[int]]:
    """Yield characters whose hash is `total`."""
    if not count:
        if not total:
            yield []
        return
    weight = _BASE ** (count - 1)
    lowest, highest = _bounds(count - 1)
    for character in order:
        rest = total - character * weight
        if lowest <= rest <= highest:
            for others in _solutions(rest, count - 1, order):
                yield [character, *others]
