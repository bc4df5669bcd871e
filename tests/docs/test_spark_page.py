"""The pages that need Spark: programs and commands run as they stand there, in one session."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pytest

from tests.docs.test_console import SPARK_PAGES, follow
from tests.docs.test_pages import imported, python_blocks
from tests.support.spark_marks import SPARK_MARKS
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


@pytest.mark.parametrize("name", [pytest.param(name, marks=SPARK_MARKS) for name in TESTS])
def test_every_test_of_the_page_passes(
    mockbroker_spark: "SparkSession", tmp_path: Path, name: str
) -> None:
    test: Callable[..., None] = getattr(program(tmp_path), name)
    test(mockbroker_spark, tmp_path / "checkpoint")


@pytest.mark.parametrize("page", [pytest.param(page, marks=SPARK_MARKS) for page in SPARK_PAGES])
def test_every_command_of_a_page_on_spark_prints_the_output_shown(
    mockbroker_spark: "SparkSession", tmp_path: Path, page: str
) -> None:
    follow(page, tmp_path)


def test_the_page_has_tests_and_imports_only_what_a_reader_has() -> None:
    assert len(TESTS) == 2
    assert imported(PROGRAM) <= READERS_HAVE | sys.stdlib_module_names
