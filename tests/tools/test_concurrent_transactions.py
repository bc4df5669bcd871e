"""The table of clients that meet CONCURRENT_TRANSACTIONS is what was measured."""

from pathlib import Path

import pytest

from tests.clients.concurrent_transactions.measurement import Measured
from tests.clients.concurrent_transactions.recording import RECORDED, read, write
from tools.concurrent_transactions import PAGE, share_text, with_shares


def test_the_table_is_up_to_date() -> None:
    text = PAGE.read_text("utf-8")
    assert with_shares(text) == text, "run `make docs`"


def test_a_share_is_shown_for_each_round() -> None:
    rounds = [Measured(200, met, {}) for met in (141, 57, 0)]
    assert share_text(rounds) == "70 %, 28 %, 0 %"
    assert share_text([Measured(200, 0, {})] * 3) == "never"


def test_a_page_without_a_place_for_the_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="unpack"):
        with_shares("no place")


def test_the_same_measurement_is_stored_alike(tmp_path: Path) -> None:
    again = tmp_path / "recorded.json"
    write(again, read(RECORDED))
    assert again.read_text("utf-8") == RECORDED.read_text("utf-8")
    assert read(tmp_path / "missing.json") == {}
