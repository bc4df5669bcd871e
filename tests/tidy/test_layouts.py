"""Layouts of messages and batches are written in the protocol, and nowhere else."""

import ast
import re

from tests.tidy.repository import Sources, parsed, python, refuse, sources

PROTOCOL = "mockbroker/protocol/"
NETWORK_ORDER = re.compile(r"[>!][\dxcbB?hHiIlLqQfds]+")
NUMBERS = ("from_bytes", "to_bytes")


def layouts(files: Sources) -> list[str]:
    return [
        f"{path}:{node.lineno}: {found}"
        for path, text in python(files, "mockbroker/").items()
        if not path.startswith(PROTOCOL)
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Constant | ast.Attribute) and (found := layout(node))
    ]


def layout(node: ast.Constant | ast.Attribute) -> str | None:
    """Return a format of `struct` in network order, or how a number is made of bytes."""
    if isinstance(node, ast.Attribute):
        return node.attr if node.attr in NUMBERS else None
    is_format = isinstance(node.value, str) and NETWORK_ORDER.fullmatch(node.value)
    return str(node.value) if is_format else None


def test_no_layout_is_written_outside_the_protocol() -> None:
    refuse(layouts(sources()))


def test_a_layout_outside_the_protocol_is_detected() -> None:
    planted = 'import struct\n\nSIZE = struct.Struct(">i")\nKEY = int.from_bytes(b"ab")\n'
    assert layouts({"mockbroker/server/planted.py": planted}) == [
        "mockbroker/server/planted.py:3: >i",
        "mockbroker/server/planted.py:4: from_bytes",
    ]
    assert not layouts({f"{PROTOCOL}planted.py": planted})
