"""Text without control characters."""

import json

import pytest

from mockbroker.events.printable import printable, printable_lines, write_error


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066"]
)
def test_a_control_character_is_written_as_in_json(character: str) -> None:
    assert printable(f"a{character}b") == f"a\\u{ord(character):04x}b"
    assert json.loads(f'"{printable(character)}"') == character


def test_lines_keep_newlines_and_tabs_only() -> None:
    assert printable("a\n\tb\r") == "a\\u000a\\u0009b\\u000d"
    assert printable_lines("a\n\tb\r") == "a\n\tb\\u000d"


def test_other_text_is_unchanged() -> None:
    assert printable("Größe 大小 'x\\u001b'") == "Größe 大小 'x\\u001b'"


def test_an_error_is_written_after_our_name(capsys: pytest.CaptureFixture[str]) -> None:
    write_error("two\nlines of \x1b[31mred")
    assert capsys.readouterr().err == "mockbroker: two\nlines of \\u001b[31mred\n"
