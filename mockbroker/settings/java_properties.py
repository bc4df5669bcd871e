"""Parser of server.properties, in the syntax of Java's `Properties.load`."""

import re
from collections.abc import Iterable
from typing import Final

_PROPERTY: Final = re.compile(
    r"(?P<key>(?:\\.|[^=:\s\\])*)[ \t\f]*[=:]?[ \t\f]*(?P<value>.*)", re.DOTALL
)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_ESCAPED: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    """Return the entries of a text in the syntax of Java's `Properties.load`.

    Comments begin with `#` or `!`. A line with an odd number of backslashes at its end continues
    in the next line. `=`, `:` or blanks separate key and value. The last of equal keys is valid.
    """
    properties: dict[str, str] = {}
    for line in _logical_lines(text):
        match = _PROPERTY.fullmatch(line)
        assert match is not None, line
        properties[_unescape(match["key"])] = _unescape(match["value"])
    return properties


def _logical_lines(text: str) -> Iterable[str]:
    pending = ""
    for raw in re.split(r"\r\n|\r|\n", text):
        line = raw.lstrip(" \t\f")
        if not pending and (not line or line[0] in "#!"):
            continue
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            pending += line[:-1]
            continue
        yield pending + line
        pending = ""
    if pending:
        yield pending


def _unescape(text: str) -> str:
    def unescaped(match: re.Match[str]) -> str:
        escaped = match[1]
        if len(escaped) == 5:
            return chr(int(escaped[1:], 16))
        return _ESCAPED.get(escaped, escaped)

    return _ESCAPE.sub(unescaped, text)
