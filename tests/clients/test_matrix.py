"""The table of the client matrix agrees with the tests."""

import os
import subprocess
import sys
from typing import ClassVar

import pytest

from tests.clients.support.matrix import Cell, MatrixRow, Program, cell, lacks, table
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.tidy.repository import ROOT
from tools.client_matrix import PAGE, rows, with_matrix


class Told(MatrixRow):
    """Scenarios with empty bodies."""

    def test_all_codecs(self) -> None: ...
    def test_group_of_two(self) -> None: ...
    def test_static_member(self) -> None: ...
    def test_read_process_write(self) -> None: ...
    def test_admin_round(self) -> None: ...
    def test_fenced_producer(self) -> None: ...


class Doing(Told):
    title = "doing"
    version = "1.0"
    remarks: ClassVar = {Program.ADMIN_ROUND: "Nearly all of it."}


class Lacking(Told):
    title = "lacking"
    version = "2.0"

    @lacks("It has no groups.")
    def test_group_of_two(self) -> None: ...

    @lacks("Nearly all of it.")
    def test_admin_round(self) -> None: ...


class Replacing(Told):
    def test_group_of_two(self) -> None: ...


class Removing(Told):
    test_group_of_two = None  # type: ignore[assignment]


class Skipping(Told):
    pytestmark = pytest.mark.skip


class SkippingOne(Told):
    @pytest.mark.xfail
    @lacks("It does not matter.")
    def test_group_of_two(self) -> None: ...


def test_a_cell_has_a_tick_if_the_class_has_the_test() -> None:
    assert cell(Doing, Told, Program.GROUP_OF_TWO) == Cell(mark="✓", remark=None)
    assert cell(Doing, Told, Program.ADMIN_ROUND) == Cell(mark="✓", remark="Nearly all of it.")


def test_a_cell_has_a_dash_if_the_class_proves_that_it_is_unsupported() -> None:
    assert cell(Lacking, Told, Program.GROUP_OF_TWO) == Cell(mark="–", remark="It has no groups.")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (Replacing, "is not the program, and no proof"),
        (Removing, "is no test"),
        (Skipping, "may be green without having run"),
        (SkippingOne, "may be green without having run"),
    ],
)
def test_a_missing_replaced_or_skipped_test_is_refused(row: type[MatrixRow], why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        cell(row, Told, Program.GROUP_OF_TWO)


def test_remarks_that_are_equal_have_one_number() -> None:
    assert table([Doing, Lacking], Told) == (
        "| | all codecs | group of two | static member | read-process-write | admin round "
        "| fenced producer |\n"
        "| --- | :-: | :-: | :-: | :-: | :-: | :-: |\n"
        "| doing 1.0 | ✓ | ✓ | ✓ | ✓ | ✓ <sup>1</sup> | ✓ |\n"
        "| lacking 2.0 | ✓ | – <sup>2</sup> | ✓ | ✓ | – <sup>1</sup> | ✓ |\n"
        "\n"
        "<sup>1</sup> Nearly all of it.<br>\n"
        "<sup>2</sup> It has no groups.\n"
    )


def test_each_client_of_the_matrix_has_its_row() -> None:
    assert [row.title for row in rows()] == [
        "aiokafka",
        "confluent-kafka",
        "franz-go",
        "Java",
        "Java",
        "kafka-python",
    ]


def test_every_program_has_a_title() -> None:
    told = {name for name in dir(MatrixScenarios) if name.startswith("test_")}
    assert told == {program.test_name for program in Program}


def test_the_table_on_the_page_is_up_to_date() -> None:
    text = PAGE.read_text("utf-8")
    assert text == with_matrix(text), "run `make docs`"


@pytest.mark.slow
def test_every_cell_is_a_test_that_is_collected() -> None:
    files = sorted({str(row.__module__).replace(".", "/") + ".py" for row in rows()})
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        env=os.environ | {"PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    cells = {
        f"{row.__module__.replace('.', '/')}.py::{row.__name__}::{program.test_name}[{release}]"
        for row in rows()
        for program in Program
        for release in row.releases
    }
    assert all("4.4" in row.releases for row in rows())
    assert cells <= set(run.stdout.splitlines())
