"""Assertions over HTTP, with the same names as in Python, and the ledger that they read."""

from typing import Any, Final

import msgspec

from mockbroker.control.assertion_table import ASSERTIONS, AssertionRow, find_assertion
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.errors import NotRecordedError
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.problem import Problem

CHECKS: Final = Endpoints()


class AssertionDocument(Document, kw_only=True):
    """One assertion: its name, and its arguments by name."""

    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class AssertionsDocument(Document, kw_only=True):
    """Assertions to check; all are checked."""

    assertions: list[AssertionDocument]


class FailureView(View):
    """An assertion that failed."""

    name: str
    text: str
    """The message of the assertion in Python, with the timeline of its partitions."""


class OutcomeView(View):
    """Result of the assertions."""

    ok: bool
    failures: list[FailureView]
    nothing_judged: list[str]
    """Names of the assertions that hold only because no producer has sent a record."""


class ArgumentView(View):
    """An argument of an assertion."""

    name: str
    kind: str
    about: str
    is_required: bool


class AssertionView(View):
    """An available assertion."""

    name: str
    about: str
    arguments: list[ArgumentView]


class AssertionsView(View):
    """All available assertions."""

    assertions: list[AssertionView]


@CHECKS.add("GET", "/assertions", reads=Nothing, answers=AssertionsView)
def list_assertions(_asked: ApiRequest[Nothing]) -> AssertionsView:
    """List all assertions."""
    return AssertionsView(assertions=[_view(row) for row in ASSERTIONS.values()])


@CHECKS.add(
    "POST", "/assertions", reads=AssertionsDocument, answers=OutcomeView, problems=("conflict",)
)
def check_assertions(request: ApiRequest[AssertionsDocument]) -> OutcomeView:
    """Check assertions, and report those that do not hold, and those that judged nothing."""
    rows = [_row(each.name, at) for at, each in enumerate(request.document.assertions)]
    failures = [
        failure
        for at, (row, document) in enumerate(zip(rows, request.document.assertions, strict=True))
        if (failure := _failure(request.cluster, row, document.arguments, at)) is not None
    ]
    failed = {each.name for each in failures}
    ledger = request.cluster.ledger
    is_nothing_sent = ledger.is_on and not ledger.rows
    empty = [row.name for row in rows if row.judges_sent and is_nothing_sent]
    nothing_judged = [name for name in dict.fromkeys(empty) if name not in failed]
    return OutcomeView(ok=not failures, failures=failures, nothing_judged=nothing_judged)


def _row(name: str, at: int) -> AssertionRow:
    try:
        return find_assertion(name)
    except ValueError as error:
        raise Problem("invalid", str(error), path=f"$.assertions[{at}].name") from None


def _failure(
    cluster: ClusterHandle, row: AssertionRow, arguments: dict[str, Any], at: int
) -> FailureView | None:
    try:
        row.check(cluster, arguments)
    except AssertionError as error:
        return FailureView(name=row.name, text=str(error))
    except ValueError as error:
        raise Problem("invalid", str(error), path=f"$.assertions[{at}].arguments") from None
    except NotRecordedError as error:
        raise Problem("conflict", str(error), command=error.command) from None
    except RuntimeError as error:
        raise Problem("conflict", str(error)) from None
    return None


def _view(row: AssertionRow) -> AssertionView:
    arguments = [
        ArgumentView(name=each.name, kind=each.kind, about=each.about, is_required=each.is_required)
        for each in row.arguments
    ]
    return AssertionView(name=row.name, about=row.about, arguments=arguments)


# The ledger


class LedgerDocument(Document, kw_only=True):
    """Switch of the ledger."""

    on: bool
    rows_max: int | None = None
    """Number of rows for which there is room (1,000,000)."""


class LedgerView(View):
    """The ledger: a row for each batch that clients sent."""

    is_on: bool
    is_full: bool
    """True if there was no room for a row; nothing is recorded after that."""
    rows: int
    rows_max: int


@CHECKS.add("GET", "/ledger", reads=Nothing, answers=LedgerView)
def get_ledger(request: ApiRequest[Nothing]) -> LedgerView:
    """Show how full the ledger is."""
    return _ledger_view(request)


@CHECKS.add("PUT", "/ledger", reads=LedgerDocument, answers=LedgerView)
def put_ledger(request: ApiRequest[LedgerDocument]) -> LedgerView:
    """Start a new ledger, or stop recording and delete the rows."""
    document, ledger = request.document, request.cluster.ledger
    if not document.on:
        ledger.stop()
        return _ledger_view(request)
    try:
        ledger.start(document.rows_max)
    except ValueError as error:
        raise Problem("invalid", str(error), path="$.rows_max") from None
    return _ledger_view(request)


def _ledger_view(request: ApiRequest[Nothing] | ApiRequest[LedgerDocument]) -> LedgerView:
    ledger = request.cluster.ledger
    return LedgerView(
        is_on=ledger.is_on, is_full=ledger.is_full, rows=ledger.rows, rows_max=ledger.rows_max
    )
