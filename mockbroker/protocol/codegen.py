"""Writes the straight-line source of one message's codec, and compiles it.

The nodes of a message's tree write into a `Source`. Fields of fixed size that stand side by side,
and the length that follows them, are gathered in a run and cost one `struct` call together.
"""

import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.types import Buffer
from mockbroker.protocol.varint import SHORT_UVARINTS, read_uvarint, write_uvarint

Decoder: TypeAlias = Callable[[bytes | bytearray, int, int], tuple[Any, int]]
"""Takes a buffer, where to begin and where to end; returns the value and where it ended."""

Encoder: TypeAlias = Callable[[Any, Callable[[Buffer], None]], None]
"""Takes a value and what to do with each part of its bytes."""


class BadBytes(Exception):  # noqa: N818 - control flow between a codec and its caller
    """A compiled decoder met bytes that are no message; the constructs tell where."""


UNREADABLE: Final = (
    BadBytes,
    DecodeError,
    IndexError,
    OverflowError,
    UnicodeDecodeError,
    struct.error,
)
"""What compiled decoders raise over bytes that are no message."""


class Source:
    """The growing source of one function, with the constants it needs."""

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
        """Add one line at the present depth."""
        self.lines.append(" " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """Add a compound statement; what is written inside belongs to it."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self, hint: str) -> str:
        """Give a name that nothing else in the function has."""
        self._count += 1
        return f"{hint}_{self._count}"

    def constant(self, value: object, hint: str) -> str:
        """Give a name to a value that the function uses."""
        name = f"_{hint}"
        while self.scope.get(name, value) is not value:
            name += "_"
        self.scope[name] = value
        return name

    def layout(self, letters: str, use: str) -> str:
        """Give the name of `struct`'s bound method (`pack`, `unpack_from`) for a layout."""
        name = f"_{use}_{letters.replace('?', 'bool')}"
        if name not in self.scope:
            self.scope[name] = getattr(struct.Struct(">" + letters), use)
        return name

    def compile(self, title: str) -> object:
        """Compile what was written and return the function."""
        text = "\n".join(self.lines)
        exec(compile(text, f"<codec of {title}>", "exec"), self.scope)
        function = self.scope[self.lines[0].split("(")[0].removeprefix("def ")]
        function.__source__ = text  # type: ignore[attr-defined]  # for whoever debugs it
        return function


_SINGLE_BYTE: Final = "B"


class DecodeRun:
    """Adjacent fields of fixed size that one `unpack_from` will read."""

    def __init__(self, out: Source) -> None:
        """Gather for the function being written."""
        self._out = out
        self._letters = ""
        self._targets: list[str] = []
        self._after: list[str] = []

    def add(self, letter: str, target: str, convert: str | None = None) -> None:
        """Read `target` by a `struct` letter; `convert` is an expression made of it afterwards."""
        self._letters += letter
        self._targets.append(target)
        if convert is not None:
            self._after.append(f"{target} = {convert}")

    def flush(self) -> None:
        """Write the reading of what was gathered."""
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
    """Adjacent fields of fixed size that one `pack` will write."""

    def __init__(self, out: Source, write: str = "w") -> None:
        """Gather for the function being written; `write` appends a part."""
        self.write = write
        self._out = out
        self._letters = ""
        self._values: list[str] = []

    def add(self, letter: str, value: str | None = None) -> None:
        """Write an expression by a `struct` letter; the pad byte `x` has none."""
        self._letters += letter
        if value is not None:
            self._values.append(value)

    def flush(self) -> None:
        """Write the packing of what was gathered."""
        if self._letters.strip("x"):
            pack = self._out.layout(self._letters, "pack")
            self._out.line(f"{self.write}({pack}({', '.join(self._values)}))")
        elif self._letters:
            self._out.line(f"{self.write}({bytes(len(self._letters))!r})")
        self._letters, self._values = "", []
