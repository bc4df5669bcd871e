"""Files and functions stay short enough to be read at once."""

import ast

from tests.tidy.repository import CODE, Sources, parsed, python, refuse, sources

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50


def long_modules(files: Sources) -> list[str]:
    return [
        f"{path}: {lines} lines"
        for path, text in python(files, *CODE, "tests/").items()
        if (lines := len(text.splitlines())) > MODULE_LINES_MAX
    ]


def long_functions(files: Sources) -> list[str]:
    return [
        f"{path}:{node.lineno}: {node.name} has {lines} lines"
        for path, text in python(files, *CODE, "tests/").items()
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]


def test_no_module_is_long() -> None:
    refuse(long_modules(sources()))


def test_no_function_is_long() -> None:
    refuse(long_functions(sources()))


def test_one_line_too_many_in_a_module_is_detected() -> None:
    assert not long_modules({"mockbroker/full.py": "x = 1\n" * MODULE_LINES_MAX})
    planted = {"mockbroker/long.py": "x = 1\n" * (MODULE_LINES_MAX + 1)}
    assert long_modules(planted) == ["mockbroker/long.py: 401 lines"]


def test_one_line_too_many_in_a_function_is_detected() -> None:
    def function(lines: int) -> str:
        return "class C:\n    def f():\n" + "        x = 1\n" * (lines - 1)

    assert not long_functions({"tools/a.py": function(FUNCTION_LINES_MAX)})
    planted = {"tools/a.py": function(FUNCTION_LINES_MAX + 1)}
    assert long_functions(planted) == ["tools/a.py:2: f has 51 lines"]
