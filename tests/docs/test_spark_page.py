"""The page on breaking a Spark job: its programs run as they stand there, in the run's session."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.test_pages import imported, python_blocks
from tests.tidy.repository import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE: Final = ROOT / "docs" / "break-your-spark-job.md"
READERS_HAVE: Final = {"mockbroker", "confluent_kafka", "pyspark", "pytest"}
(PROGRAM,) = python_blocks(PAGE.read_text("utf-8"))
TESTS: Final = [
    line[4 : line.index("(")] for line in PROGRAM.splitlines() if line[:9] == "def test_"
]


def program(folder: Path) -> ModuleType:
    """Write the page's program into a folder, and import it from there."""
    path = folder / "spark_page.py"
    path.write_text(PROGRAM, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.slow
@pytest.mark.timeout(300)
# py4j leaves it to the garbage collector to close its sockets
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("name", TESTS)
def test_every_test_of_the_page_passes(
    mockbroker_spark: "SparkSession", tmp_path: Path, name: str
) -> None:
    test: Callable[..., None] = getattr(program(tmp_path), name)
    test(mockbroker_spark, tmp_path / "checkpoint")


def test_the_page_has_tests_and_imports_only_what_a_reader_has() -> None:
    assert len(TESTS) == 2
    assert imported(PROGRAM) <= READERS_HAVE | sys.stdlib_module_names
