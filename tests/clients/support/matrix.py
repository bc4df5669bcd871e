"""The client matrix: features that each client's tests have shown, from the test classes.

A cell says yes only if the client's class has the scenario's own test, unskipped. If a client lacks
the feature, the class has a test that proves it, marked by `lacks`.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import FunctionType, MappingProxyType
from typing import Any, ClassVar, Final, TypeVar

import pytest

YES: Final = "✓"
NO: Final = "–"

Test = TypeVar("Test", bound=Callable[..., None])


class Program(Enum):
    """The programs that every client does, by the headings of their columns."""

    ALL_CODECS = "all codecs"
    GROUP_OF_TWO = "group of two"
    STATIC_MEMBER = "static member"
    READ_PROCESS_WRITE = "read-process-write"
    ADMIN_ROUND = "admin round"
    FENCED_PRODUCER = "fenced producer"

    @property
    def test_name(self) -> str:
        """The name of its test."""
        return f"test_{self.name.lower()}"


class MatrixRow:
    """What a client's class says of itself."""

    title: ClassVar[str]
    """Who the client is, in the first column."""
    version: ClassVar[str]
    """Which release of it, as it is pinned."""
    remarks: ClassVar[Mapping[Program, str]] = MappingProxyType({})
    """What a client leaves out of a program that it does, since its API does not have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one client does of one program."""

    mark: str
    remark: str | None


def lacks(reason: str) -> Callable[[Test], Test]:
    """Mark a test that proves, by the client's own API, why a program cannot be written."""

    def marked(test: Test) -> Test:
        test.lacks_reason = reason  # type: ignore[attr-defined]
        return test

    return marked


def cell(row: type[MatrixRow], scenarios: type[MatrixRow], program: Program) -> Cell:
    """Return what the table says.

    Raises: AssertionError where the class has neither the test nor a proof, or skips it.
    """
    told = getattr(scenarios, program.test_name)
    test: Any = getattr(row, program.test_name, None)
    where = f"{row.__module__}.{row.__name__}.{program.test_name}"
    assert isinstance(test, FunctionType), f"{where} is no test"
    owners = (test, row, sys.modules[row.__module__])
    marks = {name for owner in owners for name in mark_names(owner)}
    assert not marks & {"skip", "skipif", "xfail"}, f"{where} may be green without having run"
    reason: str | None = getattr(test, "lacks_reason", None)
    if test is told:
        assert reason is None, f"{where} is told for all clients"
        return Cell(mark=YES, remark=row.remarks.get(program))
    assert reason is not None, f"{where} is not the program, and no proof that it cannot be done"
    return Cell(mark=NO, remark=reason)


def mark_names(owner: object) -> set[str]:
    """Return the names of pytest's marks on a function, a class or a module."""
    marks: Any = getattr(owner, "pytestmark", [])
    return {mark.name for mark in ([marks] if isinstance(marks, pytest.MarkDecorator) else marks)}


def table(rows: Sequence[type[MatrixRow]], scenarios: type[MatrixRow]) -> str:
    """Return the table in Markdown, with the remarks below it."""
    remarks: list[str] = []
    lines = [
        "| | " + " | ".join(program.value for program in Program) + " |",
        "| --- |" + " :-: |" * len(Program),
    ]
    for row in rows:
        cells = [cell(row, scenarios, program) for program in Program]
        shown = [each.mark + _reference(each.remark, remarks) for each in cells]
        lines.append(f"| {row.title} {row.version} | " + " | ".join(shown) + " |")
    notes = [f"<sup>{number}</sup> {remark}" for number, remark in enumerate(remarks, 1)]
    return "\n".join([*lines, "", "<br>\n".join(notes)]).rstrip() + "\n"


def _reference(remark: str | None, remarks: list[str]) -> str:
    if remark is None:
        return ""
    if remark not in remarks:
        remarks.append(remark)
    return f" <sup>{remarks.index(remark) + 1}</sup>"
