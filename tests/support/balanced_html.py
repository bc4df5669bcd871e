"""Parser of our pages, for tests of reports."""

from html.parser import HTMLParser
from typing import Final

_VOID: Final = {"meta", "br", "link", "img"}


class Balanced(HTMLParser):
    """Parser that checks that elements are closed in order, and collects tags and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.tags.append(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count an element without content."""
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Collect the text."""
        self.text += data


def balanced(page: str) -> Balanced:
    """Parse a page; all its elements must be closed."""
    parser = Balanced()
    parser.feed(page)
    assert not parser.open
    return parser
