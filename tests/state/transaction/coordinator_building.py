"""A coordinator with a minimal fake host and log, for tests."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.coordinator.holds import HeldEndings
from mockbroker.state.observation import Observation
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_id_manager import ProducerIdManager
from mockbroker.state.release.options import Options
from mockbroker.state.timers import Timers
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from mockbroker.state.transaction.transaction_log import TransactionLogValue

BROKER_ID = 1
ID = "orders-1"
TIMEOUT_MS = 60_000
A = TopicPartition("a", 0)
B = TopicPartition("b", 1)


class WrittenMarker(NamedTuple):
    """A marker in a partition, and the transaction.version of its request."""

    partition: TopicPartition
    marker: EndTxnMarker
    transaction_version: int


class FakeLog:
    """A transaction log in lists, with optional failures and a callback."""

    def __init__(self) -> None:
        """Start empty."""
        self.records: dict[int, list[tuple[str, TransactionLogValue | None]]] = {}
        self.coordinator_epochs: list[int] = []
        self.refusals: deque[ErrorCode | None] = deque()
        """The errors of the next appends; None means success."""
        self.after_append: Callable[[], object] | None = None
        """Called once, after the next append that succeeds."""

    def append(
        self,
        partition_index: int,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        coordinator_epoch: int,
        now_ms: int,
    ) -> None:
        """Store a record, or raise the next refusal."""
        assert now_ms >= 0
        code = self.refusals.popleft() if self.refusals else None
        if code is not None:
            raise ApiError(code, "the test wants it")
        self.records.setdefault(partition_index, []).append((transactional_id, value))
        self.coordinator_epochs.append(coordinator_epoch)
        if self.after_append is not None:
            action, self.after_append = self.after_append, None
            action()

    def read(self, partition_index: int) -> Iterator[tuple[str, TransactionLogValue | None]]:
        """Yield the stored records."""
        yield from self.records.get(partition_index, ())

    @property
    def values(self) -> list[TransactionLogValue | None]:
        """All values, partition by partition."""
        return [value for records in self.records.values() for _, value in records]

    @property
    def last(self) -> TransactionLogValue | None:
        """The last value of the only partition that was written to."""
        (records,) = self.records.values()
        return records[-1][1]


class FakeHost:
    """A cluster without topics of its own: every partition exists unless it is `missing`."""

    def __init__(
        self,
        release: str = "4.4",
        *,
        transaction_version: int | None = None,
        configs: dict[str, str] | None = None,
    ) -> None:
        """Behave as a release, at a level of transaction.version."""
        features = (
            {} if transaction_version is None else {"transaction.version": transaction_version}
        )
        self.options = Options.for_release(release, features=features)
        self.configs = ConfigRepository(release, configs or {}, {})
        self.producer_ids = ProducerIdManager()
        self.timers = Timers()
        self.held_endings = HeldEndings()
        self.observation = Observation()
        self.pending: deque[tuple[str, Callable[[int], None]]] = deque()
        self.missing: set[TopicPartition] = set()
        self.markers: list[WrittenMarker] = []
        self.marker_refusals: dict[TopicPartition, list[ErrorCode]] = {}

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition with its name only, or None if it is `missing`."""
        topic_partition = TopicPartition(topic, index)
        if topic_partition in self.missing:
            return None
        return Partition(topic_partition, (BROKER_ID,), self.configs.topic_config(topic, BROKER_ID))

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Add pending work."""
        self.pending.append((name, run))

    def append_end_txn_marker(
        self, partition: Partition, marker: EndTxnMarker, *, transaction_version: int, now_ms: int
    ) -> None:
        """Store a marker, or raise the partition's next refusal."""
        assert now_ms >= 0
        topic_partition = partition.topic_partition
        refusals = self.marker_refusals.get(topic_partition)
        if refusals:
            raise ApiError(refusals.pop(0), "the test wants it")
        self.markers.append(WrittenMarker(topic_partition, marker, transaction_version))

    def step(self, now_ms: int = 0) -> str:
        """Run the next pending work, and return its name."""
        name, run = self.pending.popleft()
        run(now_ms)
        return name

    def run_pending(self, now_ms: int = 0) -> list[str]:
        """Run all pending work, and return the names."""
        names: list[str] = []
        while self.pending:
            names.append(self.step(now_ms))
        return names


class Coordinated:
    """A coordinator that owns all partitions of its log, with shorthands for one producer."""

    def __init__(
        self,
        release: str = "4.4",
        *,
        transaction_version: int | None = None,
        configs: dict[str, str] | None = None,
        loaded: bool = True,
        host: FakeHost | None = None,
        log: FakeLog | None = None,
    ) -> None:
        """Create a coordinator; if `loaded`, it owns every partition, in epoch 0."""
        self.host = host or FakeHost(
            release, transaction_version=transaction_version, configs=configs
        )
        self.log = log or FakeLog()
        self.coordinator = TransactionCoordinator(BROKER_ID, self.host, self.log)
        if loaded:
            self.elect()

    @property
    def partition_count(self) -> int:
        """The number of partitions of the transaction log."""
        return self.host.configs.broker_integer("transaction.state.log.num.partitions")

    def elect(self, coordinator_epoch: int = 0, now_ms: int = 0) -> None:
        """Own all partitions from a leader epoch on."""
        for index in range(self.partition_count):
            self.coordinator.on_election(index, coordinator_epoch)
        self.host.run_pending(now_ms)

    def moved(self, coordinator_epoch: int = 1) -> "Coordinated":
        """Give up all partitions, and return the coordinator that has loaded the same log."""
        for index in range(self.partition_count):
            self.coordinator.on_resignation(index, coordinator_epoch)
        other = Coordinated(host=self.host, log=self.log, loaded=False)
        other.elect(coordinator_epoch)
        return other

    def init(
        self,
        expected: tuple[int, int] | None = None,
        *,
        transactional_id: str | None = ID,
        timeout_ms: int = TIMEOUT_MS,
        now_ms: int = 0,
        **two_phase: bool,
    ) -> ProducerIdAndEpoch:
        """Initialise a producer."""
        return self.coordinator.init_producer_id(
            transactional_id,
            timeout_ms,
            now_ms,
            expected=None if expected is None else ProducerIdAndEpoch(*expected),
            **two_phase,
        )

    def add(
        self,
        producer: tuple[int, int],
        *partitions: TopicPartition,
        transactional_id: str = ID,
        now_ms: int = 0,
        version: int = 0,
    ) -> None:
        """Add partitions."""
        self.coordinator.add_partitions_to_transaction(
            transactional_id,
            ProducerIdAndEpoch(*producer),
            frozenset(partitions or {A}),
            now_ms,
            client_transaction_version=version,
        )

    def end(
        self,
        producer: tuple[int, int],
        *,
        is_commit: bool,
        transactional_id: str = ID,
        now_ms: int = 0,
        version: int = 0,
    ) -> ProducerIdAndEpoch:
        """End a transaction."""
        return self.coordinator.end_transaction(
            transactional_id,
            ProducerIdAndEpoch(*producer),
            is_commit=is_commit,
            now_ms=now_ms,
            client_transaction_version=version,
        )

    def commit(
        self,
        producer: tuple[int, int],
        *,
        transactional_id: str = ID,
        now_ms: int = 0,
        version: int = 0,
    ) -> ProducerIdAndEpoch:
        """Commit."""
        return self.end(
            producer,
            is_commit=True,
            transactional_id=transactional_id,
            now_ms=now_ms,
            version=version,
        )

    def abort(
        self,
        producer: tuple[int, int],
        *,
        transactional_id: str = ID,
        now_ms: int = 0,
        version: int = 0,
    ) -> ProducerIdAndEpoch:
        """Abort."""
        return self.end(
            producer,
            is_commit=False,
            transactional_id=transactional_id,
            now_ms=now_ms,
            version=version,
        )

    def as_text(self) -> list[str]:
        """Show the coordinator, its log, and the pending work."""
        return [
            *self.coordinator.as_text(),
            *(f"pending {name}" for name, _ in self.host.pending),
            *(repr(value) for value in self.log.values),
        ]
