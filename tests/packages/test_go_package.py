"""The Go module: its own tests with franz-go, its style, its types, and its page."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from mockbroker.http.application import ENDPOINTS
from mockbroker.http.endpoint import API
from tests.support.fenced_blocks import conversations, texts_of
from tests.tidy.repository import ROOT
from tools.go_types import OF_THE_PAGE, TYPES, types

PACKAGE: Final = ROOT / "packages" / "go"
LEFT_OUT: Final = {
    "changes": "for the live page",
    "events": "WaitForRequests looks at the journal again and again instead",
    "healthz": "for orchestrators",
    "livez": "for orchestrators",
    "metrics": "for Prometheus",
    "openapi.json": "the types come from it",
    "readyz": "for orchestrators",
    "shutdown": "Stop ends the process",
}
"""Endpoints that the module does not use, by their last word, each with the reason."""
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


def test_it_uses_every_endpoint() -> None:
    sources = "".join(path.read_text("utf-8") for path in PACKAGE.glob("*.go"))
    used = {word for path in re.findall(r'"([a-z/-]+)"', sources) for word in path.split("/")}
    paths = [each.path.removeprefix(API).strip("/").split("/") for each in ENDPOINTS]
    known = {word for path in paths if path[0] not in OF_THE_PAGE for word in path}
    assert {word for word in known - used if word and "{" not in word} == LEFT_OUT.keys()


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
