"""Tree nodes of scalars, strings, bytes and records.

A node has a kind, and emits the source that reads and writes its values. The constructs in
`constructs.py` interpret the same tree with a path for each error; they are imported only to
explain an error or to dump a frame.
"""

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Final, cast
from uuid import UUID

from mockbroker.protocol.schema.codegen import (
    Decoder,
    DecodeRun,
    Encoder,
    EncodeRun,
    FunctionSource,
)
from mockbroker.protocol.types import BufferChain
from mockbroker.protocol.varint import write_compact_length

LONGEST_STRING_BYTES: Final = 0x7FFF
"""Longest string that Kafka reads, in every encoding of the length."""

_UUIDS_KEPT: Final = 4_096


@lru_cache(maxsize=_UUIDS_KEPT)
def uuid_of(data: bytes) -> UUID:
    """Create a UUID from sixteen bytes; equal ones are cached.

    Every request carries the same few topic ids, and creating a UUID takes a microsecond.
    """
    return UUID(bytes=data)


class Node:
    """Field or struct of a message in one version.

    `least_bytes` is the size of the smallest value. The count of an array is checked against it
    before the array is created.
    """

    kind = ""
    least_bytes = 1

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Emit code that reads this node into the variable `target`."""
        raise NotImplementedError

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Emit code that writes the expression `value`."""
        raise NotImplementedError


def compile_decoder(node: Node, title: str) -> Decoder:
    """Compile the decoder of a node and its descendants."""
    out = FunctionSource("decode(buf, p, end, paced=range)")
    run = DecodeRun(out)
    node.emit_decode(out, run, "value")
    run.flush()
    out.line("return value, p")
    return cast("Decoder", out.compile(title))


def compile_encoder(node: Node, title: str) -> Encoder:
    """Compile the encoder of a node and its descendants."""
    out = FunctionSource("encode(m, w, paced=iter)")
    run = EncodeRun(out)
    node.emit_encode(out, run, "m")
    run.flush()
    out.line("return")  # a message without fields has no other line
    return cast("Encoder", out.compile(title))


class Scalar(Node):
    """Value of fixed size, read and written by one `struct` letter."""

    def __init__(self, kind: str, letter: str) -> None:
        """Take the kind as Kafka's schemas name it, and the letter."""
        self.kind = kind
        self.letter = letter
        self.least_bytes = struct.calcsize(">" + letter)

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Add the field to the run."""
        run.add(self.letter, target)

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Add the field to the run."""
        run.add(self.letter, value)


class UuidNode(Scalar):
    """UUID of sixteen bytes."""

    def __init__(self) -> None:
        """Read as sixteen raw bytes."""
        super().__init__("uuid", "16s")

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Add the bytes to the run, with a conversion to a UUID."""
        run.add("16s", target, f"{out.constant(uuid_of, 'uuid_of')}({target})")

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Add the UUID's bytes to the run."""
        run.add("16s", f"{value}.bytes")


class Length:
    """Encoding of a length: a signed integer of fixed size, or a compact varint of length + 1."""

    def __init__(self, letter: str | None) -> None:
        """Take `h` or `i` for a fixed size, None for a compact length."""
        self.letter = letter
        self.size_bytes = 1 if letter is None else struct.calcsize(">" + letter)

    def emit_decode(
        self, out: FunctionSource, run: DecodeRun, target: str, *, longest: int | None = None
    ) -> None:
        """Emit a read of the length, negative for null; this ends the run.

        A compact length above `longest` is invalid; a fixed one cannot exceed it.
        """
        run.add(self.letter or "B", target)
        run.flush()
        if self.letter is not None:
            return
        with out.block(f"if {target} > 127:"):
            out.line(f"{target}, p = read_uvarint(buf, p - 1)")
            if longest is not None:
                out.line(f"if {target} > {longest + 1}: raise BadBytes")
        out.line(f"{target} -= 1")

    def emit_encode(self, out: FunctionSource, run: EncodeRun, length: str) -> None:
        """Emit a write of the length, -1 for null; this ends the run."""
        if self.letter is not None:
            run.add(self.letter, length)
            run.flush()
            return
        run.flush()
        written = f"UV[{length} + 1] if {length} < 127 else write_uvarint({length} + 1)"
        out.line(f"{run.write}({written})")

    @property
    def write(self) -> Callable[[int], bytes]:
        """The function that writes a length, -1 for null."""
        return (
            write_compact_length if self.letter is None else struct.Struct(f">{self.letter}").pack
        )


class Sized(Node):
    """Length-prefixed bytes: text, opaque bytes, or records."""

    to_value = "{}"
    to_bytes = "{}"
    longest_bytes: int | None = None

    def __init__(self, length: Length, *, nullable: bool) -> None:
        """Take the encoding of the length; `nullable` allows null."""
        self.length = length
        self.nullable = nullable
        self.least_bytes = length.size_bytes

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Emit a read of the length, then of the slice."""
        size = out.fresh("n")
        self.length.emit_decode(out, run, size, longest=self.longest_bytes)
        with out.block(f"if {size} < 0:"):
            out.line(f"{target} = None" if self.nullable else "raise BadBytes")
        with out.block("else:"):
            self.emit_slice(out, target, size)
            out.line(f"p += {size}")

    def emit_slice(self, out: FunctionSource, target: str, size: str) -> None:
        """Emit the conversion of the slice to the value."""
        out.line(f"{target} = {self.to_value.format(f'buf[p:p + {size}]')}")

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Emit a write of the length, then of the bytes."""
        data, size = out.fresh("d"), out.fresh("n")
        out.line(f"{data} = {value}")
        if self.nullable:
            with out.block(f"if {data} is None:"):
                out.line(f"{size} = -1; {data} = b''")
            with out.block("else:"):
                out.line(f"{data} = {self.to_bytes.format(data)}; {size} = len({data})")
        else:
            out.line(f"{data} = {self.to_bytes.format(data)}; {size} = len({data})")
        self.length.emit_encode(out, run, size)
        self.emit_bytes(out, run, data)

    def emit_bytes(self, out: FunctionSource, run: EncodeRun, data: str) -> None:
        """Emit the write of the bytes."""
        out.line(f"{run.write}({data})")


class StringNode(Sized):
    """UTF-8 text."""

    kind = "string"
    to_value = "{}.decode()"
    to_bytes = "{}.encode()"
    longest_bytes = LONGEST_STRING_BYTES


class BytesNode(Sized):
    """Opaque bytes."""

    kind = "bytes"
    to_value = "bytes({})"


class RecordsNode(Sized):
    """Record batches: decoded to a view without a copy, encoded from one buffer or several."""

    kind = "records"

    def emit_slice(self, out: FunctionSource, target: str, size: str) -> None:
        """Emit a view; the log copies the batches."""
        out.line(f"{target} = {out.constant(memoryview, 'memoryview')}(buf)[p:p + {size}]")

    def emit_bytes(self, out: FunctionSource, run: EncodeRun, data: str) -> None:
        """Emit the write of each buffer of a chain as a separate part."""
        with out.block(f"if type({data}) is {out.constant(BufferChain, 'BufferChain')}:"):
            part = out.fresh("part")
            with out.block(f"for {part} in {data}.buffers:"):
                out.line(f"{run.write}({part})")
        with out.block("else:"):
            out.line(f"{run.write}({data})")
