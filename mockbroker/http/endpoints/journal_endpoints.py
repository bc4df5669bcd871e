"""The journal over HTTP: queries, counts, and a live stream."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from starlette.responses import StreamingResponse

from mockbroker.errors import NotRecordedError
from mockbroker.faults.documents.fault_view import FaultsView, fault_view
from mockbroker.faults.documents.strict import Document
from mockbroker.http.documents.journal_view import (
    CountView,
    JournalSelection,
    JournalView,
    entry_view,
)
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.problem import Problem
from mockbroker.journal.entry import Entry
from mockbroker.journal.journal import Journal
from mockbroker.journal.options import JournalOptions
from mockbroker.journal.selection import Selection

JOURNAL: Final = Endpoints()
EVENT_STREAM: Final = "text/event-stream"
BACKLOG_MAX: Final = 100_000
"""Largest backlog of a reader; beyond it the stream ends, and the reader may reconnect."""
STILL_HERE_S: Final = 15.0


class JournalQuery(JournalSelection):
    """Entries to show: the last ones, or the first ones after a given entry."""

    after: int | None = None
    limit: int = 1000


class EventsQuery(JournalSelection):
    """Entries to follow; stored entries after a given one come first."""

    after: int | None = None


class JournalDocument(Document, kw_only=True):
    """Switch of the journal."""

    on: bool
    entries_max: int | None = None
    """Maximum number of entries in memory."""
    identity: str | None = None
    """What identifies a record: `key`, `value`, `header:NAME`, or `json:PATH`. Appends have the
    identities of their records in `record_ids`."""


@JOURNAL.add("GET", "/journal", reads=JournalQuery, answers=JournalView, problems=("conflict",))
def get_journal(request: ApiRequest[JournalQuery]) -> JournalView:
    """Show entries of the journal, in order."""
    document, journal = request.document, _journal(request)
    found = _found(journal, document, document.after)
    limit = max(0, document.limit)
    if document.after is not None:
        return _view(journal, found[:limit])
    return _view(journal, found[-limit:] if limit else [])


@JOURNAL.add("PUT", "/journal", reads=JournalDocument, answers=JournalView)
def put_journal(request: ApiRequest[JournalDocument]) -> JournalView:
    """Start or stop recording; recorded entries in memory stay readable."""
    document, journal = request.document, request.cluster.journal
    if journal.is_on and not document.on:
        journal.stop()
    elif document.on and not journal.is_on:
        journal.start(_options(document))
    return JournalView(is_on=journal.is_on, dropped=0, entries=[])


def _options(document: JournalDocument) -> JournalOptions:
    try:
        options = JournalOptions(identity=document.identity)
    except ValueError as error:
        raise Problem("invalid", str(error), path="$.identity") from None
    if document.entries_max is None:
        return options
    return replace(options, entries_max=document.entries_max)


@JOURNAL.add("DELETE", "/journal", reads=Nothing, problems=("conflict",))
def clear_journal(request: ApiRequest[Nothing]) -> None:
    """Delete the entries in memory."""
    _journal(request).clear()


@JOURNAL.add(
    "POST",
    "/journal/find",
    reads=JournalSelection,
    answers=JournalView,
    problems=("conflict",),
)
def find_in_journal(request: ApiRequest[JournalSelection]) -> JournalView:
    """Find entries."""
    journal = _journal(request)
    return _view(journal, _found(journal, request.document))


@JOURNAL.add(
    "POST",
    "/journal/count",
    reads=JournalSelection,
    answers=CountView,
    problems=("conflict",),
)
def count_in_journal(request: ApiRequest[JournalSelection]) -> CountView:
    """Count requests, or entries of another kind."""
    journal, wanted = _journal(request), request.document.wanted()
    try:
        return CountView(count=journal.count(wanted.pop("api", None), **wanted))
    except NotRecordedError as error:
        raise Problem("conflict", str(error), command=error.command) from None


@JOURNAL.add("GET", "/journal/unfired", reads=Nothing, answers=FaultsView)
def list_unfired(request: ApiRequest[Nothing]) -> FaultsView:
    """List the faults that have not fired, each with the closest call."""
    return FaultsView(faults=[fault_view(each) for each in request.cluster.faults if not each.hits])


@JOURNAL.add("GET", "/events", reads=EventsQuery, media_type=EVENT_STREAM, problems=("conflict",))
def follow(request: ApiRequest[EventsQuery]) -> StreamingResponse:
    """Follow the journal as server-sent events; `Last-Event-ID` resumes an ended stream."""
    journal, document = _journal(request), request.document
    last = request.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdecimal() else document.after
    headers = {"Cache-Control": "no-store"}
    return StreamingResponse(
        _events(request, journal, after), media_type=EVENT_STREAM, headers=headers
    )


async def _events(
    request: ApiRequest[EventsQuery], journal: Journal, after: int | None
) -> AsyncGenerator[bytes]:
    """Yield the stored entries after a given one, and then new entries."""
    wanted = request.document.wanted()
    selection = Selection(wanted.pop("api", None), None, wanted)
    woken = asyncio.Event()
    fresh: list[Entry] = []

    def take(entries: Sequence[Entry]) -> None:
        fresh.extend(selection.of(entries))
        woken.set()

    try:
        stop = journal.subscribe(take)
    except RuntimeError:
        return
    request.host.stop_watchers.append(woken.set)
    try:
        yield b": mockbroker\n\n"
        if after is not None:
            yield _written(_found(journal, request.document, after))
        while not request.host.is_stopping and journal.is_on and len(fresh) <= BACKLOG_MAX:
            if not await _is_woken(woken):
                yield b": still here\n\n"
            due, fresh[:] = list(fresh), []
            yield _written(due)
    finally:
        request.host.stop_watchers.remove(woken.set)
        stop()


async def _is_woken(woken: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(STILL_HERE_S):
            await woken.wait()
    except TimeoutError:
        return False
    woken.clear()
    return True


def _written(entries: Iterable[Entry]) -> bytes:
    return b"".join(
        b"id: %d\nevent: %s\ndata: %s\n\n"
        % (entry.seq, entry.kind.encode(), msgspec.json.encode(entry_view(entry)))
        for entry in entries
    )


def _journal(request: ApiRequest[Any]) -> Journal:
    """Return the journal.

    Raises:
        Problem: it has never been on.

    """
    journal = request.cluster.journal
    try:
        len(journal)
    except NotRecordedError as error:
        how = 'the journal is off: PUT /api/v1/journal {"on": true}, to record later events'
        raise Problem("conflict", how, command=error.command) from None
    return journal


def _found(journal: Journal, document: JournalSelection, after: int | None = None) -> list[Entry]:
    wanted = document.wanted()
    found = journal.find(wanted.pop("api", None), **wanted)
    return found if after is None else [entry for entry in found if entry.seq > after]


def _view(journal: Journal, entries: Iterable[Entry]) -> JournalView:
    shown = [entry_view(entry) for entry in entries]
    return JournalView(is_on=journal.is_on, dropped=journal.dropped, entries=shown)
