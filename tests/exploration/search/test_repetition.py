"""A failure is flaky if it does not fail in each of its runs."""

import pytest

from mockbroker.exploration.search.repetition import ONCE


@pytest.mark.parametrize(
    ("again", "is_flaky", "text"),
    [
        ([], False, "in 1 of 1 runs"),
        ([True, True], False, "in 3 of 3 runs"),
        ([True, False], True, "in 2 of 3 runs"),
    ],
)
def test_runs_are_counted(again: list[bool], is_flaky: bool, text: str) -> None:
    repetition = ONCE.and_again(again)
    assert repetition.is_flaky is is_flaky
    assert str(repetition) == text
