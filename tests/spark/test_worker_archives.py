"""Archives of Spark's workers."""

import importlib
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from mockbroker.spark.worker_archives import forget_archives


@pytest.fixture
def archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return archives on the path; the last one of them has a module."""
    ours = ("spark-core_2.13-4.0.0.jar", "mockbroker-0123456789ab.zip", "pyspark.zip")
    names = ("mockbroker-users.zip", *ours)
    paths = [str(tmp_path / name) for name in names]
    for path in reversed(paths):
        monkeypatch.syspath_prepend(path)
        with ZipFile(path, "w") as archive:
            if path == paths[-1]:
                archive.writestr("archived.py", "")
    return paths


def test_archives_of_spark_are_not_read_again_and_modules_are_still_found(
    archives: list[str],
) -> None:
    for _ in range(2):
        importlib.invalidate_caches()
        del sys.modules[importlib.import_module("archived").__name__]
        assert set(archives) <= sys.path_importer_cache.keys()
        forget_archives()
        assert set(archives) & sys.path_importer_cache.keys() == {archives[0]}
