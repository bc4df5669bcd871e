"""The scalars of the wire, as nodes of a message's tree in one version.

A node knows its kind and how to write the straight-line source that reads and writes it. What
reads the same tree interpreted, field by field and with a path for every error, are the
constructs of `constructs.py`: they are imported when an error is to be explained or a frame dumped.
"""

from functools import lru_cache
from struct import calcsize
from typing import Final, cast
from uuid import UUID

from mockbroker.protocol.codegen import Decoder, DecodeRun, Encoder, EncodeRun, Source
from mockbroker.protocol.types import BufferChain

LONGEST_STRING_BYTES: Final = 0x7FFF
"""Kafka reads no longer text, in whichever way its length is written."""

_UUIDS_KEPT: Final = 4_096


@lru_cache(maxsize=_UUIDS_KEPT)
def uuid_of(data: bytes) -> UUID:
    """Make a UUID of sixteen bytes, or give the one made before.

    The same few topic ids come with every request, and making one costs a microsecond.
    """
    return UUID(bytes=data)


class Node:
    """One field, or one struct, of a message in one version.

    `least_bytes` is the size of the smallest value: an array's count is checked against it before
    anything is made of the array.
    """

    kind = ""
    least_bytes = 1

    def emit_decode(self, out: Source, run: DecodeRun, target: str) -> None:
        """Write the reading of this node into the variable `target`."""
        raise NotImplementedError

    def emit_encode(self, out: Source, run: EncodeRun, value: str) -> None:
        """Write the writing of the expression `value`."""
        raise NotImplementedError


def compile_decoder(node: Node, title: str) -> Decoder:
    """Compile a decoder of a node and all below it."""
    out = Source("decode(buf, p, end)")
    run = DecodeRun(out)
    node.emit_decode(out, run, "value")
    run.flush()
    out.line("return value, p")
    return cast("Decoder", out.compile(title))


def compile_encoder(node: Node, title: str) -> Encoder:
    """Compile an encoder of a node and all below it."""
    out = Source("encode(m, w)")
    run = EncodeRun(out)
    node.emit_encode(out, run, "m")
    run.flush()
    out.line("return")  # a message without fields has no other line
    return cast("Encoder", out.compile(title))


class Scalar(Node):
    """A value of fixed size that one letter of `struct` reads and writes."""

    def __init__(self, kind: str, letter: str) -> None:
        """Name the kind as Kafka's schemas do."""
        self.kind = kind
        self.letter = letter
        self.least_bytes = calcsize(">" + letter)

    def emit_decode(self, out: Source, run: DecodeRun, target: str) -> None:
        """Join the run."""
        run.add(self.letter, target)

    def emit_encode(self, out: Source, run: EncodeRun, value: str) -> None:
        """Join the run."""
        run.add(self.letter, value)


class UuidNode(Scalar):
    """Sixteen bytes that are a UUID."""

    def __init__(self) -> None:
        """Read as sixteen raw bytes."""
        super().__init__("uuid", "16s")

    def emit_decode(self, out: Source, run: DecodeRun, target: str) -> None:
        """Join the run, and make a UUID of the bytes."""
        run.add("16s", target, f"{out.constant(uuid_of, 'uuid_of')}({target})")

    def emit_encode(self, out: Source, run: EncodeRun, value: str) -> None:
        """Join the run with the UUID's bytes."""
        run.add("16s", f"{value}.bytes")


class Length:
    """How a length is written: a fixed signed integer, or a compact varint of the length + 1."""

    def __init__(self, letter: str | None) -> None:
        """Take `h` or `i` for fixed lengths, None for a compact one."""
        self.letter = letter
        self.size_bytes = 1 if letter is None else calcsize(">" + letter)

    def emit_decode(
        self, out: Source, run: DecodeRun, target: str, *, longest: int | None = None
    ) -> None:
        """Write the reading of the length, negative for null: it ends the run.

        A length above `longest` is bad; one that is not compact cannot be above it.
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

    def emit_encode(self, out: Source, run: EncodeRun, length: str) -> None:
        """Write the writing of the length, -1 for null: it ends the run."""
        if self.letter is not None:
            run.add(self.letter, length)
            run.flush()
            return
        run.flush()
        written = f"UV[{length} + 1] if {length} < 127 else write_uvarint({length} + 1)"
        out.line(f"{run.write}({written})")


class Sized(Node):
    """Bytes behind their length: text, opaque bytes, or records."""

    to_value = "{}"
    to_bytes = "{}"
    longest_bytes: int | None = None

    def __init__(self, length: Length, *, nullable: bool) -> None:
        """Read and write the length as `length` says; null is allowed if `nullable`."""
        self.length = length
        self.nullable = nullable
        self.least_bytes = length.size_bytes

    def emit_decode(self, out: Source, run: DecodeRun, target: str) -> None:
        """Write the length's reading, then the slice."""
        size = out.fresh("n")
        self.length.emit_decode(out, run, size, longest=self.longest_bytes)
        with out.block(f"if {size} < 0:"):
            out.line(f"{target} = None" if self.nullable else "raise BadBytes")
        with out.block("else:"):
            self.emit_slice(out, target, size)
            out.line(f"p += {size}")

    def emit_slice(self, out: Source, target: str, size: str) -> None:
        """Write how the value is made of the bytes."""
        out.line(f"{target} = {self.to_value.format(f'buf[p:p + {size}]')}")

    def emit_encode(self, out: Source, run: EncodeRun, value: str) -> None:
        """Write the length, then the bytes."""
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

    def emit_bytes(self, out: Source, run: EncodeRun, data: str) -> None:
        """Write how the bytes become parts of the message."""
        out.line(f"{run.write}({data})")


class StringNode(Sized):
    """Text in UTF-8."""

    kind = "string"
    to_value = "{}.decode()"
    to_bytes = "{}.encode()"
    longest_bytes = LONGEST_STRING_BYTES


class BytesNode(Sized):
    """Opaque bytes."""

    kind = "bytes"
    to_value = "bytes({})"


class RecordsNode(Sized):
    """Record batches: read as a view that copies nothing, written from one buffer or many."""

    kind = "records"

    def emit_slice(self, out: Source, target: str, size: str) -> None:
        """Write a view: copying the batches is the log's business."""
        out.line(f"{target} = {out.constant(memoryview, 'memoryview')}(buf)[p:p + {size}]")

    def emit_bytes(self, out: Source, run: EncodeRun, data: str) -> None:
        """Write each buffer of a chain as a part of its own."""
        with out.block(f"if type({data}) is {out.constant(BufferChain, 'BufferChain')}:"):
            part = out.fresh("part")
            with out.block(f"for {part} in {data}.buffers:"):
                out.line(f"{run.write}({part})")
        with out.block("else:"):
            out.line(f"{run.write}({data})")
