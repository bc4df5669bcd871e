"""Records of the control topic: open transactions, decisions, and results of batches."""

from typing import Final, TypeAlias

import msgspec

from mockbroker.spark.sink.transaction_requests import ProducerEpoch

Ranges: TypeAlias = dict[str, tuple[int, int, int]]
"""First offset, last offset and number of records, by partition in Kafka's notation."""


class TaskTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction of one task, which exists once: every one has an epoch of its own."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    task: int
    attempt: int

    @property
    def producer(self) -> ProducerEpoch:
        """Return the id and epoch under which it is open."""
        return ProducerEpoch(self.transactional_id, self.producer_id, self.producer_epoch)

    def __str__(self) -> str:
        """Name the task and the transaction."""
        where = f"{self.transactional_id} (producer {self.producer_id}:{self.producer_epoch})"
        return f"task {self.task}, attempt {self.attempt}, as {where}"


class BatchIdentity(msgspec.Struct, frozen=True):
    """A batch of a query; in batch mode a save, with an empty query."""

    query: str
    batch: str

    def __str__(self) -> str:
        """Name it."""
        return f"batch {self.batch} of query {self.query}" if self.query else f"save {self.batch}"


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened"):
    """A task is about to write in a transaction."""

    prefix: str
    transaction: TaskTransaction


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction whose records are all stored, and where they are."""

    transaction: TaskTransaction
    ranges: Ranges


class DecidedBatch(msgspec.Struct, frozen=True, kw_only=True, tag="decided"):
    """The transactions of a batch, in the order in which they are to be committed."""

    prefix: str
    identity: BatchIdentity
    since: int
    """Offset from which on the tasks of the batch have registered."""
    written: tuple[Written, ...]


class EndedBatch(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """Result of a decided batch: it is done, or nothing of it became visible."""

    prefix: str
    identity: BatchIdentity
    since: int
    is_done: bool
    committed: tuple[TaskTransaction, ...] = ()
    lost: tuple[Written, ...] = ()
    """Transactions that ended before they were committed, after others were."""


ControlRecord: TypeAlias = Opened | DecidedBatch | EndedBatch

_decode: Final = msgspec.json.Decoder(ControlRecord).decode
encode: Final = msgspec.json.Encoder().encode


def decode(value: bytes) -> ControlRecord:
    """Decode the value of a control record.

    Raises:
        msgspec.MsgspecError: it is none.

    """
    record: ControlRecord = _decode(value)
    return record


def key_of(record: ControlRecord) -> bytes:
    """Return the key under which compaction keeps the newest record."""
    if isinstance(record, Opened):
        return f"opened/{record.transaction.transactional_id}".encode()
    return f"state/{record.prefix}".encode()
