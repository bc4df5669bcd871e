"""Model of a transactional producer, with the behaviour of Kafka's clients of a release."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.simulation.history import Transaction
from tests.simulation.model_client import (
    LAST_EPOCH,
    PATIENCE,
    PAUSE_MS,
    RETRIABLE,
    TRANSACTIONS,
    GaveUp,
    ModelClient,
)
from tests.simulation.steps import Lost, Pause, Steps

if TYPE_CHECKING:
    from tests.simulation.world import World

FENCED: Final = frozenset({ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH})
_DAWDLES: Final = 0.08
_LONG_MS: Final = 3_000
_WRITTEN: Final = frozenset({ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER})


class TransactionalProducer(ModelClient):
    """Writes transactions, and starts again with a new epoch after an error."""

    transactions = 5

    def __init__(self, world: "World", name: str, transactional_id: str) -> None:
        super().__init__(world, name)
        self.transactional_id = transactional_id
        self.producer = (-1, -1)
        self._sequences: dict[tuple[str, int], int] = {}
        self._added: set[tuple[str, int]] = set()

    def run(self) -> Steps[None]:
        """Write all transactions, until another producer takes the transactional id."""
        for _ in range(self.transactions):
            self.is_out_of_time()
            transaction = self.begin()
            try:
                if self.producer[0] < 0:
                    yield from self.init()
                yield from self.write_some(transaction)
                if self.random.random() < _DAWDLES:
                    yield Pause(_LONG_MS)  # somebody else may have its id by then
                if self.random.random() < 0.25:
                    yield from self.abort(transaction)
                else:
                    yield from self.commit(transaction)
            except GaveUp as why:
                self.note(f"gives up a transaction ({transaction.outcome}): {why.code.name}")
                if self.believes_that_it_was_replaced(why.code):
                    return
                self.producer = (-1, -1)
                yield Pause(PAUSE_MS)

    def believes_that_it_was_replaced(self, code: ErrorCode) -> bool:
        """Return whether the producer stops, because a successor may have fenced it."""
        return code in FENCED and self.random.random() < 0.5

    def begin(self) -> Transaction:
        """Begin a transaction."""
        transaction = Transaction(self.name)
        self.world.ledger.transactions.append(transaction)
        self._added.clear()
        return transaction

    def init(self) -> Steps[None]:
        """Get an epoch, which fences all earlier producers."""
        self.producer = yield from self.init_producer_id(
            self.transactional_id, timeout_ms=self.world.transaction_timeout_ms
        )
        self._sequences.clear()
        self.note(f"is {self.producer}")

    def write_some(self, transaction: Transaction) -> Steps[None]:
        """Write a few batches."""
        for _ in range(self.random.randint(1, 4)):
            index = self.random.randrange(self.world.partitions)
            values = [self.value() for _ in range(self.random.choice((1, 1, 2)))]
            yield from self.write(transaction, "orders", index, values)

    def write(
        self, transaction: Transaction, topic: str, index: int, values: list[bytes]
    ) -> Steps[None]:
        """Write a batch.

        Raises:
            GaveUp: it is not known to be written.

        """
        if not self.world.is_transaction_version_2 and (topic, index) not in self._added:
            yield from self._add(topic, index)
        sequence = self._sequences.get((topic, index), 0)
        transaction.values.extend((topic, index, value) for value in values)
        self.world.ledger.sent((self.name, self.producer), index, values, transaction)
        records = self.batch(values, self.producer, sequence, is_transactional=True)
        request = self.produce_request(
            topic, index, records, transactional_id=self.transactional_id
        )
        for _ in range(PATIENCE):
            leader_id = yield from self.leader(topic, index)
            self.keep_trying()
            try:
                answer = yield from self.ask(
                    leader_id, request, self.world.produce_version, ProduceResponse
                )
            except Lost:
                self.forget_leader(topic, index)
                self.lost_an_answer()
                continue
            code = ErrorCode(answer.responses[0].partition_responses[0].error_code)
            if code in _WRITTEN:
                self._sequences[topic, index] = sequence + len(values)
                return
            if code not in RETRIABLE:
                raise GaveUp(code)
            self.forget_leader(topic, index)
            yield Pause(PAUSE_MS)
        raise GaveUp(ErrorCode.REQUEST_TIMED_OUT)

    def _add(self, topic: str, index: int) -> Steps[None]:
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer[0],
            v3_and_below_producer_epoch=self.producer[1],
            v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=[index])],
        )
        yield from self.ask_coordinator(
            TRANSACTIONS, self.transactional_id, request, 3, AddPartitionsToTxnResponse,
            lambda given: given.results_by_topic_v3_and_below[0]
            .results_by_partition[0].partition_error_code,
        )  # fmt: skip
        self._added.add((topic, index))

    def commit(self, transaction: Transaction) -> Steps[None]:
        """Commit."""
        transaction.outcome, transaction.asked_at = "in doubt", self.world.ledger.tick()
        yield from self._end(is_commit=True)
        transaction.outcome = "committed"

    def abort(self, transaction: Transaction) -> Steps[None]:
        """Abort.

        Whatever the response is, the transaction is not committed.
        """
        transaction.outcome = "aborted"
        yield from self._end(is_commit=False)

    def _end(self, *, is_commit: bool) -> Steps[None]:
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer[0],
            producer_epoch=self.producer[1],
            committed=is_commit,
        )
        answer = yield from self.ask_coordinator(
            TRANSACTIONS, self.transactional_id, request, self.world.end_version, EndTxnResponse,
            lambda given: given.error_code,
        )  # fmt: skip
        if answer.producer_id >= 0:
            epoch = answer.producer_epoch
            assert epoch <= LAST_EPOCH, f"a producer has the epoch of fences, {epoch}"
            self.producer = (answer.producer_id, answer.producer_epoch)
            self._sequences.clear()

    def lost_an_answer(self) -> None:
        """Start again if a lost request may still arrive, in the next transaction.

        KIP-890 solves that: from transaction.version 2 on, the request would have an old epoch.

        Raises:
            GaveUp: before that.

        """
        if not self.world.is_transaction_version_2:
            raise GaveUp(ErrorCode.REQUEST_TIMED_OUT)
