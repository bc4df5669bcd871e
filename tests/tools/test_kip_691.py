"""The page on KIP-691 has the measured reactions."""

import pytest

from tools.kip_691 import PAGE, with_measurements


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text("utf-8")
    assert text == with_measurements(text), "run `make docs`"


def test_a_page_without_a_place_for_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="not enough values"):
        with_measurements("# KIP-691\n")
