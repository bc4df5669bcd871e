"""Tables as text."""

import click
import pytest

from mockbroker.cli.text_table import columns, heading


def test_each_column_is_as_wide_as_it_has_to_be() -> None:
    assert list(columns([("a", "long", "c"), ("bcd", "x", "")])) == ["a    long  c", "bcd  x"]


def test_a_column_is_aligned_to_the_right_on_request() -> None:
    assert list(columns([("1", "a"), ("22", "b")], right=frozenset({0}))) == [" 1  a", "22  b"]


def test_a_table_without_rows_has_no_lines() -> None:
    assert not list(columns([]))


def test_a_heading_is_bold_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert heading("NAME") == click.style("NAME", bold=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert heading("NAME") == "NAME"
