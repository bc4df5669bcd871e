"""Every public name has a docstring that begins with a full sentence."""

import ast
from collections.abc import Iterator

import pytest

from tests.tidy.repository import CODE, Sources, parsed, python, refuse, sources

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# What overrides is documented where it comes from; a declared message is its own description.
EXEMPT = {"overload", "override", "setter", "Message", "Struct"}


def public_names(node: Documented, name: str) -> Iterator[tuple[str, Documented]]:
    """Yield a public node and the public nodes in it; what a function defines is its own affair."""
    yield name, node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    for child in node.body:
        match child:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if is_public(child):
                yield from public_names(child, f"{name}.{child.name}")
            case _:
                pass


def is_public(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    marks = decorators | {ast.unparse(base) for base in bases}
    return not node.name.startswith("_") and marks.isdisjoint(EXEMPT)


def undocumented(files: Sources) -> list[str]:
    return [
        name
        for path, text in python(files, *CODE).items()
        for name, node in public_names(parsed(text), path)
        if not is_sentence(ast.get_docstring(node)) and text.strip()
    ]


def is_sentence(docstring: str | None) -> bool:
    return docstring is not None and docstring.split("\n\n")[0].rstrip().endswith(
        (".", ":", "?", "!")
    )


def test_every_public_name_is_documented() -> None:
    refuse(undocumented(sources()))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x = 1\n", "mockbroker/x.py"),
        ('"""Fine."""\nclass A: pass\n', "mockbroker/x.py.A"),
        ('"""Fine."""\nasync def f():\n    "no full stop"\n', "mockbroker/x.py.f"),
        ('"""Fine."""\nclass A:\n    "Fine."\n    def f(self): pass\n', "mockbroker/x.py.A.f"),
    ],
)
def test_a_public_name_without_a_docstring_is_detected(text: str, name: str) -> None:
    assert undocumented({"mockbroker/x.py": text}) == [name]


def test_private_nested_and_overriding_names_need_none() -> None:
    text = (
        '"""Fine."""\ndef f():\n    "Fine."\n    def g(): pass\ndef _h(): pass\n'
        "@override\ndef i(): pass\nclass X(Struct): pass\n"
    )
    assert not undocumented({"mockbroker/x.py": text, "mockbroker/state/__init__.py": ""})
