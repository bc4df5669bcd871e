"""What holds in every state; each check reads the bytes of the logs, not the state.

Some promises are of the logs alone, and others of what producers were told about them. A check
raises `BrokenPromiseError` with what it found.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.model.checker.brokers import Brokers
from tests.model.checker.values import PARTITIONS, Ended
from tests.model.committed_reading import all_of, content_of
from tests.model.transaction_clients import Written
from tests.model.transactions_driver import FOLLOWS

_Subject = TypeVar("_Subject")


class BrokenPromiseError(AssertionError):
    """A state in which something does not hold that Kafka guarantees."""


class Broken(NamedTuple):
    """A promise that does not hold."""

    promise: str
    """The name of the check that found it."""
    why: str


class Fate(NamedTuple):
    """What became of a batch that is in a log."""

    written: Written
    is_commit: bool | None
    """None as long as no marker decides."""


class Told(NamedTuple):
    """What is in the logs, and what producers know, were told and asked for."""

    fates: tuple[Fate, ...]
    open: tuple[tuple[Written, ...], ...]
    """The acknowledged batches of the open transaction of each producer."""
    ended: tuple[Ended, ...]
    commits_sent: frozenset[tuple[int, int]]
    origins: frozenset[tuple[Written, int, int]]

    def acknowledged(self) -> Iterator[Written]:
        """Yield every batch that was acknowledged."""
        for written in self.open:
            yield from written
        for transaction in self.ended:
            yield from transaction.written

    def decided(self) -> Iterator[tuple[Written, tuple[int, int], bool | None]]:
        """Yield each batch with its sender and serial, and its outcome so far."""
        transactions = {
            (written.partition, written.content): (sender, serial)
            for written, sender, serial in self.origins
        }
        for written, fate in self.fates:
            yield written, transactions[written.partition, written.content], fate


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


@lru_cache(maxsize=1 << 16)
def _text_of_batch(data: bytes) -> str:
    return repr(_batch(data))


def text_of(log: PartitionLog) -> str:
    """Return a log with its batches, as their bytes have them."""
    return "\n".join([log.as_text(), *map(_text_of_batch, all_of(log))])


def transitions_of(log: PartitionLog) -> Iterator[tuple[str, TransactionLogValue | None]]:
    """Yield the records of the transaction log."""
    for data in all_of(log):
        yield from _transitions(data)


def last_transitions(log: PartitionLog) -> dict[str, TransactionLogValue | None]:
    """Return the last record of each transactional id."""
    return dict(transitions_of(log))


class Reading:
    """The logs of brokers, read once for all checks."""

    def __init__(
        self, brokers: Brokers, stable_before: tuple[int, ...], *, is_settled: bool = False
    ) -> None:
        """Read all logs; `is_settled` is true after all that was to happen has happened."""
        self.brokers = brokers
        self.stable_before = stable_before
        self.is_settled = is_settled
        self.logs = [brokers.log(partition) for partition in range(PARTITIONS)]
        self.batches = [[_batch(data) for data in all_of(log)] for log in self.logs]
        self.fates = [_fates(batches) for batches in self.batches]
        self.transitions = list(transitions_of(brokers.log(0, TRANSACTION_STATE)))

    def decided(self) -> Iterator[Fate]:
        """Yield each data batch with its outcome so far."""
        for partition, batches in enumerate(self.batches):
            for batch in batches:
                if not batch.is_control:
                    written = Written(partition, batch.base_offset, batch.content)
                    yield Fate(written, self.fates[partition][batch.base_offset])


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
    for before, log in zip(reading.stable_before, reading.logs, strict=True):
        now = log.last_stable_offset
        if not before <= now <= log.high_watermark:
            raise BrokenPromiseError(f"stable to {before}, then to {now}, of {log.high_watermark}")


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
    coordinator = reading.brokers.coordinator
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


def nothing_hangs(reading: Reading) -> None:
    """Check that everything is decided after all that was to happen has happened."""
    if not reading.is_settled:
        return
    for partition, (log, fates) in enumerate(zip(reading.logs, reading.fates, strict=True)):
        if log.last_stable_offset < log.high_watermark or None in fates.values():
            raise BrokenPromiseError(
                f"partition {partition} hangs at {log.last_stable_offset} of {log.high_watermark}"
            )


OF_LOGS: Final[tuple[Callable[[Reading], None], ...]] = (
    stable_offsets_never_go_back,
    readers_get_what_is_committed,
    transitions_are_those_of_the_kips,
    memory_is_what_the_log_says,
    batches_are_in_order,
    nothing_hangs,
)
"""What holds of the logs, whatever producers know."""


def acknowledged_batches_stay(told: Told) -> None:
    """Check that each acknowledged batch is where its answer said."""
    stored = {written for written, _ in told.fates}
    for written in told.acknowledged():
        if written not in stored:
            raise BrokenPromiseError(f"{written} was acknowledged, and is not there")


def promised_ends_are_kept(told: Told) -> None:
    """Check that no batch of a transaction ends otherwise than its producer was told."""
    fates = dict(told.fates)
    for transaction in told.ended:
        promised = transaction.is_commit
        for written in transaction.written if promised is not None else ():
            if fates.get(written) not in {None, promised}:
                raise BrokenPromiseError(
                    f"{written} was promised {promised}, and got {fates[written]}"
                )


def nothing_is_committed_unasked(told: Told) -> None:
    """Check that only what a producer asked to commit is committed."""
    for written, transaction, fate in told.decided():
        if fate and transaction not in told.commits_sent:
            raise BrokenPromiseError(f"{written} is committed, and no commit of it was sent")


def transactions_are_whole(told: Told) -> None:
    """Check that the acknowledged batches of a transaction have one outcome."""
    outcomes: dict[tuple[int, int], set[bool]] = {}
    acknowledged = set(told.acknowledged())
    for written, transaction, fate in told.decided():
        if fate is not None and written in acknowledged:
            outcomes.setdefault(transaction, set()).add(fate)
    for transaction, found in outcomes.items():
        if len(found) > 1:
            raise BrokenPromiseError(f"a part of {transaction} is committed, a part aborted")


OF_PRODUCERS: Final[tuple[Callable[[Told], None], ...]] = (
    acknowledged_batches_stay,
    transactions_are_whole,
    nothing_is_committed_unasked,
    promised_ends_are_kept,
)
"""What holds of the logs, as producers were told or asked for it."""

PROMISES: Final = tuple(promise.__name__ for promise in (*OF_LOGS, *OF_PRODUCERS))


def broken_by_logs(reading: Reading) -> Broken | None:
    """Return the first promise of the logs that does not hold."""
    return _first_broken(OF_LOGS, reading)


@lru_cache(maxsize=1 << 18)
def broken_to_producers(told: Told) -> Broken | None:
    """Return the first promise to producers that does not hold."""
    return _first_broken(OF_PRODUCERS, told)


def _first_broken(
    promises: Iterable[Callable[[_Subject], None]], subject: _Subject
) -> Broken | None:
    for promise in promises:
        try:
            promise(subject)
        except BrokenPromiseError as broken:
            return Broken(promise.__name__, str(broken))
    return None
