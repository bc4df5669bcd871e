"""The package as a zip, for workers that have none."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest

from mockbroker.spark.worker_package import give_to_workers, write_package

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_package_is_reproducible_and_has_code_only(tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    first, second = write_package(tmp_path), write_package(tmp_path / "second")
    assert first.read_bytes() == second.read_bytes()
    names = ZipFile(first).namelist()
    assert "mockbroker/audit/judgement.py" in names
    assert not [name for name in names if not name.startswith("mockbroker/")]
    assert not [name for name in names if name.endswith(".pyc")]


@pytest.mark.slow
def test_runs_are_made_with_the_zip_alone(tmp_path: Path) -> None:
    package = write_package(tmp_path)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import mockbroker.spark.auditing.shard_tasks as made\n"
        "assert made.__file__.startswith(sys.argv[1]), made.__file__\n"
        "print(*sorted(name.split('.')[0] for name in sys.modules))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script, str(package)],
        cwd=tmp_path,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    # What a cluster with PySpark and PyArrow may lack.
    native = {"cramjam", "crc32c", "zstandard"}
    assert not (native | {"construct", "msgspec", "structlog", "click"}) & set(ran.stdout.split())


def test_a_report_can_be_written_with_the_zip_alone(tmp_path: Path) -> None:
    package = write_package(tmp_path)
    script = "import sys; sys.path.insert(0, sys.argv[1]); import mockbroker.report.report_page"
    words = [sys.executable, "-P", "-c", script, str(package)]
    subprocess.run(words, cwd=tmp_path, check=True)


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_workers_find_the_package_among_their_files(mockbroker_spark: "SparkSession") -> None:
    give_to_workers(mockbroker_spark)
    give_to_workers(mockbroker_spark)

    def look(batches: object) -> object:
        import sys

        pa: Any = import_module("pyarrow")
        found = [path for path in sys.path if "/mockbroker-" in path and path.endswith(".zip")]
        yield pa.RecordBatch.from_pydict({"path": found})

    paths = mockbroker_spark.range(1).mapInArrow(look, "path string").collect()  # type: ignore[arg-type]
    assert len(set(paths)) == 1
