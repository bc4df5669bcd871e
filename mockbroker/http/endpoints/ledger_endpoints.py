"""The ledger over HTTP: on, off, and how full it is."""

from typing import Final

from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.problem import Problem

LEDGER: Final = Endpoints()


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


@LEDGER.add("GET", "/ledger", reads=Nothing, answers=LedgerView)
def get_ledger(request: ApiRequest[Nothing]) -> LedgerView:
    """Show how full the ledger is."""
    return _view(request)


@LEDGER.add("PUT", "/ledger", reads=LedgerDocument, answers=LedgerView)
def put_ledger(request: ApiRequest[LedgerDocument]) -> LedgerView:
    """Start a new ledger, or stop recording and delete the rows."""
    document, ledger = request.document, request.cluster.ledger
    if not document.on:
        ledger.stop()
        return _view(request)
    try:
        ledger.start(document.rows_max)
    except ValueError as error:
        raise Problem("invalid", str(error), path="$.rows_max") from None
    return _view(request)


def _view(request: ApiRequest[Nothing] | ApiRequest[LedgerDocument]) -> LedgerView:
    ledger = request.cluster.ledger
    return LedgerView(
        is_on=ledger.is_on, is_full=ledger.is_full, rows=ledger.rows, rows_max=ledger.rows_max
    )
