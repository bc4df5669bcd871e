"""Import circles are small; type-only and late imports count."""

import ast

import pytest

from tests.tidy.repository import Sources, modules, parsed, refuse, sources

CIRCLE_MODULES_MAX = 3


def imports_of(files: Sources) -> dict[str, set[str]]:
    """Return the modules of the package that each of its modules imports, late or for types."""
    known = modules(files)
    return {
        name: {each for each in _named(files[path], known) if each != name}
        for name, path in known.items()
    }


def _named(text: str, known: dict[str, str]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(parsed(text)):
        match node:
            case ast.Import():
                found.update(alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                for alias in node.names:
                    full = f"{module}.{alias.name}"
                    found.add(full if full in known else module)
            case _:
                pass
    return found & known.keys()


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the sets of modules that all import each other, directly or not."""
    below = {name: _reached(graph, name) for name in graph}
    return {
        frozenset({name} | {each for each in reached if name in below[each]})
        for name, reached in below.items()
        if name in reached
    }


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        news = graph[waiting.pop()] - found
        found |= news
        waiting += news
    return found


def large_circles(files: Sources) -> list[str]:
    return [
        " <-> ".join(sorted(circle))
        for circle in circles(imports_of(files))
        if len(circle) > CIRCLE_MODULES_MAX
    ]


@pytest.mark.slow
def test_no_circle_of_imports_is_large() -> None:
    refuse(large_circles(sources()))


def test_a_large_circle_is_detected() -> None:
    planted = {
        "mockbroker/a.py": "import mockbroker.b\n",
        "mockbroker/b.py": "from mockbroker import c\n",
        "mockbroker/c.py": "def f():\n    import mockbroker.d\n",
        "mockbroker/d.py": "import mockbroker.e\n",
        "mockbroker/e.py": "",
    }
    assert not large_circles(planted)
    planted["mockbroker/e.py"] = "if TYPE_CHECKING:\n    from mockbroker.a import X\n"
    assert large_circles(planted) == [
        "mockbroker.a <-> mockbroker.b <-> mockbroker.c <-> mockbroker.d <-> mockbroker.e"
    ]
    del planted["mockbroker/d.py"], planted["mockbroker/e.py"]
    planted["mockbroker/c.py"] = "import mockbroker.a\n"
    assert not large_circles(planted)
