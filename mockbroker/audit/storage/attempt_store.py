"""Attempts of one log, packed: most are regular, and are never looked at again.

As objects, those of a large partition would fill the memory. Packed, one takes 104 bytes, and
beyond some megabytes they are in a temporary file.
"""

from collections.abc import Iterator
from os import SEEK_END
from struct import Struct
from typing import Final

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.storage.temporary_files import temporary_file
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

_ROW: Final = Struct("=qqiqqiqi?qbqqibiq?q")
"""The fields of an attempt; texts are numbers."""
_IN_MEMORY_MAX: Final = 8 << 20
_READ_AT_ONCE: Final = _ROW.size * 8_192
_NO_CRC: Final = -1
_APPENDED: Final = tuple(Appended)
_ANSWERS: Final = tuple(ResponseOutcome)


class AttemptStore:
    """Attempts in the order in which they were added; several iterations may go on at once."""

    def __init__(self) -> None:
        """Start empty."""
        self._packed: Final = temporary_file(self, _IN_MEMORY_MAX)
        self._numbers: Final[dict[str | None, int]] = {}
        """Numbers of the names of clients and errors."""

    def append(self, each: Attempt) -> None:
        """Add an attempt."""
        numbers = self._numbers
        packed = _ROW.pack(
            *each[:2],
            numbers.setdefault(each[2], len(numbers)),
            *each[3:9],
            _NO_CRC if each[9] is None else each[9],
            *each[10:15],
            numbers.setdefault(each[15], len(numbers)),
            *each[16:],
        )
        self._packed.write(packed)

    def __iter__(self) -> Iterator[Attempt]:
        """Yield the attempts."""
        names = list(self._numbers)
        for packed in self._pieces():
            for row in _ROW.iter_unpack(packed):
                crc = None if row[9] == _NO_CRC else row[9]
                appended, answer = _APPENDED[row[10]], _ANSWERS[row[14]]
                values = (*row[:2], names[row[2]], *row[3:9], crc, appended, *row[11:14], answer)
                yield Attempt._make((*values, names[row[15]], *row[16:]))

    def _pieces(self) -> Iterator[bytes]:
        """Read from the beginning, and leave the file at its end: others read and write it, too."""
        begin = 0
        while True:
            self._packed.seek(begin)
            piece = self._packed.read(_READ_AT_ONCE)
            self._packed.seek(0, SEEK_END)
            if not piece:
                return
            begin += len(piece)
            yield piece
