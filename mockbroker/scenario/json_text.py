"""JSON with the place of each value, which the standard library does not keep."""

import re
from json import JSONDecodeError, JSONDecoder
from typing import Final

from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem
from mockbroker.scenario.located import Located, duplicate_key

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_DEPTH_MAX: Final = 100


def read_json(text: str, file: str) -> Located:
    """Read a JSON document.

    Raises:
        ScenarioError: it is not JSON.

    """
    return _JsonReader(text, file).read()


class _JsonReader:
    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._at = 0
        self._decoder: Final = JSONDecoder()

    def read(self) -> Located:
        try:
            root = self._value(0)
            if self._next():
                raise JSONDecodeError("Extra data", self._text, self._at)
        except JSONDecodeError as error:
            place = FilePlace(self._file, error.lineno, error.colno)
            raise ScenarioError([ScenarioProblem(place, f"not JSON: {error.msg}")]) from None
        return root

    def _next(self) -> str:
        """Return the next character that is not blank; empty at the end."""
        match = _BLANKS.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return self._text[self._at : self._at + 1]

    def _place(self) -> FilePlace:
        line = self._text.count("\n", 0, self._at) + 1
        return FilePlace(self._file, line, self._at - self._text.rfind("\n", 0, self._at))

    def _value(self, depth: int) -> Located:
        first, place = self._next(), self._place()
        if depth > _DEPTH_MAX:
            raise JSONDecodeError("Nested too deeply", self._text, self._at)
        if first == "{":
            return self._object(place, depth)
        if first == "[":
            return self._array(place, depth)
        start = self._at
        value, self._at = self._decoder.raw_decode(self._text, start)
        return Located(value, place, self._text[start : self._at])

    def _object(self, place: FilePlace, depth: int) -> Located:
        members: dict[str, Located] = {}
        keys: dict[str, FilePlace] = {}
        self._at += 1
        while self._next() != "}":
            if members:
                self._expect(",")
            if self._next() != '"':
                raise JSONDecodeError("Expecting property name", self._text, self._at)
            key_place = self._place()
            key, self._at = self._decoder.raw_decode(self._text, self._at)
            self._expect(":")
            if key in members:
                raise duplicate_key(key_place, key)
            members[key], keys[key] = self._value(depth + 1), key_place
        self._at += 1
        return Located(members, place, "", keys)

    def _array(self, place: FilePlace, depth: int) -> Located:
        items: list[Located] = []
        self._at += 1
        while self._next() != "]":
            if items:
                self._expect(",")
            items.append(self._value(depth + 1))
        self._at += 1
        return Located(items, place)

    def _expect(self, mark: str) -> None:
        if self._next() != mark:
            raise JSONDecodeError(f"Expecting {mark!r}", self._text, self._at)
        self._at += 1
