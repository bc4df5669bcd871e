"""Producers and transactions over HTTP."""

from typing import Final

from mockbroker.admin.endpoint import Asked, Endpoints, Nothing
from mockbroker.admin.missing import missing, topic_of
from mockbroker.documents.strict import Document
from mockbroker.documents.transaction_view import (
    HangingsView,
    ProducersView,
    TransactionsView,
    TransactionView,
    hangings_view,
    producers_view,
    transactions_view,
)

TRANSACTIONS: Final = Endpoints()


class ProducersQuery(Document):
    """Whose producers to show; all of them unless said."""

    topic: str | None = None
    partition: int | None = None


@TRANSACTIONS.add("GET", "/producers", reads=ProducersQuery, answers=ProducersView)
def list_producers(asked: Asked[ProducersQuery]) -> ProducersView:
    """List the producers that partitions know."""
    topic, partition = asked.said.topic, asked.said.partition
    if topic is not None:
        asked.cluster.look(lambda cluster, _now_ms: topic_of(cluster, topic))
    return asked.cluster.look(lambda cluster, _now_ms: producers_view(cluster, topic, partition))


@TRANSACTIONS.add("GET", "/transactions", reads=Nothing, answers=TransactionsView)
def list_transactions(asked: Asked[Nothing]) -> TransactionsView:
    """List the transactional ids that coordinators know."""
    return asked.cluster.look(lambda cluster, _now_ms: transactions_view(cluster))


@TRANSACTIONS.add("GET", "/transactions/{transactional_id}", reads=Nothing, answers=TransactionView)
def get_transaction(asked: Asked[Nothing]) -> TransactionView:
    """Show what the coordinator of a transactional id knows."""
    name = asked.names["transactional_id"]
    known = {each.transactional_id: each for each in list_transactions_of(asked)}
    if name not in known:
        raise missing("transactional id", name, known)
    return known[name]


@TRANSACTIONS.add("GET", "/hanging", reads=Nothing, answers=HangingsView)
def list_hanging(asked: Asked[Nothing]) -> HangingsView:
    """List the transactions that are open in a partition and that nobody will ever end."""
    return asked.cluster.look(lambda cluster, _now_ms: hangings_view(cluster))


def list_transactions_of(asked: Asked[Nothing]) -> list[TransactionView]:
    """Return what all coordinators know."""
    return asked.cluster.look(lambda cluster, _now_ms: transactions_view(cluster).transactions)
