"""Matching of values against what a user asks for."""

import pytest

from mockbroker.broker.value_matching import fits


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [
        (3, 3, True),
        ((3, 4), 4, True),
        ("order*", "orders", True),
        ("order?", "order", False),
        ("[a-z]*", "orders", False),
        (["pay*", "orders"], "orders", True),
        ("3", 3, False),
        (3, None, False),
        ([], 3, False),
    ],
)
def test_a_value_fits_a_value_one_of_several_or_wildcards(
    wanted: object, found: object, expected: bool
) -> None:
    assert fits(wanted, found) is expected
