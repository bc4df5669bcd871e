"""Archive of scripts and recordings."""

import json
import zipfile
from pathlib import Path

import pytest

from tools.conversations import ARCHIVE, LEFT_OUT, ROOT, write

CONFORMANCE = "tests/conformance"
TREE = {
    f"{CONFORMANCE}/golden/scenarios/fetch.txt": "fetch 4.4.0 []\n",
    f"{CONFORMANCE}/golden/scenarios/tls.txt": "tls 4.4.0 []\n",
    f"{CONFORMANCE}/record.py": "",
    f"{CONFORMANCE}/scenarios/__init__.py": "",
    f"{CONFORMANCE}/scenarios/fetch.py": "",
    f"{CONFORMANCE}/scenarios/tls.py": "",
    f"{CONFORMANCE}/talk.py": "",
    f"{CONFORMANCE}/test_talk.py": "",
    f"{CONFORMANCE}/walks/log.py": "",
    "tests/facts/apiversions-4.4.0.json": "{}",
    "tests/facts/errors.json": "{}",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "root"


def test_an_archive_has_scripts_and_recordings_and_no_tests(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "archive" / ARCHIVE.name
    assert write(path, root)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        reasons = json.loads(archive.read(f"{CONFORMANCE}/left_out.json"))
    assert names == {
        f"{CONFORMANCE}/__init__.py",
        f"{CONFORMANCE}/golden/scenarios/fetch.txt",
        f"{CONFORMANCE}/left_out.json",
        f"{CONFORMANCE}/scenarios/__init__.py",
        f"{CONFORMANCE}/scenarios/fetch.py",
        f"{CONFORMANCE}/talk.py",
        f"{CONFORMANCE}/walks/__init__.py",
        f"{CONFORMANCE}/walks/log.py",
        "tests/__init__.py",
        "tests/facts/apiversions-4.4.0.json",
    }
    assert reasons == LEFT_OUT


def test_the_same_content_makes_the_same_bytes(root: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    assert write(first, root)
    assert write(second, root)
    assert first.read_bytes() == second.read_bytes()


def test_without_recordings_there_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "none.zip"
    assert not write(path, tmp_path)
    assert not path.exists()


def test_the_modules_that_are_left_out_exist() -> None:
    for name in LEFT_OUT:
        assert (ROOT / CONFORMANCE / "scenarios" / f"{name}.py").is_file()
