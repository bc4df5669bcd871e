"""Paragraphs of the pages that are made."""

from tools.paragraph import COLUMNS, paragraph


def test_a_paragraph_fits_the_width_of_a_page() -> None:
    text = " ".join(f"word-{number}" for number in range(40))
    lines = paragraph(text).splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= COLUMNS
    assert " ".join(lines) == text


def test_the_lines_of_an_item_are_indented() -> None:
    first, second = paragraph("- " + "word " * 30).splitlines()
    assert first.startswith("- word")
    assert second.startswith("  word")


def test_a_long_word_stays_whole() -> None:
    assert paragraph("x" * (COLUMNS + 1)) == "x" * (COLUMNS + 1)
