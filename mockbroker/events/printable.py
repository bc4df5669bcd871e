"""Text for terminals and logs, in which no control character of a client's name has an effect."""

import sys
from typing import Final

_CONTROLS: Final = (
    *range(0x20),
    *range(0x7F, 0xA0),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
)
"""C0 and C1 controls, separators of lines, and marks that change the direction of text."""
_ESCAPES: Final = {each: f"\\u{each:04x}" for each in _CONTROLS}
_ESCAPES_IN_LINES: Final = {each: _ESCAPES[each] for each in _CONTROLS if chr(each) not in "\n\t"}


def printable(text: str) -> str:
    r"""Replace control characters by escapes as in JSON: `\u001b`."""
    return text.translate(_ESCAPES)


def printable_lines(text: str) -> str:
    """Replace control characters by escapes, except newlines and tabs."""
    return text.translate(_ESCAPES_IN_LINES)


def write_error(text: str) -> None:
    """Write what went wrong to stderr, after our name; control characters are escaped."""
    sys.stderr.write(f"mockbroker: {printable_lines(text)}\n")
