"""Views of the live page: short documents of what a screen shows, and the stream of changes."""

from functools import partial
from typing import Any, Final

from starlette.responses import StreamingResponse

from mockbroker.broker.stored_records import partitions_of
from mockbroker.events.event_bus import subscribe
from mockbroker.faults.documents.fault_view import fault_view
from mockbroker.faults.documents.strict import Document
from mockbroker.http.documents.cluster_view import brokers_view, clock_view, cluster_view
from mockbroker.http.documents.connection_view import connection_rows
from mockbroker.http.documents.group_detail_view import GroupDetailView, group_detail_view
from mockbroker.http.documents.journal_view import JournalView, entry_view
from mockbroker.http.documents.log_view import BatchContentView, batch_content_view
from mockbroker.http.documents.overview_view import (
    GroupRowsView,
    OverviewView,
    Page,
    TopicRowsView,
    TransactionRowsView,
    counts,
    group_rows,
    topic_rows,
    transaction_rows,
)
from mockbroker.http.documents.topic_detail_view import TopicDetailView, topic_detail_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.endpoints.journal_endpoints import EVENT_STREAM
from mockbroker.http.endpoints.partition_endpoints import partition_of
from mockbroker.http.live.change_stream import change_stream
from mockbroker.http.live.search import FoundView, search
from mockbroker.http.missing import topic_of
from mockbroker.http.problem import Problem
from mockbroker.journal.entry import Entry
from mockbroker.state.cluster_state import ClusterState

VIEWS: Final = Endpoints()
ROWS: Final = 12
"""Rows of each list in the overview."""
ROWS_MAX: Final = 200
EVENTS: Final = 25
EVENTS_MAX: Final = 100
RECORDS_MAX: Final = 50
VALUE_BYTES_MAX: Final = 2048
SEARCHED_ENTRIES: Final = 5_000
"""Entries of the journal, the newest, in which a search looks for errors."""


class PageQuery(Document):
    """Part of a list."""

    limit: int = 50
    offset: int = 0
    search: str = ""
    """Text that names contain, in any case."""


class SearchQuery(Document):
    """Text to search for."""

    text: str


class BatchQuery(Document):
    """A batch, by an offset of one of its records."""

    offset: int


@VIEWS.add("GET", "/views/overview", reads=Nothing, answers=OverviewView)
def get_overview(request: ApiRequest[Nothing]) -> OverviewView:
    """Show what a person looks at first; lists are cut, and what is unusual comes first."""
    cluster, page = request.cluster, Page(ROWS)
    faults = [fault_view(fault) for fault in cluster.faults]
    connections = connection_rows(request.host.service.connections)
    clock, brokers = clock_view(cluster.clock), cluster.brokers
    events = last_entries(request, EVENTS)

    def look(state: ClusterState, _now_ms: int) -> OverviewView:
        return OverviewView(
            cluster=cluster_view(state, clock, cluster.bootstrap_servers),
            brokers=brokers_view(brokers, state).brokers,
            counts=counts(state, connections, faults),
            topics=topic_rows(state, page).topics,
            transactions=transaction_rows(state, page).transactions,
            groups=group_rows(state, page).groups,
            connections=connections[:ROWS],
            faults=faults[:ROWS],
            is_journal_on=cluster.journal.is_on,
            events=[entry_view(each) for each in events],
        )

    return cluster.look(look)


@VIEWS.add("GET", "/views/topics", reads=PageQuery, answers=TopicRowsView)
def view_topics(request: ApiRequest[PageQuery]) -> TopicRowsView:
    """Show a part of the list of topics."""
    page = _page(request.document)
    return request.cluster.look(lambda state, _now_ms: topic_rows(state, page))


@VIEWS.add("GET", "/views/transactions", reads=PageQuery, answers=TransactionRowsView)
def view_transactions(request: ApiRequest[PageQuery]) -> TransactionRowsView:
    """Show a part of the list of transactions: hanging ones first, then open ones."""
    page = _page(request.document)
    return request.cluster.look(lambda state, _now_ms: transaction_rows(state, page))


@VIEWS.add("GET", "/views/groups", reads=PageQuery, answers=GroupRowsView)
def view_groups(request: ApiRequest[PageQuery]) -> GroupRowsView:
    """Show a part of the list of groups."""
    page = _page(request.document)
    return request.cluster.look(lambda state, _now_ms: group_rows(state, page))


@VIEWS.add("GET", "/views/topics/{topic}", reads=PageQuery, answers=TopicDetailView)
def view_topic(request: ApiRequest[PageQuery]) -> TopicDetailView:
    """Show a topic, a part of its partitions, and its hanging transactions."""
    page, name = _page(request.document), request.names["topic"]
    return request.cluster.look(
        lambda state, _now_ms: topic_detail_view(state, topic_of(state, name), page)
    )


@VIEWS.add(
    "GET",
    "/views/topics/{topic}/partitions/{partition}/batch",
    reads=BatchQuery,
    answers=BatchContentView,
)
def view_batch(request: ApiRequest[BatchQuery]) -> BatchContentView:
    """Decode the batch that contains an offset."""
    partition, offset = partition_of(request), request.document.offset
    topic, index = partition.topic, partition.index
    return request.cluster.look(
        lambda state, _now_ms: batch_content_view(
            state, partitions_of(state, topic, index)[0], offset, RECORDS_MAX, VALUE_BYTES_MAX
        )
    )


@VIEWS.add("GET", "/views/groups/{group_id}", reads=Nothing, answers=GroupDetailView)
def view_group(request: ApiRequest[Nothing]) -> GroupDetailView:
    """Show a group with its members, and its committed offsets with their lag."""
    group_id = request.names["group_id"]
    return request.cluster.look(lambda state, _now_ms: group_detail_view(state, group_id))


@VIEWS.add("GET", "/views/search", reads=SearchQuery, answers=FoundView)
def view_search(request: ApiRequest[SearchQuery]) -> FoundView:
    """Search names, ids, keys of records, and errors in the journal."""
    text, entries = request.document.text, last_entries(request, SEARCHED_ENTRIES)
    if not text:
        raise Problem("invalid", "search for at least one character", path="$.text")
    return request.cluster.look(lambda state, _now_ms: search(state, text, entries))


@VIEWS.add("GET", "/views/events", reads=Nothing, answers=JournalView)
def view_events(request: ApiRequest[Nothing]) -> JournalView:
    """Show the last entries of the journal, or none while it is off."""
    journal = request.cluster.journal
    entries = [entry_view(each) for each in last_entries(request, EVENTS_MAX)]
    dropped = journal.dropped if journal.is_on else 0
    return JournalView(is_on=journal.is_on, dropped=dropped, entries=entries)


@VIEWS.add("GET", "/changes", reads=Nothing, media_type=EVENT_STREAM)
def follow_changes(request: ApiRequest[Nothing]) -> StreamingResponse:
    """Follow the names of what changes as server-sent events, at most four per second."""
    return StreamingResponse(
        change_stream(request.host, partial(subscribe, request.host.service)),
        media_type=EVENT_STREAM,
        headers={"Cache-Control": "no-store"},
    )


def _page(document: PageQuery) -> Page:
    """Return the part of a list that a query names.

    Raises:
        Problem: it begins before the list, or has too many rows.

    """
    if not 0 < document.limit <= ROWS_MAX:
        raise Problem("invalid", f"limit {document.limit}: 1 to {ROWS_MAX}", path="$.limit")
    if document.offset < 0:
        raise Problem("invalid", f"offset {document.offset}: 0 or more", path="$.offset")
    return Page(document.limit, document.offset, document.search)


def last_entries(request: ApiRequest[Any], count: int) -> list[Entry]:
    """Return the last entries of the journal; none while it is off."""
    journal = request.cluster.journal
    return journal.entries(count) if journal.is_on else []
