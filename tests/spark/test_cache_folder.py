"""Cache folder."""

from pathlib import Path

import pytest

from mockbroker.spark.cache_folder import cache_folder, filled_folder


def write_jar(folder: Path) -> None:
    (folder / "a.jar").write_text("jar")


def fail_half_way(folder: Path) -> None:
    write_jar(folder)
    raise OSError("no network")


def test_the_cache_is_in_the_users_cache_folder(tmp_path: Path) -> None:
    assert cache_folder({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "mockbroker"
    assert cache_folder({}) == Path.home() / ".cache" / "mockbroker"


def test_a_folder_is_filled_once(tmp_path: Path) -> None:
    folder = tmp_path / "jars" / "4.0.0"
    assert filled_folder(folder, write_jar) == folder
    assert filled_folder(folder, fail_half_way) == folder
    assert [path.name for path in folder.iterdir()] == ["a.jar"]
    assert list(folder.parent.iterdir()) == [folder]


def test_a_folder_that_could_not_be_filled_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no network"):
        filled_folder(tmp_path / "jars", fail_half_way)
    assert list(tmp_path.iterdir()) == []


def test_the_first_of_two_concurrent_writers_wins(tmp_path: Path) -> None:
    folder = tmp_path / "jars"

    def lose(scratch: Path) -> None:
        filled_folder(folder, write_jar)
        (scratch / "b.jar").write_text("late")

    filled_folder(folder, lose)
    assert [path.name for path in folder.iterdir()] == ["a.jar"]
