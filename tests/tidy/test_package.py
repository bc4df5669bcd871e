"""Built packages contain the code once, under one name."""

import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

import pytest

import mockbroker
from tests.tidy.repository import ROOT, sources

CONVERSATIONS_BYTES_MAX = 1_000_000
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def built(kind: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory"]
    subprocess.run([*command, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (artifact,) = folder.iterdir()
    return artifact


def foreign_tops(names: Iterable[str]) -> set[str]:
    """Return what a wheel would put into site-packages besides mockbroker and its metadata."""
    return {name.split("/")[0] for name in names} - {
        "mockbroker",
        f"mockbroker-{VERSION}.dist-info",
    }


@pytest.mark.slow
def test_a_wheel_has_one_name_at_the_top(tmp_path: Path) -> None:
    with ZipFile(built("wheel", tmp_path)) as wheel:
        names = wheel.namelist()
        conversations = wheel.getinfo("mockbroker/diff/conversations.zip")
    assert not foreign_tops(names)
    assert "mockbroker/py.typed" in names
    assert "mockbroker/protocol/types.py" in names
    assert {"mockbroker/web/index.html", "mockbroker/web/commands/command.js"} <= set(names)
    assert conversations.file_size < CONVERSATIONS_BYTES_MAX
    assert f"mockbroker-{VERSION}.dist-info/licenses/LICENSE" in names


@pytest.mark.slow
def test_a_source_distribution_has_the_floors_once(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as sdist:
        names = sdist.getnames()
    assert f"mockbroker-{VERSION}/mockbroker/protocol/types.py" in names
    copies = [name for name in names if name.endswith("protocol/types.py")]
    assert len(copies) == 1
    assert not [name for name in names if name.split("/")[1:2] in (["protocol"], ["state"])]


def test_a_second_name_at_the_top_of_a_wheel_is_detected() -> None:
    assert foreign_tops(["mockbroker/x.py", "state/x.py"]) == {"state"}


@pytest.mark.skipif(sys.platform == "win32", reason="there the links are text files")
@pytest.mark.parametrize("floor", ["protocol", "state"])
def test_the_floors_are_linked_at_the_top(floor: str) -> None:
    assert (ROOT / floor).readlink() == Path("mockbroker", floor)


def test_there_is_one_py_typed_marker() -> None:
    assert [path for path in sources() if path.endswith("py.typed")] == ["mockbroker/py.typed"]


def test_the_package_has_its_version() -> None:
    assert mockbroker.__version__ == VERSION
