"""What was seen seldom is chosen often."""

import random
from collections import Counter

import pytest

from mockbroker.exploration.search.coverage import SeenKinds


def test_a_kind_is_counted() -> None:
    coverage: SeenKinds[str] = SeenKinds()
    assert [coverage.add(kind) for kind in ("a", "b", "a")] == [0, 0, 1]


def test_rare_kinds_are_chosen_more_often() -> None:
    coverage: SeenKinds[str] = SeenKinds()
    for kind, count in (("rare", 1), ("common", 9)):
        for _ in range(count):
            coverage.add(kind)
    choice = random.Random(0)
    chosen = Counter(coverage.rare(choice) for _ in range(1000))
    assert chosen["rare"] / chosen["common"] == pytest.approx(9, rel=0.3)
