"""Seeded random numbers: the same seed and calls return the same numbers on all platforms."""

from binascii import b2a_base64
from typing import Final

from mockbroker.protocol.types import Uuid

_MASK: Final = (1 << 64) - 1
_GAMMA: Final = 0x9E3779B97F4A7C15
_UUID_VERSION_4: Final = 4
_BROKER_SHIFT: Final = 48
_SEED_OF_MEMBER_IDS: Final = 0x6D656D626572
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


class RandomSource:
    """A generator of 64-bit numbers (SplitMix64), whose whole state is one number."""

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        """Start from a seed; equal seeds give equal sequences."""
        self.state = seed & _MASK

    def next_bits(self) -> int:
        """Return the next 64 random bits."""
        self.state = (self.state + _GAMMA) & _MASK
        bits = self.state
        bits = ((bits ^ bits >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        bits = ((bits ^ bits >> 27) * 0x94D049BB133111EB) & _MASK
        return bits ^ bits >> 31

    def below(self, bound: int) -> int:
        """Return a random number from 0 to `bound` - 1."""
        assert bound > 0, bound
        return self.next_bits() * bound >> 64

    def uuid(self) -> Uuid:
        """Return a random UUID of version 4, as Kafka assigns to topics and clusters."""
        return Uuid(int=self.next_bits() << 64 | self.next_bits(), version=_UUID_VERSION_4)


def uuid_text(uuid: Uuid) -> str:
    """Return a UUID in Kafka's notation: 22 characters of URL-safe base64 (`Uuid.toString`)."""
    return b2a_base64(uuid.bytes, newline=False).rstrip(b"=").translate(_URL_SAFE).decode()


def source_of_member_ids(seed: int, broker_id: int) -> RandomSource:
    """Return a broker's source of member ids; drawing from it changes no other random ids."""
    return RandomSource(seed ^ _SEED_OF_MEMBER_IDS ^ broker_id << _BROKER_SHIFT)
