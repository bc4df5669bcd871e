"""A transactional producer whose partition's leader moves, and whose coordinator stays."""

from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import Producer
from tests.conformance.replicas import LAST
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    NOBODY,
    Part,
    Transactor,
    await_coordinator,
    end_txn,
    is_accepted,
    styles,
)
from tests.conformance.wire import Answer

LONG_MS: Final = 900_000
"""The longest timeout of transactions that brokers allow by default."""
TRANSACTIONS: Final = "__transaction_state"


class MovingTransactor(Transactor):
    """A transactional producer whose partition's leader moves; its coordinator never does."""

    def __init__(self, talk: Talk, transactional_id: str) -> None:
        """Create a producer that adds its partitions itself."""
        *_, style = (each for each in styles(talk.release) if not each.bumps)
        super().__init__(talk, transactional_id, style)
        self.leader = 1

    def begin(self, part: Part) -> None:
        """Get a producer id and add a partition, without steps."""
        self.init()
        self.add(None, part)

    def init(
        self, title: str | None = None, producer: Producer = NOBODY, *, timeout_ms: int = LONG_MS
    ) -> Producer:
        """Get a producer id and an epoch, for transactions that outlast any script."""
        return super().init(title, producer, timeout_ms=timeout_ms)

    def send(self, title: str | None, request: Message, version: int) -> Answer:
        """Send a request to the leader or the coordinator: as a step, or with success required."""
        broker = LAST
        if isinstance(request, ProduceRequest):
            broker = self.leader
        answer = self.talk.ask_patiently(title or "", request, version, broker=broker)
        if title is None:
            shown = self.talk.steps.pop()
            assert isinstance(answer, Message), shown
            assert is_accepted(answer), shown
        return answer

    def see(self, title: str) -> None:
        """Describe the transaction, if the release has the API."""
        if self.talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
            request = DescribeTransactionsRequest(transactional_ids=[self.transactional_id])
            self.talk.ask(f"{title}: transaction", request, 0, broker=LAST)

    def await_complete(self, *, committed: bool) -> None:
        """Wait until all markers are written."""
        if self.talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
            describing = DescribeTransactionsRequest(transactional_ids=[self.transactional_id])
            self.talk.until_quietly(
                describing, 0, lambda answer: "state='Complete" in repr(answer), broker=LAST
            )
            return
        again = end_txn(self.transactional_id, self.producer, committed=committed)
        self.talk.until_quietly(again, self.style.end_txn, is_accepted, broker=LAST)


def coordinator_on_last(talk: Talk, transactional_id: str) -> None:
    """Have the transaction coordinator on the broker that no script kills."""
    every = talk.quietly(MetadataRequest(topics=None), 1, broker=LAST)  # by name, it would be made
    names = [topic.name for topic in talk.expect(MetadataResponse, every).topics]
    if TRANSACTIONS not in names:
        compacted = {"cleanup.policy": "compact"}
        talk.topic(TRANSACTIONS, assignments=[[LAST]], configs=compacted)
    await_coordinator(talk, transactional_id)
