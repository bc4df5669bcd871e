"""The Node package: its tests, its types, and the programs of its page."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mockbroker import __version__
from tests.clients.support.programs import build_step, built
from tests.support.fenced_blocks import texts_of
from tests.tidy.repository import ROOT

PACKAGE: Final = ROOT / "packages" / "node"
PAGE: Final = "docs/how-to/test-in-node.md"
TIMEOUT_S: Final = 250

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Copy of the package, beside what its tests need."""
    locked = [PACKAGE / name for name in ("package.json", "package-lock.json", ".npmrc")]

    def install(into: Path) -> None:
        for source in locked:
            shutil.copy(source, into)
        build_step(["npm", "ci", "--no-audit", "--no-fund"], folder=into)

    copy = tmp_path_factory.mktemp("packages") / "node"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(built("node-package", locked, install) / "node_modules")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOCKBROKER_COMMAND", f"{sys.executable} -m mockbroker")
        patch.delenv("MOCKBROKER_ADMIN", raising=False)
        patch.delenv("MOCKBROKER_ADMIN_TOKEN", raising=False)
        yield copy


def run(folder: Path, *command: str) -> None:
    """Run a command in a folder of the package.

    Raises: AssertionError with what it printed, when it fails.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_its_tests_pass(folder: Path) -> None:
    run(folder, "npm", "test")


def test_the_programs_of_its_page_pass(folder: Path) -> None:
    programs = texts_of(PAGE, "javascript")
    assert programs
    for number, program in enumerate(programs):
        (folder / f"page-{number}.test.mjs").write_text(program, "utf-8")
    run(folder, "node", "--test", *(f"page-{number}.test.mjs" for number in range(len(programs))))


def test_its_types_are_those_of_the_http_api(folder: Path) -> None:
    committed = {path.name: path.read_text("utf-8") for path in PACKAGE.glob("types/*.d.ts")}
    shutil.rmtree(folder / "types")
    run(folder, "npm", "run", "types")
    made = {path.name: path.read_text("utf-8") for path in folder.glob("types/*.d.ts")}
    assert made == committed, "run `npm run types` in packages/node"


def test_it_has_the_version_of_mockbroker() -> None:
    assert json.loads((PACKAGE / "package.json").read_text("utf-8"))["version"] == __version__
