"""Names are Kafka's, not abbreviated, and name the owner of an epoch."""

import ast
from collections.abc import Iterator

import pytest

from tests.tidy.repository import CODE, Sources, parsed, python, refuse, sources

ABBREVIATIONS = {"hw", "lso", "pid", "txid"}
NEVER_BARE = {"epoch"}
CATCH_ALLS = {"common", "helper", "helpers", "misc", "util", "utils"}
# Declarations carry Kafka's field names as they are.
DECLARATIONS = ("mockbroker/protocol/messages/", "mockbroker/protocol/log_records/")


def banned_identifiers(files: Sources) -> list[str]:
    return [
        f"{path}:{line}: {name}"
        for path, text in python(files, "mockbroker/").items()
        if not path.startswith(DECLARATIONS)
        for name, line in given_names(parsed(text))
        if is_banned(name)
    ]


def given_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the names that a source gives; those it only uses may be Kafka's."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno
            case _:
                pass


def is_banned(identifier: str) -> bool:
    name = identifier.lower().strip("_")
    return name in NEVER_BARE or not ABBREVIATIONS.isdisjoint(name.split("_"))


def catch_all_modules(files: Sources) -> list[str]:
    return [
        path
        for path in python(files, *CODE, "tests/")
        for part in path.removesuffix(".py").split("/")
        if not CATCH_ALLS.isdisjoint(part.removeprefix("test_").split("_"))
    ]


@pytest.mark.slow
def test_no_identifier_is_banned() -> None:
    refuse(banned_identifiers(sources()))


def test_no_module_is_a_catch_all() -> None:
    refuse(catch_all_modules(sources()))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("pid = 1", "pid"),
        ("self._lso = 1", "_lso"),
        ("for lso_max in x: pass", "lso_max"),
        ("TXID: int = 1", "TXID"),
        ("def f(epoch): pass", "epoch"),
        ("class Hw: pass", "Hw"),
        ("import x as epoch", "epoch"),
        ("with x as pid: pass", "pid"),
    ],
)
def test_a_banned_identifier_is_detected(line: str, name: str) -> None:
    planted = {"mockbroker/state/x.py": f"\n{line}\n"}
    assert banned_identifiers(planted) == [f"mockbroker/state/x.py:2: {name}"]


def test_strings_comments_and_the_names_of_others_are_allowed() -> None:
    allowed = (
        'producer_epoch = os.getpid()  # the pid\nready = {"pid": rapid}\n'
        "EpochEndOffset(epoch=request.epoch)\n"
    )
    assert not banned_identifiers({"mockbroker/x.py": allowed})


@pytest.mark.parametrize(
    "path", ["mockbroker/utils.py", "tests/common/x.py", "mockbroker/state/log_helpers.py"]
)
def test_a_catch_all_module_is_detected(path: str) -> None:
    assert catch_all_modules({path: ""}) == [path]
