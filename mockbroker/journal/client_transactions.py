"""Transactions of clients: which one a client has begun since it last committed offsets.

A client that reads, writes in transactions and commits offsets outside of them is known by its
client id, if its consumer and its producer were given the same one. Nothing is said of a client id
that several groups or transactional ids have, or that is the default of a library, which several
applications share.
"""

from dataclasses import dataclass, field
from typing import Final

from mockbroker.events.event_types import CallId
from mockbroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from mockbroker.state.events import OffsetsCommitted

_DEFAULT_CLIENT_IDS: Final = (
    *("rdkafka", "sarama", "kgo", "kafkajs", "confluent-kafka-javascript", "in-process"),
    *("kafka-python-", "aiokafka-", "producer-", "consumer-", "adminclient-", "console-"),
)
"""How the client ids begin that libraries and tools choose, if an application does not."""


@dataclass(slots=True)
class _Client:
    """A client id, by its consumer and its producer."""

    has_read: bool = False
    groups: set[str] = field(default_factory=set[str])
    transactional_ids: set[str] = field(default_factory=set[str])
    begun: int | None = None
    """The number of the entry in which it has begun a transaction after it has read."""
    topics: set[str] = field(default_factory=set[str])
    """The topics that this transaction writes to."""


class ClientTransactions:
    """Follows what clients read, begin and commit."""

    def __init__(self) -> None:
        """Start without clients."""
        self._clients: Final[dict[str | None, _Client]] = {}

    def read(self, call: CallId) -> None:
        """Note that a client was given records."""
        self._of(call.client_id).has_read = True

    def added(self, call: CallId, request: AddPartitionsToTxnRequest, number: int) -> None:
        """Note that a client adds partitions to its transaction, in an entry with this number."""
        if not request.v3_and_below_transactional_id:
            return  # a broker asks
        client = self._of(call.client_id)
        client.transactional_ids.add(request.v3_and_below_transactional_id)
        if client.has_read:
            client.begun = number if client.begun is None else client.begun
            client.topics |= {each.name for each in request.v3_and_below_topics}

    def committed(self, commit: OffsetsCommitted, call: CallId | None) -> OffsetsCommitted:
        """Add the transaction that a member's client has begun since its last commit."""
        if commit.is_pending:
            self._end(self._of(None if call is None else call.client_id))
        if not commit.member_id or not (commit.client_id or "").strip():
            return commit
        assert commit.client_id is not None
        if commit.client_id.startswith(_DEFAULT_CLIENT_IDS):
            return commit
        client = self._of(commit.client_id)
        client.groups.add(commit.group)
        begun, topics = client.begun, client.topics
        self._end(client)
        is_clear = len(client.groups) == len(client.transactional_ids) == 1
        is_other = topics.isdisjoint(each.topic for each in commit.offsets)
        if commit.is_pending or begun is None or not is_clear or not is_other:
            return commit
        (transactional_id,) = client.transactional_ids
        return commit._replace(begun=(transactional_id, begun))

    @staticmethod
    def _end(client: _Client) -> None:
        client.begun, client.topics = None, set()

    def _of(self, client_id: str | None) -> _Client:
        return self._clients.setdefault(client_id, _Client())
