"""Test files hold tests, and tests do not sleep."""

import ast

import pytest

from tests.tidy.repository import Sources, parsed, python, refuse, sources

# Foreign clients run in processes of their own, and their harness may have to wait for them.
MAY_SLEEP = "tests/clients/support/"


def without_tests(files: Sources) -> list[str]:
    return [
        path
        for path, text in python(files, "tests/").items()
        if path.rpartition("/")[2].startswith("test_")
        and not any(is_test(node) for node in ast.walk(parsed(text)))
    ]


def is_test(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name.startswith("test_")
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr="TestCase")):
            return name.startswith("Test")
        case ast.ClassDef(name=name, bases=[ast.Name(id=base)]):  # it inherits its tests
            return name.startswith("Test") and base.endswith("Scenarios")
        case _:
            return False


def sleeps(files: Sources) -> list[str]:
    return [
        f"{path}:{node.lineno}"
        for path, text in python(files, "tests/").items()
        if not path.startswith(MAY_SLEEP)
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call) and is_sleep(node)
    ]


def is_sleep(call: ast.Call) -> bool:
    called = ast.unparse(call.func)
    turns_the_loop_once = [ast.unparse(argument) for argument in call.args] == ["0"]
    return called.rpartition(".")[2] == "sleep" and not (
        called == "asyncio.sleep" and turns_the_loop_once
    )


@pytest.mark.slow
def test_every_test_file_has_a_test() -> None:
    refuse(without_tests(sources()))


@pytest.mark.slow
def test_no_test_sleeps() -> None:
    refuse(sleeps(sources()))


def test_a_test_file_without_a_test_is_detected() -> None:
    planted = {
        "tests/state/test_a.py": "def check(): pass\n",
        "tests/state/test_b.py": "async def test_b(): pass\n",
        "tests/state/test_c.py": "TestLog = LogMachine.TestCase\n",
        "tests/state/test_d.py": "class TestLog(LogScenarios): pass\n",
        "tests/state/test_e.py": "class TestLog(Log): pass\n",
        "tests/state/support.py": "",
    }
    assert without_tests(planted) == ["tests/state/test_a.py", "tests/state/test_e.py"]


@pytest.mark.parametrize("call", ["time.sleep(0.1)", "sleep(1)", "await asyncio.sleep(0.1)"])
def test_a_sleep_is_detected(call: str) -> None:
    assert sleeps({"tests/a.py": f"async def f():\n    {call}\n"}) == ["tests/a.py:2"]


def test_turning_the_loop_once_is_no_sleep() -> None:
    assert not sleeps({"tests/a.py": "async def f():\n    await asyncio.sleep(0)\n"})
