"""Tree nodes of arrays, structs and tagged fields."""

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mockbroker.protocol.schema.codegen import DecodeRun, EncodeRun, FunctionSource
from mockbroker.protocol.schema.message import Field, Struct
from mockbroker.protocol.schema.primitives import Length, Node, Scalar
from mockbroker.protocol.varint import write_uvarint

_TAGGED_FIELD_BYTES: Final = 2
"""Size of the smallest tagged field: a tag and a size."""


class ArrayNode(Node):
    """Length-prefixed list."""

    kind = "array"

    def __init__(self, length: Length, element: Node, *, nullable: bool) -> None:
        """Create an array of one element kind; `nullable` allows null."""
        assert element.least_bytes > 0, "the count of elements without bytes cannot be checked"
        self.length = length
        self.element = element
        self.nullable = nullable
        self.least_bytes = length.size_bytes

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Emit a read of the length, then one call for scalars or a loop."""
        count = out.fresh("n")
        self.length.emit_decode(out, run, count)
        least_bytes = self.element.least_bytes
        needed = count if least_bytes == 1 else f"{count} * {least_bytes}"
        with out.block(f"if {needed} > end - p:"):
            out.line("raise BadBytes")
        with out.block(f"if {count} < 0:"):
            out.line(f"{target} = None" if self.nullable else "raise BadBytes")
        with out.block("else:"):
            if type(self.element) is Scalar:
                self._emit_scalars(out, self.element, target, count)
            else:
                self._emit_loop(out, target, count)

    def _emit_scalars(self, out: FunctionSource, element: Scalar, target: str, count: str) -> None:
        unpack = out.constant(_unpack_many, "unpack_many")
        out.line(f"paced({count})")
        out.line(f"{target}, p = {unpack}({element.letter!r}, {count}, buf, p)")

    def _emit_loop(self, out: FunctionSource, target: str, count: str) -> None:
        item = out.fresh("item")
        out.line(f"{target} = []")
        with out.block(f"for _ in paced({count}):"):
            inner = DecodeRun(out)
            self.element.emit_decode(out, inner, item)
            inner.flush()
            out.line(f"{target}.append({item})")

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Emit a write of the length, then of each element."""
        items, count, item = out.fresh("a"), out.fresh("n"), out.fresh("item")
        out.line(f"{items} = {value}")
        if self.nullable:
            with out.block(f"if {items} is None:"):
                out.line(f"{items} = (); {count} = -1")
            with out.block("else:"):
                out.line(f"{count} = len({items})")
        else:
            out.line(f"{count} = len({items})")
        self.length.emit_encode(out, run, count)
        with out.block(f"for {item} in paced({items}):"):
            inner = EncodeRun(out, run.write)
            self.element.emit_encode(out, inner, item)
            inner.flush()


def _unpack_many(letter: str, count: int, buffer: bytes, position: int) -> tuple[list[Any], int]:
    layout = f">{count}{letter}"
    values = struct.unpack_from(layout, buffer, position)
    return list(values), position + struct.calcsize(layout)


class Member(NamedTuple):
    """Field of a struct in one version; `node` is None if the version lacks the field."""

    name: str
    field: Field
    node: Node | None
    tag: int | None


class StructNode(Node):
    """Fields of a struct in one version, with the tagged fields of a flexible version."""

    kind = "struct"

    def __init__(self, of: type[Struct], members: Sequence[Member], *, flexible: bool) -> None:
        """Create the node whose values are instances of the class `of`."""
        self.of = of
        self.members = members
        self.untagged = [(m, m.node) for m in members if m.node is not None and m.tag is None]
        tagged = [(m.tag, m, m.node) for m in members if m.node is not None and m.tag is not None]
        self.tagged = sorted(tagged, key=lambda entry: entry[0])
        self.flexible = flexible
        self.least_bytes = sum(node.least_bytes for _, node in self.untagged) + flexible

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Emit a read of each field, then the constructor call."""
        names = {m.name: out.fresh(m.name) for m, _ in self.untagged}
        for member, node in self.untagged:
            node.emit_decode(out, run, names[member.name])
        if self.flexible:
            names |= self._emit_decode_tags(out, run)
        run.flush()
        arguments = [names.get(m.name) or _initial(out, m) for m in self.members]
        out.line(f"{target} = {out.constant(self.of, self.of.__name__)}({', '.join(arguments)})")

    def _emit_decode_tags(self, out: FunctionSource, run: DecodeRun) -> dict[str, str]:
        names = {member.name: out.fresh(member.name) for _, member, _ in self.tagged}
        count, tag = out.fresh("tags"), out.fresh("tag")
        run.add("B", count)
        run.flush()
        for _, member, _ in self.tagged:
            out.line(f"{names[member.name]} = {_initial(out, member)}")
        with out.block(f"if {count}:"):
            with out.block(f"if {count} > 127:"):
                out.line(f"{count}, p = read_uvarint(buf, p - 1)")
            with out.block(f"if {count} * {_TAGGED_FIELD_BYTES} > end - p:"):
                out.line("raise BadBytes")
            with out.block(f"for _ in paced({count}):"):
                out.line(f"{tag}, p = read_uvarint(buf, p)")
                self._emit_decode_tag(out, tag, names)
        return names

    def _emit_decode_tag(self, out: FunctionSource, tag: str, names: dict[str, str]) -> None:
        size, stop = out.fresh("size"), out.fresh("stop")
        out.line(f"{size}, p = read_uvarint(buf, p)")
        out.line(f"{stop} = p + {size}")
        with out.block(f"if {stop} > end:"):
            out.line("raise BadBytes")
        for number, member, node in self.tagged:
            with out.block(f"if {tag} == {number}:"):
                inner = DecodeRun(out)
                node.emit_decode(out, inner, names[member.name])
                inner.flush()
                with out.block(f"if p != {stop}:"):
                    out.line("raise BadBytes")
        out.line(f"p = {stop}")

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Emit a write of each field, then of the tagged fields that are not default."""
        for member, node in self.untagged:
            node.emit_encode(out, run, f"{value}.{member.name}")
        if not self.flexible:
            return
        if not self.tagged:
            run.add("x")
            return
        run.flush()
        self._emit_encode_tags(out, run, value)

    def _emit_encode_tags(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        parts, body, item = (out.fresh(h) for h in ("tags", "body", "value"))
        out.line(f"{parts} = []")
        for tag, member, node in self.tagged:
            out.line(f"{item} = {value}.{member.name}")
            with out.block(f"if {item} != {_initial(out, member)}:"):
                out.line(f"{body} = []; {body}_w = {body}.append")
                inner = EncodeRun(out, f"{body}_w")
                node.emit_encode(out, inner, item)
                inner.flush()
                out.line(f"{body} = b''.join({body})")
                head = f"{write_uvarint(tag)!r} + write_uvarint(len({body}))"
                out.line(f"{parts}.append({head} + {body})")
        out.line(f"{run.write}(write_uvarint(len({parts})) + b''.join({parts}))")


def _initial(out: FunctionSource, member: Member) -> str:
    """Return the expression of a field's default."""
    default = member.field.default
    if default is None or isinstance(default, (bool, int, float, str, bytes)):
        return repr(default)
    if member.field.initial() is default:
        return out.constant(default, f"default_{member.name}")
    return f"{out.constant(member.field.initial, f'initial_{member.name}')}()"


class NullableStructNode(Node):
    """Struct that may be null, with a marker byte before it.

    As in Kafka's generated classes, null is -1 for an ordinary field and 0 for a tagged field.
    """

    kind = "struct"

    def __init__(self, inner: StructNode, *, tagged: bool = False) -> None:
        """Wrap the node of the struct."""
        self.inner = inner
        self.null = 0 if tagged else -1

    def emit_decode(self, out: FunctionSource, run: DecodeRun, target: str) -> None:
        """Emit a read of the marker byte, then of the struct."""
        mark = out.fresh("mark")
        run.add("b", mark)
        run.flush()
        with out.block(f"if {mark} == 0:" if self.null == 0 else f"if {mark} < 0:"):
            out.line(f"{target} = None")
        with out.block("else:"):
            inner = DecodeRun(out)
            self.inner.emit_decode(out, inner, target)
            inner.flush()

    def emit_encode(self, out: FunctionSource, run: EncodeRun, value: str) -> None:
        """Emit a write of the marker byte, then of the struct."""
        one = out.fresh("value")
        out.line(f"{one} = {value}")
        run.flush()
        with out.block(f"if {one} is None:"):
            out.line(f"{run.write}({self.null.to_bytes(1, signed=True)!r})")
        with out.block("else:"):
            out.line(f"{run.write}(b'\\x01')")
            inner = EncodeRun(out, run.write)
            self.inner.emit_encode(out, inner, one)
            inner.flush()
