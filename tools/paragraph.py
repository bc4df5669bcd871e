"""Break a paragraph of Markdown into lines of a page's width."""

from textwrap import TextWrapper
from typing import Final

COLUMNS: Final = 120
_ITEM: Final = "- "


def paragraph(text: str) -> str:
    """Return a paragraph, or an item of a list, in lines of at most 120 columns."""
    wrapper = TextWrapper(COLUMNS, break_long_words=False, break_on_hyphens=False)
    if text.startswith(_ITEM):
        wrapper.subsequent_indent = " " * len(_ITEM)
    return wrapper.fill(text)
