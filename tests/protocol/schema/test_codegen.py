import struct
from collections.abc import Callable
from typing import Any, cast

import pytest

from mockbroker.protocol.schema.codegen import DecodeRun, EncodeRun, FunctionSource


def decoded(out: FunctionSource, data: bytes) -> Any:
    return cast("Callable[[bytes], Any]", out.compile("a test"))(data)


def test_a_source_is_compiled_to_its_function() -> None:
    out = FunctionSource("twice(x)")
    with out.block("if x:"):
        out.line("return x * 2")
    out.line("return None")
    twice = cast("Callable[[int], int | None]", out.compile("twice"))
    assert twice(4) == 8
    assert twice(0) is None
    assert twice.__source__ == "def twice(x):\n if x:\n  return x * 2\n return None"  # type: ignore[attr-defined]


def test_a_fresh_name_is_unique() -> None:
    out = FunctionSource("f()")
    assert len({out.fresh("n") for _ in range(3)}) == 3


def test_a_constant_keeps_its_name_and_shares_it_with_no_other() -> None:
    out = FunctionSource("f()")
    first, second = object(), object()
    names = [out.constant(first, "c"), out.constant(second, "c"), out.constant(first, "c")]
    assert names == ["_c", "_c_", "_c"]
    assert out.scope["_c"] is first
    assert out.scope["_c_"] is second


def test_a_layout_is_made_once() -> None:
    out = FunctionSource("f()")
    name = out.layout("h?", "pack")
    method = out.scope[name]
    assert out.layout("h?", "pack") == name
    assert out.scope[name] is method
    assert cast("Callable[..., bytes]", method)(1, True) == b"\0\x01\x01"


def test_adjacent_fields_are_read_by_one_call() -> None:
    out = FunctionSource("decode(buf)")
    out.line("p = 0")
    run = DecodeRun(out)
    run.add("h", "a")
    run.add("i", "b", "b * 2")
    run.flush()
    run.flush()
    out.line("return a, b, p")
    assert sum("unpack" in line for line in out.lines) == 1
    assert decoded(out, struct.pack(">hi", 1, 2)) == (1, 4, 6)


def test_a_single_byte_is_read_without_a_call() -> None:
    out = FunctionSource("decode(buf)")
    out.line("p = 0")
    run = DecodeRun(out)
    run.add("B", "a")
    run.flush()
    out.line("return a, p")
    assert not any("unpack" in line for line in out.lines)
    assert decoded(out, b"\x07") == (7, 1)


@pytest.mark.parametrize(
    ("fields", "written"),
    [
        ([("h", "1"), ("x", None), ("b", "2")], b"\0\x01\0\x02"),
        ([("x", None), ("x", None)], b"\0\0"),
        ([], b""),
    ],
)
def test_adjacent_fields_are_written_by_one_call(
    fields: list[tuple[str, str | None]], written: bytes
) -> None:
    out = FunctionSource("encode(w)")
    run = EncodeRun(out)
    for letter, value in fields:
        run.add(letter, value)
    run.flush()
    out.line("return")
    parts: list[bytes] = []
    cast("Callable[[Any], None]", out.compile("a test"))(parts.append)
    assert len(parts) == (1 if fields else 0)
    assert b"".join(parts) == written
