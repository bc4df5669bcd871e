"""What holds in every state of the world; each check reads the bytes of the logs, not the state.

A check raises `BrokenPromiseError` with what it found.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.model.checker.values import PARTITIONS
from tests.model.checker.world import World
from tests.model.committed_reading import all_of, content_of
from tests.model.transaction_clients import Written
from tests.model.transactions_driver import FOLLOWS


class BrokenPromiseError(AssertionError):
    """A state in which something does not hold that Kafka guarantees."""

    promise = ""
    """The name of the check that found it."""


class Batch(NamedTuple):
    """A batch as its bytes have it."""

    base_offset: int
    content: tuple[int, int, int]
    """Producer id, epoch and sequence."""
    is_commit: bool | None
    """The outcome of a marker; None for data."""
    is_control: bool


@lru_cache(maxsize=1 << 16)
def _batch(data: bytes) -> Batch:
    header = LOG_RECORDS.read_header(data)
    marker = LOG_RECORDS.read_end_txn_marker(data) if header.is_control else None
    return Batch(
        header.base_offset,
        content_of(header),
        None if marker is None else marker.is_commit,
        header.is_control,
    )


@lru_cache(maxsize=1 << 16)
def _transitions(data: bytes) -> tuple[tuple[str, TransactionLogValue | None], ...]:
    return tuple(LOG_RECORDS.read_transaction_records(data))


def transitions_of(log: PartitionLog) -> Iterator[tuple[str, TransactionLogValue | None]]:
    """Yield the records of the transaction log."""
    for data in all_of(log):
        yield from _transitions(data)


def last_transitions(log: PartitionLog) -> dict[str, TransactionLogValue | None]:
    """Return the last record of each transactional id."""
    return dict(transitions_of(log))


class Reading:
    """The logs of a world, read once for all checks."""

    def __init__(self, world: World) -> None:
        """Read all logs."""
        self.world = world
        self.logs = [world.log(partition) for partition in range(PARTITIONS)]
        self.batches = [[_batch(data) for data in all_of(log)] for log in self.logs]
        self.fates = [_fates(batches) for batches in self.batches]
        self.transitions = list(transitions_of(world.log(0, TRANSACTION_STATE)))

    def decided(self) -> Iterator[tuple[Written, int, int, bool | None]]:
        """Yield each data batch with its sender, its serial and its outcome so far."""
        origins = {
            (written.partition, written.content): (sender, serial)
            for written, sender, serial in self.world.origins
        }
        for partition, batches in enumerate(self.batches):
            for batch in batches:
                if not batch.is_control:
                    sender, serial = origins[partition, batch.content]
                    written = Written(partition, batch.base_offset, batch.content)
                    yield written, sender, serial, self.fates[partition][batch.base_offset]


def _fates(batches: list[Batch]) -> dict[int, bool | None]:
    """Return whether the next marker of its producer commits a batch; None without a marker."""
    fates: dict[int, bool | None] = {}
    undecided: dict[int, list[int]] = {}
    for batch in batches:
        producer_id = batch.content[0]
        if batch.is_control:
            fates |= dict.fromkeys(undecided.pop(producer_id, ()), batch.is_commit)
        else:
            fates[batch.base_offset] = None
            undecided.setdefault(producer_id, []).append(batch.base_offset)
    return fates


def stable_offsets_never_go_back(reading: Reading) -> None:
    """Check that the last stable offset only grows, and is at most the high watermark."""
    offsets = tuple(log.last_stable_offset for log in reading.logs)
    for before, now, log in zip(reading.world.stable_offsets, offsets, reading.logs, strict=True):
        if not before <= now <= log.high_watermark:
            raise BrokenPromiseError(f"stable to {before}, then to {now}, of {log.high_watermark}")
    reading.world.stable_offsets = offsets


def readers_get_what_is_committed(reading: Reading) -> None:
    """Check that read_committed consumers get exactly the committed batches, and no open ones."""
    for log, batches, fates in zip(reading.logs, reading.batches, reading.fates, strict=True):
        stable = log.last_stable_offset
        open_offsets = [offset for offset, fate in fates.items() if fate is None]
        if any(offset < stable for offset in open_offsets):
            raise BrokenPromiseError(f"{open_offsets} are open, and stable is all before {stable}")
        committed = [offset for offset, fate in fates.items() if fate and offset < stable]
        got = list(_read_committed(log, batches, stable))
        if got != committed:
            raise BrokenPromiseError(f"readers get {got}, committed is {committed}")


def _read_committed(log: PartitionLog, batches: list[Batch], stable: int) -> Iterator[int]:
    """Read as a consumer does, by the list of aborted transactions in the Fetch answer."""
    to_come = sorted(log.aborted_transactions(0, stable), key=lambda aborted: aborted.first_offset)
    aborting: set[int] = set()
    for batch in batches:
        if batch.base_offset >= stable:
            return
        while to_come and to_come[0].first_offset <= batch.base_offset:
            aborting.add(to_come.pop(0).producer_id)
        if not batch.is_control and batch.content[0] not in aborting:
            yield batch.base_offset
        elif batch.is_commit is False:
            aborting.discard(batch.content[0])


def transitions_are_those_of_the_kips(reading: Reading) -> None:
    """Check that each transactional id goes from state to state as KIP-98 and KIP-890 draw it."""
    states: dict[str, tuple[str, int, int]] = {}
    for transactional_id, value in reading.transitions:
        if value is None:
            states.pop(transactional_id, None)
            continue
        state = TransactionState(value.state).state_name
        before, producer_id, producer_epoch = states.get(transactional_id, ("Empty", -1, -1))
        if state not in FOLLOWS[before]:
            raise BrokenPromiseError(f"{transactional_id} goes from {before} to {state}")
        if value.producer_id == producer_id and value.producer_epoch < producer_epoch:
            raise BrokenPromiseError(
                f"{transactional_id} goes from epoch {producer_epoch} to {value.producer_epoch}"
            )
        states[transactional_id] = state, value.producer_id, value.producer_epoch


def memory_is_what_the_log_says(reading: Reading) -> None:
    """Check that a coordinator that reads the log would know what this one knows."""
    coordinator = reading.world.coordinator
    if coordinator.states.is_loading:
        return
    last = {
        transactional_id: TransactionMetadata.from_log(transactional_id, value)
        for transactional_id, value in reading.transitions
        if value is not None
    }
    for transactional_id, logged in last.items():
        found = coordinator.states.find(transactional_id)
        if found is None:
            raise BrokenPromiseError(f"{transactional_id} is in the log, and unknown")
        known = found.metadata
        for name in ("producer_id", "producer_epoch", "state", "timeout_ms"):
            is_fence = name == "producer_epoch" and known.has_failed_epoch_fence
            if getattr(known, name) != getattr(logged, name) and not is_fence:
                raise BrokenPromiseError(f"memory has {known}, the log {logged}")
        if not known.partitions <= logged.partitions:
            raise BrokenPromiseError(f"memory has {known.partitions}, the log {logged.partitions}")


def acknowledged_batches_stay(reading: Reading) -> None:
    """Check that each acknowledged batch is where its answer said."""
    stored = [
        {batch.base_offset: batch.content for batch in batches} for batches in reading.batches
    ]
    for written in _acknowledged(reading.world):
        if stored[written.partition].get(written.base_offset) != written.content:
            raise BrokenPromiseError(f"{written} was acknowledged, and is not there")


def _acknowledged(world: World) -> Iterator[Written]:
    for producer in world.producers:
        yield from producer.written
    for transaction in world.ended:
        yield from transaction.written


def batches_are_in_order(reading: Reading) -> None:
    """Check that each producer's sequences follow each other, without a duplicate."""
    for partition, batches in enumerate(reading.batches):
        last: dict[tuple[int, int], int] = {}
        for batch in batches:
            producer_id, producer_epoch, sequence = batch.content
            if batch.is_control:
                continue
            before = last.get((producer_id, producer_epoch), sequence - 1)
            if sequence != before + 1:
                raise BrokenPromiseError(f"after {before} comes {batch} in partition {partition}")
            last[producer_id, producer_epoch] = sequence


def promised_ends_are_kept(reading: Reading) -> None:
    """Check that no batch of a transaction ends otherwise than its producer was told."""
    ended = {(each.sender, each.serial): each for each in reading.world.ended}
    for written, sender, serial, fate in reading.decided():
        transaction = ended.get((sender, serial))
        if transaction is None or transaction.is_commit is None or fate is None:
            continue
        if written in transaction.written and fate != transaction.is_commit:
            promised = transaction.is_commit
            raise BrokenPromiseError(f"{written} was promised {promised}, and got {fate}")


def nothing_is_committed_unasked(reading: Reading) -> None:
    """Check that only what a producer asked to commit is committed."""
    for written, sender, serial, fate in reading.decided():
        if fate and (sender, serial) not in reading.world.commits_sent:
            raise BrokenPromiseError(f"{written} is committed, and no commit of it was sent")


def transactions_are_whole(reading: Reading) -> None:
    """Check that the acknowledged batches of a transaction have one outcome."""
    outcomes: dict[tuple[int, int], set[bool]] = {}
    acknowledged = set(_acknowledged(reading.world))
    for written, sender, serial, fate in reading.decided():
        if fate is not None and written in acknowledged:
            outcomes.setdefault((sender, serial), set()).add(fate)
    for transaction, found in outcomes.items():
        if len(found) > 1:
            raise BrokenPromiseError(f"a part of {transaction} is committed, a part aborted")


ALWAYS: Final[tuple[Callable[[Reading], None], ...]] = (
    stable_offsets_never_go_back,
    readers_get_what_is_committed,
    transitions_are_those_of_the_kips,
    memory_is_what_the_log_says,
    acknowledged_batches_stay,
    batches_are_in_order,
    transactions_are_whole,
    nothing_is_committed_unasked,
    promised_ends_are_kept,
)
"""What holds in every state."""


def nothing_hangs(reading: Reading) -> None:
    """Check that everything is decided after all that was to happen has happened."""
    for partition, (log, fates) in enumerate(zip(reading.logs, reading.fates, strict=True)):
        if log.last_stable_offset < log.high_watermark or None in fates.values():
            raise BrokenPromiseError(
                f"partition {partition} hangs at {log.last_stable_offset} of {log.high_watermark}"
            )


AT_THE_END: Final[tuple[Callable[[Reading], None], ...]] = (*ALWAYS, nothing_hangs)
"""What holds after all that was to happen has happened."""
