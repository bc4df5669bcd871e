"""The same seed gives the same numbers."""

from uuid import UUID

import pytest

from mockbroker.state.random_source import RandomSource, uuid_text


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second = RandomSource(7), RandomSource(7)
    assert [first.next_bits() for _ in range(5)] == [second.next_bits() for _ in range(5)]


def test_other_seeds_give_other_numbers() -> None:
    assert RandomSource(1).next_bits() != RandomSource(2).next_bits()


def test_the_numbers_are_those_of_splitmix64() -> None:
    random = RandomSource(1234567)
    assert [random.next_bits() for _ in range(2)] == [6457827717110365317, 3203168211198807973]


@pytest.mark.parametrize("bound", [1, 2, 3, 1000])
def test_a_bounded_number_stays_below_its_bound(bound: int) -> None:
    random = RandomSource(0)
    assert {random.below(bound) for _ in range(200)} <= set(range(bound))


def test_every_bounded_number_occurs() -> None:
    random = RandomSource(0)
    assert {random.below(5) for _ in range(200)} == set(range(5))


def test_a_uuid_is_a_random_one() -> None:
    uuid = RandomSource(0).uuid()
    assert (uuid.version, uuid.variant) == (4, "specified in RFC 4122")


def test_a_uuid_is_written_as_kafka_does() -> None:
    assert uuid_text(UUID("fbefbeff-ff00-0000-0000-000000000001")) == "----__8AAAAAAAAAAAAAAQ"
    assert len(uuid_text(UUID(int=0))) == 22
