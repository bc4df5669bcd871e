"""Merged ranges of the share coordinator, also beside a model that looks at each offset."""

from itertools import pairwise
from random import Random

import pytest

from mockbroker.state.share.state_batch import StateBatch, combine_state_batches

B = StateBatch


@pytest.mark.parametrize(
    ("stored", "added", "start_offset", "expected"),
    [
        ([], [], 0, []),
        ([B(0, 9, 0, 1)], [], 0, [B(0, 9, 0, 1)]),
        ([B(0, 9, 0, 1)], [], 10, []),
        ([B(0, 9, 0, 1)], [], 5, [B(5, 9, 0, 1)]),
        ([B(0, 9, 0, 1)], [], -1, [B(0, 9, 0, 1)]),
        ([B(0, 9, 0, 1)], [B(10, 19, 0, 1)], 0, [B(0, 19, 0, 1)]),
        ([B(0, 9, 0, 1)], [B(11, 19, 0, 1)], 0, [B(0, 9, 0, 1), B(11, 19, 0, 1)]),
        ([B(0, 9, 0, 1)], [B(3, 5, 2, 1)], 0, [B(0, 2, 0, 1), B(3, 5, 2, 1), B(6, 9, 0, 1)]),
        ([B(0, 9, 2, 1)], [B(3, 5, 0, 2)], 0, [B(0, 2, 2, 1), B(3, 5, 0, 2), B(6, 9, 2, 1)]),
        ([B(0, 9, 2, 1)], [B(5, 14, 0, 1)], 7, [B(7, 9, 2, 1), B(10, 14, 0, 1)]),
    ],
)
def test_combination(
    stored: list[StateBatch],
    added: list[StateBatch],
    start_offset: int,
    expected: list[StateBatch],
) -> None:
    assert combine_state_batches(stored, added, start_offset) == expected


def by_offset(batches: list[StateBatch], start_offset: int) -> dict[int, tuple[int, int]]:
    model: dict[int, tuple[int, int]] = {}
    for first, last, state, count in batches:
        for offset in range(max(first, start_offset), last + 1):
            model[offset] = max(model.get(offset, (-1, -1)), (count, state))
    return model


@pytest.mark.parametrize("seed", range(50))
def test_each_offset_has_its_highest_count_and_state(seed: int) -> None:
    random = Random(seed)

    def batches() -> list[StateBatch]:
        firsts = [random.randrange(40) for _ in range(random.randrange(2, 6))]
        return [
            B(first, first + random.randrange(8), random.choice([0, 2, 4]), random.randrange(1, 4))
            for first in firsts
        ]

    stored, added, start_offset = batches(), batches(), random.randrange(20)
    combined = combine_state_batches(stored, added, start_offset)
    assert by_offset(combined, 0) == by_offset([*stored, *added], start_offset)
    for before, after in pairwise(combined):
        assert before.last_offset < after.first_offset
        assert before.last_offset + 1 < after.first_offset or before[2:] != after[2:]
