"""Each source file has its own test file, in the same place of the tree."""

import ast

import pytest

from tests.tidy.repository import Sources, parsed, python, refuse, sources

# Declarations only: one parametrised suite goes through all of them.
DECLARATIONS = ("mockbroker/protocol/messages/", "mockbroker/protocol/log_records/")
BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.Try, ast.While)
ENTRIES = ("__init__.py", "__main__.py")


def mirror_of(path: str) -> str:
    *folders, name = path.split("/")[1:]
    return "/".join(["tests", *folders, f"test_{name}"])


def unmirrored(files: Sources) -> list[str]:
    return [
        f"{path} has no {mirror_of(path)}"
        for path, text in python(files, "mockbroker/").items()
        if not path.startswith(DECLARATIONS)
        and not path.endswith(ENTRIES)
        and has_branch(text)
        and mirror_of(path) not in files
    ]


def has_branch(text: str) -> bool:
    """Return True if a source decides anything; the rest is tested by the tests of its users."""
    return any(
        (isinstance(node, BRANCHES) and ast.unparse(getattr(node, "test", node)) != "TYPE_CHECKING")
        or (isinstance(node, ast.comprehension) and node.ifs)
        for node in ast.walk(parsed(text))
    )


def test_every_source_file_has_its_test_file() -> None:
    refuse(unmirrored(sources()))


@pytest.mark.parametrize(
    ("path", "mirror"),
    [
        ("mockbroker/protocol/records/batch.py", "tests/protocol/records/test_batch.py"),
        ("mockbroker/state/timers.py", "tests/state/test_timers.py"),
        ("mockbroker/cli/main.py", "tests/cli/test_main.py"),
        ("mockbroker/broker/handlers/fetch.py", "tests/broker/handlers/test_fetch.py"),
    ],
)
def test_a_source_file_without_a_test_file_is_detected(path: str, mirror: str) -> None:
    planted = {path: "def f(x): return 1 if x else 2\n"}
    assert unmirrored(planted) == [f"{path} has no {mirror}"]
    assert not unmirrored({**planted, mirror: ""})


def test_declarations_tables_and_package_files_need_none() -> None:
    planted = {
        "mockbroker/protocol/messages/fetch.py": "def f(x): return 1 if x else 2\n",
        "mockbroker/state/__init__.py": "def f(x): return 1 if x else 2\n",
        "mockbroker/state/config/table.py": "def f(x): return TABLE[x]\nTABLE = {1: 2}\n",
    }
    assert not unmirrored(planted)
