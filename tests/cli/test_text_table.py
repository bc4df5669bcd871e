"""Tables as text."""

import click
import pytest
from click.testing import CliRunner

from mockbroker.cli.text_table import Heading, columns, write_line


def test_each_column_is_as_wide_as_it_has_to_be() -> None:
    assert list(columns([("a", "long", "c"), ("bcd", "x", "")])) == ["a    long  c", "bcd  x"]


def test_a_column_is_aligned_to_the_right_on_request() -> None:
    assert list(columns([("1", "a"), ("22", "b")], right=frozenset({0}))) == [" 1  a", "22  b"]


def test_a_table_without_rows_has_no_lines() -> None:
    assert not list(columns([]))


def written(line: str) -> str:
    """Return the output on a terminal."""
    command = click.Command("write", callback=lambda: write_line(line))
    return CliRunner().invoke(command, color=True).stdout


def test_a_heading_is_bold_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert written(Heading("NAME")) == click.style("NAME", bold=True) + "\n"
    assert written("NAME") == "NAME\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert written(Heading("NAME")) == "NAME\n"


@pytest.mark.parametrize("make", [str, Heading])
def test_a_terminal_gets_no_control_characters_of_others(
    monkeypatch: pytest.MonkeyPatch, make: type[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert written(make("a\x1b[2J\x9b2J\u202eb\n\tc")) == "a\\u001b[2J\\u009b2J\\u202eb\n\tc\n"
