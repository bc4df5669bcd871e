"""Imports inside functions are few, and each has a comment with its reason."""

import ast
import re

from tests.tidy.repository import Sources, parsed, python, refuse, sources

LATE_IMPORTS_MAX = 40
REASON = re.compile(r"# Imported late\b.*: \S")


def late_imports(text: str) -> list[int]:
    """Return the lines of the imports that run when a function is called."""
    return sorted(
        {
            node.lineno
            for function in ast.walk(parsed(text))
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )


def places(files: Sources) -> list[tuple[str, int]]:
    return [
        (path, line)
        for path, text in python(files, "mockbroker/").items()
        for line in late_imports(text)
    ]


def without_reason(files: Sources) -> list[str]:
    return [
        f"{path}:{line} has no comment `# Imported late: ...` above it"
        for path, line in places(files)
        if not REASON.search(" ".join(files[path].splitlines()[max(line - 3, 0) : line]))
    ]


def test_late_imports_are_few() -> None:
    assert len(places(sources())) <= LATE_IMPORTS_MAX


def test_each_late_import_has_its_reason() -> None:
    refuse(without_reason(sources()))


def test_a_late_import_without_a_reason_is_detected() -> None:
    planted = {
        "mockbroker/a.py": "import json\ndef f():\n    def g():\n        import json\n",
        "mockbroker/b.py": "async def f():\n    # Imported late: few need it.\n    import json\n",
        "mockbroker/c.py": "def f():\n    # Imported late:\n    import json\n",
        "tests/a.py": "def f():\n    import json\n",
    }
    assert places(planted) == [
        ("mockbroker/a.py", 4),
        ("mockbroker/b.py", 3),
        ("mockbroker/c.py", 3),
    ]
    assert [found.split()[0] for found in without_reason(planted)] == [
        "mockbroker/a.py:4",
        "mockbroker/c.py:3",
    ]
