"""Recordings stay few, and small enough to be reviewed as text."""

import pytest

from tests.tidy.repository import Sources, refuse, sources

FILES_MAX = 300
FILE_CHARACTERS_MAX = 5_000_000


def recordings(files: Sources) -> dict[str, str]:
    """Keep what is in folders of recordings, without the programs that record."""
    return {
        path: text
        for path, text in files.items()
        if path.startswith("tests/") and "/golden/" in path and not path.endswith(".py")
    }


def too_many(files: Sources) -> list[str]:
    count = len(recordings(files))
    return [f"{count} files of recordings"] if count > FILES_MAX else []


def too_long(files: Sources) -> list[str]:
    return [
        f"{path}: {len(text):,} characters"
        for path, text in recordings(files).items()
        if len(text) > FILE_CHARACTERS_MAX
    ]


@pytest.mark.slow
def test_recordings_are_few() -> None:
    assert recordings(sources())
    refuse(too_many(sources()))


@pytest.mark.slow
def test_no_file_of_recordings_is_long() -> None:
    refuse(too_long(sources()))


def test_one_recording_too_many_is_detected() -> None:
    planted = {f"tests/x/golden/{index}.json": "" for index in range(FILES_MAX)}
    programs = {"tests/x/golden/record.py": "", "tests/x/test_x.py": "", "docs/golden/a.md": ""}
    assert not too_many(planted | programs)
    assert too_many({**planted, "tests/golden/one.txt": ""}) == ["301 files of recordings"]


def test_a_long_file_of_recordings_is_detected() -> None:
    assert not too_long({"tests/x/golden/a.txt": "x" * FILE_CHARACTERS_MAX})
    planted = {"tests/x/golden/a.txt": "x" * (FILE_CHARACTERS_MAX + 1)}
    assert too_long(planted) == ["tests/x/golden/a.txt: 5,000,001 characters"]
