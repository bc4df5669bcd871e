"""Producers and transactions over HTTP."""

from typing import Final

from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.transaction_view import (
    HangingsView,
    ProducersView,
    TransactionsView,
    TransactionView,
    hangings_view,
    producers_view,
    transactions_view,
)
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import missing, topic_of

TRANSACTIONS: Final = Endpoints()
_ID: Final = "/transactions/{transactional_id}"


class ProducersQuery(Document):
    """Partitions whose producers are shown; default: all."""

    topic: str | None = None
    partition: int | None = None


class HoldDocument(Document):
    """Steps to hold: all, or only the marker of one partition."""

    topic: str | None = None
    partition: int | None = None


class MarkerDelayDocument(Document, kw_only=True):
    """Time between the decision on a transaction and its markers."""

    by: str
    """A duration such as `20ms`; `0ms` ends the delay."""
    probability: float = 1.0
    """The probability with which a transaction is delayed."""


class MarkerDelayView(View):
    """The delay of the markers of each transaction that ends from now on."""

    by: str
    probability: float


class StepView(View):
    """The completed step; `null` if none is left."""

    done: str | None


@TRANSACTIONS.add(
    "GET", "/producers", reads=ProducersQuery, answers=ProducersView, problems=("not-found",)
)
def list_producers(request: ApiRequest[ProducersQuery]) -> ProducersView:
    """List the producers that partitions know."""
    topic, partition = request.document.topic, request.document.partition
    if topic is not None:
        request.cluster.look(lambda cluster, _now_ms: topic_of(cluster, topic))
    return request.cluster.look(lambda cluster, _now_ms: producers_view(cluster, topic, partition))


@TRANSACTIONS.add("GET", "/transactions", reads=Nothing, answers=TransactionsView)
def list_transactions(request: ApiRequest[Nothing]) -> TransactionsView:
    """List the transactional ids that coordinators know."""
    return request.cluster.look(lambda cluster, _now_ms: transactions_view(cluster))


@TRANSACTIONS.add("GET", _ID, reads=Nothing, answers=TransactionView)
def get_transaction(request: ApiRequest[Nothing]) -> TransactionView:
    """Show the coordinator's state of a transactional id."""
    return _shown(request)


@TRANSACTIONS.add(
    "POST",
    _ID + "/abort",
    reads=Nothing,
    answers=TransactionView,
    problems=("kafka-error",),
)
def abort_transaction(request: ApiRequest[Nothing]) -> TransactionView:
    """Abort an open transaction, as its coordinator does when the transaction times out."""
    _handle(request).abort()
    return _shown(request)


@TRANSACTIONS.add("POST", _ID + "/expire", reads=Nothing)
def expire_transactional_id(request: ApiRequest[Nothing]) -> None:
    """Expire a transactional id now, as transactional.id.expiration.ms does later."""
    request.cluster.expire_transactional_id(_handle(request).transactional_id)


@TRANSACTIONS.add("POST", _ID + "/hold-ending", reads=HoldDocument)
def hold_ending(request: ApiRequest[HoldDocument]) -> None:
    """Hold the steps after the next commit or abort: its markers and its completion record."""
    handle = request.cluster.transaction(request.names["transactional_id"])
    handle.hold_ending(request.document.topic, request.document.partition)


@TRANSACTIONS.add("POST", _ID + "/step", reads=Nothing, answers=StepView)
def step(request: ApiRequest[Nothing]) -> StepView:
    """Run the next held step: write a marker or the completion record."""
    return StepView(done=_handle(request).step())


@TRANSACTIONS.add("POST", _ID + "/release", reads=Nothing)
def release_ending(request: ApiRequest[Nothing]) -> None:
    """Run all held steps, and hold no more."""
    _handle(request).release()


def _shown(request: ApiRequest[Nothing]) -> TransactionView:
    """Show a transactional id.

    Raises:
        Problem: no coordinator knows it.

    """
    name = request.names["transactional_id"]
    known = {each.transactional_id: each for each in _all_of(request)}
    if name not in known:
        raise missing("transactional id", name, known)
    return known[name]


def _handle(request: ApiRequest[Nothing]) -> TransactionHandle:
    """Return the handle of a known transactional id."""
    return request.cluster.transaction(_shown(request).transactional_id)


@TRANSACTIONS.add("PUT", "/marker-delay", reads=MarkerDelayDocument, answers=MarkerDelayView)
def put_marker_delay(request: ApiRequest[MarkerDelayDocument]) -> MarkerDelayView:
    """Delay the markers of all transactions that end from now on, or of some of them."""
    document = request.document
    request.cluster.delay_markers(document.by, probability=document.probability)
    return MarkerDelayView(by=document.by, probability=document.probability)


@TRANSACTIONS.add("GET", "/hanging", reads=Nothing, answers=HangingsView)
def list_hanging(request: ApiRequest[Nothing]) -> HangingsView:
    """List hanging transactions: open in a partition, and unknown to their coordinator."""
    return request.cluster.look(lambda cluster, _now_ms: hangings_view(cluster))


def _all_of(request: ApiRequest[Nothing]) -> list[TransactionView]:
    """Return the transactional ids of all coordinators."""
    return request.cluster.look(lambda cluster, _now_ms: transactions_view(cluster).transactions)
