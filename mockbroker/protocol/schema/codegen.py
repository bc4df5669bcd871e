"""Code generator that writes and compiles the straight-line codec of one message.

The nodes of a message's tree emit code into a `Source`. Adjacent fields of fixed size, and a length
that follows them, are collected in a run that costs a single `struct` call.
"""

import struct
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeAlias

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.types import Buffer
from mockbroker.protocol.varint import SHORT_UVARINTS, read_uvarint, write_uvarint

PacedCount: TypeAlias = Callable[[int], Iterable[int]]
"""Function of the count of an array or of tagged fields that yields their indexes: `range`, or one
that refuses large counts or does other work in between."""


class Decoder(Protocol):
    """Compiled decoder of a message or a struct."""

    def __call__(
        self, buf: bytes | bytearray, p: int, end: int, paced: PacedCount = range, /
    ) -> tuple[Any, int]:
        """Decode the value at a position; return it and the position after it."""
        ...


class PacedItems(Protocol):
    """Function of items that yields them: `iter`, or one that does other work in between."""

    def __call__(self, items: Iterable[Any], /) -> Iterable[Any]:
        """Yield the elements."""
        ...


class Encoder(Protocol):
    """Compiled encoder of a message."""

    def __call__(self, m: Any, w: Callable[[Buffer], None], paced: PacedItems = iter, /) -> None:
        """Encode a value; `w` receives each part of its bytes."""
        ...


class BadBytes(Exception):  # noqa: N818 - control flow between a codec and its caller
    """Raised by a compiled decoder for invalid bytes; the constructs find the position."""


UNREADABLE: Final = (
    BadBytes,
    DecodeError,
    IndexError,
    OverflowError,
    UnicodeDecodeError,
    struct.error,
)
"""Exceptions that compiled decoders raise for invalid bytes."""


class FunctionSource:
    """Source of one generated function, with the constants that it uses."""

    def __init__(self, signature: str) -> None:
        """Start a function with the given signature."""
        self.lines = [f"def {signature}:"]
        self.scope: dict[str, object] = {
            "BadBytes": BadBytes,
            "read_uvarint": read_uvarint,
            "write_uvarint": write_uvarint,
            "UV": SHORT_UVARINTS,
        }
        self._depth = 1
        self._count = 0

    def line(self, text: str) -> None:
        """Add one line at the current indentation."""
        self.lines.append(" " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """Add a compound statement; lines added inside the context are its body."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, hint: str) -> str:
        """Return a name that is unique in the function."""
        self._count += 1
        return f"{hint}_{self._count}"

    def constant(self, value: object, hint: str) -> str:
        """Add a constant to the function's scope, and return its name."""
        name = f"_{hint}"
        while self.scope.get(name, value) is not value:
            name += "_"
        self.scope[name] = value
        return name

    def layout(self, letters: str, use: str) -> str:
        """Return the name of a bound `struct` method (`pack`, `unpack_from`) for a layout."""
        name = f"_{use}_{letters.replace('?', 'bool')}"
        if name not in self.scope:
            self.scope[name] = getattr(struct.Struct(">" + letters), use)
        return name

    def compile(self, title: str) -> object:
        """Compile the collected source, and return the function."""
        text = "\n".join(self.lines)
        exec(compile(text, f"<codec of {title}>", "exec"), self.scope)
        function = self.scope[self.lines[0].split("(")[0].removeprefix("def ")]
        function.__source__ = text  # type: ignore[attr-defined]  # for debugging
        return function


_SINGLE_BYTE: Final = "B"


class DecodeRun:
    """Adjacent fields of fixed size that are read by one `unpack_from`."""

    def __init__(self, out: FunctionSource) -> None:
        """Start an empty run in a function."""
        self._out = out
        self._letters = ""
        self._targets: list[str] = []
        self._after: list[str] = []

    def add(self, letter: str, target: str, convert: str | None = None) -> None:
        """Add a variable to read; `convert` is an expression that then replaces its value."""
        self._letters += letter
        self._targets.append(target)
        if convert is not None:
            self._after.append(f"{target} = {convert}")

    def flush(self) -> None:
        """Emit the code that reads the collected fields."""
        if not self._letters:
            return
        out = self._out
        size_bytes = struct.calcsize(">" + self._letters)
        if self._letters == _SINGLE_BYTE:
            out.line(f"{self._targets[0]} = buf[p]")
        else:
            unpack = out.layout(self._letters, "unpack_from")
            out.line(f"{', '.join(self._targets)}, = {unpack}(buf, p)")
        out.line(f"p += {size_bytes}")
        for line in self._after:
            out.line(line)
        self._letters, self._targets, self._after = "", [], []


class EncodeRun:
    """Adjacent fields of fixed size that are written by one `pack`."""

    def __init__(self, out: FunctionSource, write: str = "w") -> None:
        """Start an empty run in a function; `write` names the callback for a part."""
        self.write = write
        self._out = out
        self._letters = ""
        self._values: list[str] = []

    def add(self, letter: str, value: str | None = None) -> None:
        """Add an expression to write with a `struct` letter; the pad byte `x` has none."""
        self._letters += letter
        if value is not None:
            self._values.append(value)

    def flush(self) -> None:
        """Emit the code that packs the collected fields."""
        if self._letters.strip("x"):
            pack = self._out.layout(self._letters, "pack")
            self._out.line(f"{self.write}({pack}({', '.join(self._values)}))")
        elif self._letters:
            self._out.line(f"{self.write}({bytes(len(self._letters))!r})")
        self._letters, self._values = "", []
