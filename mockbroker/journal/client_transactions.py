"""Transactions of clients: which one a client has begun since it last committed offsets.

A client that reads, writes in transactions and commits offsets outside of them is known by its
client id, if its consumer and its producer were given the same one. Nothing is said of a client id
that several groups or transactional ids have, or that is the default of a library, which several
applications share.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from mockbroker.broker.produce.transactional_produce import FIRST_WITH_ADDED_PARTITIONS
from mockbroker.events.event_types import CallId
from mockbroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.init_producer_id import InitProducerIdRequest
from mockbroker.protocol.messages.join_group import JoinGroupRequest
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
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
    has_offsets: bool = False
    """True if its present transaction has offsets: what it then writes is of the same records."""


class ClientTransactions:
    """Follows what clients read, begin and commit."""

    def __init__(self, topic_name: Callable[[Uuid], str | None]) -> None:
        """Start without clients; `topic_name` returns the name of a topic by its id."""
        self._clients: Final[dict[str | None, _Client]] = {}
        self._topic_name: Final = topic_name

    def read(self, call: CallId) -> None:
        """Note that a client was given records."""
        self._of(call.client_id).has_read = True

    def asked(self, call: CallId, request: Message, number: int) -> None:
        """Note a request, in an entry with this number: it may add partitions to a transaction."""
        if isinstance(request, ProduceRequest):
            # With transaction version 2, brokers add the partitions that are written to (KIP-890).
            if request.transactional_id and call.version >= FIRST_WITH_ADDED_PARTITIONS:
                named = (
                    each.name or self._topic_name(each.topic_id) for each in request.topic_data
                )
                topics = [name for name in named if name]
                self._add(call, request.transactional_id, topics, number)
        elif isinstance(request, AddPartitionsToTxnRequest):
            if request.v3_and_below_transactional_id:  # otherwise a broker asks
                topics = [each.name for each in request.v3_and_below_topics]
                self._add(call, request.v3_and_below_transactional_id, topics, number)
        elif isinstance(request, EndTxnRequest | InitProducerIdRequest):
            self._of(call.client_id).has_offsets = False
        elif _is_of_new_member(request):
            self._end(self._of(call.client_id))

    def _add(self, call: CallId, transactional_id: str, topics: Iterable[str], number: int) -> None:
        client = self._of(call.client_id)
        client.transactional_ids.add(transactional_id)
        if client.has_read and not client.has_offsets:
            client.begun = number if client.begun is None else client.begun
            client.topics.update(topics)

    def committed(self, commit: OffsetsCommitted, call: CallId | None) -> OffsetsCommitted:
        """Add the transaction that a member's client has begun since its last commit."""
        if commit.is_pending:
            producer = self._of(None if call is None else call.client_id)
            self._end(producer)
            producer.has_offsets = True
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


def _is_of_new_member(request: Message) -> bool:
    """Return whether a client joins a group anew: it reads again what it has not committed."""
    if isinstance(request, JoinGroupRequest):
        return not request.member_id
    return isinstance(request, ConsumerGroupHeartbeatRequest) and request.member_epoch == 0
