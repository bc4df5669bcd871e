"""The Go module: its own tests with franz-go, its style, its types, and its page."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.fenced_blocks import conversations, texts_of
from tests.tidy.repository import ROOT
from tools.go_types import TYPES, types

PACKAGE: Final = ROOT / "packages" / "go"
MODULES: Final = (PACKAGE, PACKAGE / "tests")
PAGE: Final = "docs/how-to/test-in-go.md"

pytestmark = [pytest.mark.go, pytest.mark.slow, pytest.mark.timeout(300)]


def go(*words: str, folder: Path) -> str:
    """Run a command of Go; the module's tests start this mockbroker."""
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"MOCKBROKER_COMMAND": f"{sys.executable} -m mockbroker"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}"
    return done.stdout


@pytest.mark.parametrize("module", MODULES, ids=["module", "tests"])
def test_its_tests_pass(module: Path) -> None:
    assert "ok " in go("go", "test", "-count=1", "-timeout=120s", "./...", folder=module)


@pytest.mark.parametrize("module", MODULES, ids=["module", "tests"])
def test_vet_finds_nothing(module: Path) -> None:
    go("go", "vet", "./...", folder=module)


def test_its_sources_are_formatted() -> None:
    assert not go("gofmt", "-l", ".", folder=PACKAGE)


def test_it_needs_nothing_but_the_standard_library() -> None:
    assert go("go", "list", "-m", "all", folder=PACKAGE).split() == ["mockbroker.test/mockbroker"]


def test_its_types_are_those_of_the_openapi_document() -> None:
    assert (ROOT / TYPES).read_text("utf-8") == types(), "run python -m tools.go_types"


def test_the_test_on_the_page_is_one_of_its_tests() -> None:
    program, _ = texts_of(PAGE, "go")
    test = (PACKAGE / "tests" / "page_test.go").read_text("utf-8")
    assert program == test.replace("package tests\n", "package orders\n")


def test_a_module_that_is_set_up_as_on_the_page_starts_a_cluster(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    (tmp_path / "mockbroker").symlink_to(ROOT)
    (shop / "main.go").write_text(texts_of(PAGE, "go")[1], "utf-8")
    go("go", "mod", "init", "shop", folder=shop)
    ((command, _),) = conversations(texts_of(PAGE, "console elsewhere")[0])
    go(*command.split(), folder=shop)
    assert go("go", "run", ".", folder=shop).startswith("127.0.0.1:")
