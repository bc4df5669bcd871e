"""Two brokers that do one request, or one piece of their own work, at a time."""

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import pack_batch_header
from mockbroker.protocol.types import BatchHeader, TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.release.options import Options
from mockbroker.state.replication.broker import Broker
from mockbroker.state.replication.leader_election import ProducerState, elect_leader
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from mockbroker.state.transaction.transaction_marker_channel import RETRY_BACKOFF_MS
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.model.checker.values import PARTITIONS, Answer, Case, Message
from tests.model.transaction_clients import Written
from tests.state.log_building import batch_header

TOPIC = "orders"
TIMEOUT_MS = 60_000
TRANSACTIONAL = 0x10
CONFIGS = {
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "2",
    "transaction.state.log.min.isr": "2",
}
STEPS = ("WriteTxnMarkers", "CompleteTransaction")


class Brokers:
    """A cluster whose markers and completions wait, each for its own step."""

    def __init__(self, case: Case) -> None:
        """Begin with a topic, and nothing sent."""
        version = case.transaction_version
        features = {} if version is None else {"transaction.version": version}
        self.now_ms = 1_000_000
        self.cluster = ClusterState(
            Options.for_release(case.release, features=features),
            [Broker(node_id=n, host="localhost", port=9091 + n) for n in (1, 2)],
            records=LOG_RECORDS,
            configs=CONFIGS,
            now_ms=self.now_ms,
        )
        self.verifies = self.cluster.options.producer_state.verifies_transactions
        self.bumps = self.cluster.options.transaction_version == 2
        """True if each transaction of a producer has an epoch of its own."""
        self.cluster.create_topic(NewTopic(TOPIC, num_partitions=PARTITIONS, replication_factor=2))
        self.cluster.create_topic(internal_topic(TRANSACTION_STATE, self.cluster.configs))
        self.cluster.run_pending(self.now_ms)
        self.transactional_ids = tuple(sorted(set(case.transactional_ids)))
        for transactional_id in self.transactional_ids:
            self.cluster.held_endings.hold(transactional_id)

    # Requests

    def handle(self, message: Message) -> Answer:
        """Do what a broker does with a request.

        Raises:
            ApiError: the broker's error.

        """
        request, transactional_id = message.request, message.transactional_id
        coordinator = self.coordinator
        if request.api == "init":
            return Answer(
                identity=coordinator.init_producer_id(
                    transactional_id, TIMEOUT_MS, self.now_ms, expected=message.expected
                )
            )
        if request.api == "add":
            coordinator.add_partitions_to_transaction(
                transactional_id,
                message.identity,
                frozenset({TopicPartition(TOPIC, request.partition)}),
                self.now_ms,
            )
            return Answer()
        if request.api == "produce":
            return self._handle_batch(message)
        identity = coordinator.end_transaction(
            transactional_id,
            message.identity,
            is_commit=request.api == "commit",
            now_ms=self.now_ms,
            client_transaction_version=2 if self.bumps else 0,
        )
        return Answer(identity=identity)

    def _handle_batch(self, message: Message) -> Answer:
        header = _header_of(message, self.now_ms)
        needs_verification = self.verifies or self.bumps
        if not message.is_verified and needs_verification and self._is_verified(message, header):
            return Answer(is_on_its_way=True)
        return Answer(written=self._append(message, header))

    def _is_verified(self, message: Message, header: BatchHeader) -> bool:
        """Verify a batch, if it is one that begins a transaction in its partition."""
        partition = message.request.partition
        guard = self.log(partition).producers.maybe_start_verification(
            header.producer_id,
            header.base_sequence,
            header.producer_epoch,
            supports_epoch_bump=self.bumps,
            now_ms=self.now_ms,
        )
        if guard is None:
            return False
        named = TopicPartition(TOPIC, partition)
        if self.bumps:
            self.coordinator.add_partitions_to_transaction(
                message.transactional_id,
                message.identity,
                frozenset({named}),
                self.now_ms,
                client_transaction_version=2,
            )
            return True
        codes = self.coordinator.verify_partitions_in_transaction(
            message.transactional_id, message.identity, frozenset({named})
        )
        if codes[named] != ErrorCode.NONE:
            raise ApiError(codes[named], "not verified")
        return True

    def _append(self, message: Message, header: BatchHeader) -> Written:
        partition = message.request.partition
        log = self.log(partition)
        header.base_offset = log.log_end_offset
        info = log.append(
            header,
            pack_batch_header(header),
            leader_epoch=self.partition(TOPIC, partition).leader_epoch,
            now_ms=self.now_ms,
            verification_guard=self._guard_of(message),
        )
        return written_by(message, info.base_offset)

    def _guard_of(self, message: Message) -> VerificationGuard | None:
        if not message.is_verified:
            return None
        if message.is_revoked:
            return VerificationGuard()
        return self.guards()[message.request.partition, message.identity.producer_id]

    def guards(self) -> dict[tuple[int, int], VerificationGuard]:
        """Return the guards of the batches on their way, by partition and producer id."""
        return {
            (partition, producer_id): entry.verification_guard
            for partition in range(PARTITIONS)
            for producer_id, entry in self.log(
                partition
            ).producers.verifications.by_producer_id.items()
        }

    # Their own work

    def step(self, transactional_id: str) -> str:
        """Write one marker, or log the completion; return which."""
        name = self.coordinator.markers.step(transactional_id, self.now_ms)
        return str(name).partition(" ")[0]

    def has_step(self, transactional_id: str) -> bool:
        """Return whether a marker or a completion is to come."""
        transaction = self.coordinator.states.find(transactional_id)
        return (
            transaction is not None
            and len(self.coordinator.markers) > 0
            and transaction.metadata.state.state_name.startswith("Prepare")
        )

    def work(self, index: int) -> str:
        """Do one item of pending work, not always the oldest; return its name."""
        work = self.cluster.pending[index]
        self.cluster.pending.remove(work)
        work.run(self.now_ms)
        return work.name.partition(" ")[0]

    def drop_held_work(self) -> None:
        """Run the pending work that finds everything held: markers are steps here."""
        for work in list(self.cluster.pending):
            if work.name.startswith(STEPS):
                self.cluster.pending.remove(work)
                work.run(self.now_ms)

    def settle(self) -> None:
        """Let everything happen that brokers do by themselves, and open transactions time out."""
        if not self.has_enough_replicas:
            self.replicas_return()
        for transactional_id in self.transactional_ids:
            self.cluster.held_endings.release(transactional_id)
        for _ in range(3):
            for transactional_id in self.transactional_ids:
                self.coordinator.markers.resume(transactional_id)
            self.cluster.run_pending(self.now_ms)
            self.time_out()
        self.cluster.run_pending(self.now_ms)

    # Faults

    def lose_replicas(self) -> str:
        """Let all appends to the transaction log fail until its replicas return."""
        home = self.partition(TRANSACTION_STATE, 0)
        home.in_sync_replicas = (home.leader_id,)
        return "replicas lost"

    def replicas_return(self) -> str:
        """Let the transaction log work again."""
        home = self.partition(TRANSACTION_STATE, 0)
        home.in_sync_replicas = tuple(home.replicas)
        self.now_ms += RETRY_BACKOFF_MS
        self.cluster.advance_to(self.now_ms)
        return "replicas returned"

    def time_out(self) -> str:
        """Let more time pass than a transaction may take."""
        self.now_ms += 2 * TIMEOUT_MS
        self.cluster.advance_to(self.now_ms)
        return "timed out"

    def move_coordinator(self) -> str:
        """Let the other broker coordinate, after it has read the log."""
        self._elect_other(self.partition(TRANSACTION_STATE, 0), "full")
        return "coordinator moved"

    def elect(self, index: int, producer_state: ProducerState) -> str:
        """Let the other broker lead a partition, with all producer state or what its log shows."""
        self._elect_other(self.partition(TOPIC, index), producer_state)
        return f"elected with {producer_state}"

    def _elect_other(self, partition: Partition, producer_state: ProducerState) -> None:
        other = next(n for n in partition.replicas if n != partition.leader_id)
        elect_leader(
            self.cluster, partition, other, producer_state=producer_state, now_ms=self.now_ms
        )

    # Where things are

    @property
    def coordinator(self) -> TransactionCoordinator:
        """The coordinator of every transactional id."""
        return self.cluster.transaction_coordinator(self.partition(TRANSACTION_STATE, 0).leader_id)

    @property
    def has_enough_replicas(self) -> bool:
        """True if the transaction log takes appends."""
        return len(self.partition(TRANSACTION_STATE, 0).in_sync_replicas) > 1

    def timed_out(self) -> list[str]:
        """Return the transactional ids with an open transaction that is to be aborted."""
        found = map(self.coordinator.states.find, self.transactional_ids)
        return [
            each.metadata.transactional_id
            for each in found
            if each is not None
            and each.metadata.state is TransactionState.ONGOING
            and self.now_ms - each.metadata.start_timestamp_ms > TIMEOUT_MS
        ]

    def stable_offsets(self) -> tuple[int, ...]:
        """Return up to where each partition is decided."""
        return tuple(self.log(index).last_stable_offset for index in range(PARTITIONS))

    def partition(self, topic: str, index: int) -> Partition:
        """Return a partition, which exists."""
        partition = self.cluster.partition(topic, index)
        assert partition is not None
        return partition

    def log(self, index: int, topic: str = TOPIC) -> PartitionLog:
        """Return the log of a partition."""
        return self.cluster.log_of(self.partition(topic, index), self.now_ms)


def _header_of(message: Message, now_ms: int) -> BatchHeader:
    return batch_header(
        timestamp_ms=now_ms,
        producer_id=message.identity.producer_id,
        producer_epoch=message.identity.producer_epoch,
        base_sequence=message.sequence,
        attributes=TRANSACTIONAL,
    )


def written_by(message: Message, base_offset: int) -> Written:
    """Return the batch of a message at an offset."""
    identity = message.identity
    content = identity.producer_id, identity.producer_epoch, message.sequence
    return Written(message.request.partition, base_offset, content)
