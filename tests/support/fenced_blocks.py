"""Fenced blocks of the pages, and what their fences say of them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from tests.tidy.repository import sources

PAGE: Final = re.compile(r"(README|examples/README|docs/(?!decisions/\d).+)\.md")
FENCE: Final = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)


class FencedBlock(NamedTuple):
    """A block of a page."""

    path: str
    info: str
    """The words after the fence: the language, and perhaps a mark."""
    text: str


def blocks_of(path: str, page: str) -> Iterator[FencedBlock]:
    """Yield the blocks of a text in Markdown, in order."""
    for found in FENCE.finditer(page):
        text = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        yield FencedBlock(path, found["info"].strip(), text)


@cache
def all_blocks() -> tuple[FencedBlock, ...]:
    """Return the blocks of all pages but the records of decisions, which keep their text."""
    return tuple(
        block
        for path, text in sources().items()
        if PAGE.fullmatch(path)
        for block in blocks_of(path, text)
    )


def pages_with(info: str) -> list[str]:
    """Name the pages that have a block of this kind."""
    return sorted({block.path for block in all_blocks() if block.info == info})


def texts_of(path: str, info: str) -> list[str]:
    """Return the texts of a page's blocks of this kind."""
    return [block.text for block in all_blocks() if (block.path, block.info) == (path, info)]


def conversations(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with its expected output."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.replace("\\\n", "").partition("\n")
        yield line, shown
