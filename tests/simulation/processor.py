"""Model of read-process-write: each input is processed once, even if processors die."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from tests.simulation.model_client import GROUPS, PAUSE_MS, TRANSACTIONS, GaveUp
from tests.simulation.steps import Pause, Steps
from tests.simulation.transactional_producer import FENCED, Transaction, TransactionalProducer

if TYPE_CHECKING:
    from tests.simulation.world import World

GROUP: Final = "processors"
INPUT: Final = "input"
_READ_AT_ONCE: Final = 3


class Processor(TransactionalProducer):
    """Processes input from the group's committed offset, a few records per transaction."""

    def __init__(self, world: "World", name: str) -> None:
        super().__init__(world, name, "processor")
        self._position: int | None = None

    def run(self) -> Steps[None]:
        """Process all input, until another processor takes over."""
        for _ in range(4 * len(self.world.input_values)):
            self.is_out_of_time()
            transaction = self.begin()
            try:
                if self.producer[0] < 0:
                    yield from self.init()
                    self._position = None
                if self._position is None:
                    self._position = yield from self._committed()
                if self._position >= len(self.world.input_values):
                    return
                yield from self._process(transaction, self._position)
            except GaveUp as why:
                self.note(f"gives up a transaction ({transaction.outcome}): {why.code.name}")
                if self.believes_that_it_was_replaced(why.code):
                    return
                self.producer = (-1, -1)
                yield Pause(PAUSE_MS)

    def believes_that_it_was_replaced(self, code: ErrorCode) -> bool:
        """Return whether another processor continues."""
        return code in FENCED and self.world.is_replaced(self)

    def _process(self, transaction: Transaction, position: int) -> Steps[None]:
        values = self.world.input_values[position : position + _READ_AT_ONCE]
        for value in values:
            index = self.random.randrange(self.world.partitions)
            yield from self.write(transaction, "orders", index, [b"out of " + value])
        yield from self._commit_offset(position + len(values))
        if self.random.random() < 0.15:
            yield from self.abort(transaction)
            self._position = None
        else:
            yield from self.commit(transaction)
            self._position = position + len(values)

    def _committed(self) -> Steps[int]:
        request = OffsetFetchRequest(
            group_id=GROUP,
            topics=[OffsetFetchRequestTopic(name=INPUT, partition_indexes=[0])],
            require_stable=True,
        )
        answer = yield from self.ask_coordinator(
            GROUPS, GROUP, request, 7, OffsetFetchResponse,
            lambda given: given.error_code or given.topics[0].partitions[0].error_code,
        )  # fmt: skip
        return max(0, answer.topics[0].partitions[0].committed_offset)

    def _commit_offset(self, offset: int) -> Steps[None]:
        if not self.world.is_transaction_version_2:
            adding = AddOffsetsToTxnRequest(
                transactional_id=self.transactional_id,
                producer_id=self.producer[0],
                producer_epoch=self.producer[1],
                group_id=GROUP,
            )
            yield from self.ask_coordinator(
                TRANSACTIONS, self.transactional_id, adding, 3, AddOffsetsToTxnResponse,
                lambda given: given.error_code,
            )  # fmt: skip
        partition = TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=offset)
        request = TxnOffsetCommitRequest(
            transactional_id=self.transactional_id,
            group_id=GROUP,
            producer_id=self.producer[0],
            producer_epoch=self.producer[1],
            topics=[TxnOffsetCommitRequestTopic(name=INPUT, partitions=[partition])],
        )
        version = 5 if self.world.is_transaction_version_2 else 3
        yield from self.ask_coordinator(
            GROUPS, GROUP, request, version, TxnOffsetCommitResponse,
            lambda given: given.topics[0].partitions[0].error_code,
        )  # fmt: skip
