"""Coordinators, logs and clients together, driven by plain numbers; and a ledger of promises.

The clients know nothing of each other: some are zombies, some retry, some stop half way. What a
broker does with a batch before it is appended, asking the coordinator about it, is taken apart
here, so that anything may happen in between. What a reader of committed data may see is worked out
from the bytes of the logs, from end to end, by no code of ours but the codec.
"""

from collections.abc import Iterator

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
from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.model.committed_reading import (
    all_of,
    content_of,
    contents_of,
    fates_in,
    read_committed,
)
from tests.model.transaction_clients import (
    Client,
    InFlight,
    Promised,
    Written,
)
from tests.state.log_building import batch_header

TOPIC = "orders"
PARTITIONS = 2
BROKERS = 2
TIMEOUT_MS = 60_000
TRANSACTIONAL = 0x10
CONFIGS = {
    "transaction.state.log.num.partitions": "2",
    "transaction.state.log.replication.factor": "2",
    "transaction.state.log.min.isr": "1",
}

# As the KIPs draw them (98, 890): what the records of one transactional id may follow each other.
FOLLOWS = {
    "Empty": {"Empty", "Ongoing", "PrepareAbort"},
    "Ongoing": {"Ongoing", "PrepareCommit", "PrepareAbort"},
    "PrepareCommit": {"CompleteCommit"},
    "PrepareAbort": {"CompleteAbort"},
    "CompleteCommit": {"Empty", "Ongoing", "PrepareAbort"},
    "CompleteAbort": {"Empty", "Ongoing", "PrepareAbort"},
}


class TransactionsDriver:
    """A cluster of two brokers, a topic of two partitions, and clients that come and go."""

    def __init__(self, release: str, transaction_version: int | None = None) -> None:
        features = (
            {} if transaction_version is None else {"transaction.version": transaction_version}
        )
        self.now_ms = 1_000_000
        self.cluster = ClusterState(
            Options.for_release(release, features=features),
            [Broker(node_id=n, host="localhost", port=9091 + n) for n in range(1, BROKERS + 1)],
            records=LOG_RECORDS,
            configs=CONFIGS,
            now_ms=self.now_ms,
        )
        self.verifies = self.cluster.options.producer_state.verifies_transactions
        self.cluster.create_topic(
            NewTopic(TOPIC, num_partitions=PARTITIONS, replication_factor=BROKERS)
        )
        self.cluster.create_topic(internal_topic(TRANSACTION_STATE, self.cluster.configs))
        self.clients: list[Client] = []
        self.in_flight: list[InFlight] = []
        self.ended: list[Promised] = []
        self.stable_offsets = [0] * PARTITIONS

    # Clients

    def new_client(self, name: int, *, bumps: bool) -> str:
        """Start a producer, perhaps with a transactional id that another one has."""
        bumps &= self.cluster.options.transaction_version == 2
        self.clients.append(Client(f"id-{name}", bumps))
        return self.init(len(self.clients) - 1, continues=False)

    def init(self, index: int, *, continues: bool) -> str:
        """Ask for a producer id, as a new producer or as one that continues (KIP-360)."""
        client = self.client(index)
        if client is None:
            return "no client"
        coordinator = self.coordinator_of(client)
        expected = client.producer if continues and client.producer.producer_id >= 0 else None
        try:
            producer = coordinator.init_producer_id(
                client.transactional_id, TIMEOUT_MS, self.now_ms, expected=expected
            )
        except ApiError as error:
            return client.note_result("init", error.code)
        client.producer = producer
        client.sequences = {}
        client.transaction = Promised()
        client.is_fenced = False
        return "init NONE"

    def add_partition(self, index: int, partition: int) -> str:
        """Add a partition to the transaction, or begin one with it."""
        client = self.client(index)
        if client is None:
            return "no client"
        try:
            self.coordinator_of(client).add_partitions_to_transaction(
                client.transactional_id,
                client.producer,
                frozenset({TopicPartition(TOPIC, partition)}),
                self.now_ms,
            )
        except ApiError as error:
            return client.note_result("add", error.code)
        client.transaction.partitions.add(partition)
        return "add NONE"

    def produce(self, index: int, partition: int) -> str:
        """Send and append a batch without anything in between."""
        client = self.client(index)
        if (
            client is not None
            and not client.bumps
            and partition not in client.transaction.partitions
        ):
            went = self.add_partition(index, partition)
            if went != "add NONE":
                return went
        went = self.send(index, partition, 0)
        return self.append(-1) if went == "verified" else went

    def send(self, index: int, partition: int, back: int) -> str:
        """Let a batch arrive at its broker, which verifies it with the coordinator if necessary."""
        client = self.client(index)
        if client is None:
            return "no client"
        sequence = client.sequences.get(partition, 0)
        header = batch_header(
            timestamp_ms=self.now_ms,
            producer_id=client.producer.producer_id,
            producer_epoch=client.producer.producer_epoch,
            base_sequence=max(0, sequence - back),
            attributes=TRANSACTIONAL,
        )
        if header.producer_id < 0:
            return "no producer id"
        try:
            guard = self.guard_for(client, partition, header)
        except ApiError as error:
            return client.note_result("verify", error.code)
        self.in_flight.append(InFlight(client, client.transaction, partition, header, guard))
        return "verified"

    def guard_for(
        self, client: Client, partition: int, header: BatchHeader
    ) -> VerificationGuard | None:
        if not self.verifies and not client.bumps:
            return None
        guard = self.log(partition).producers.maybe_start_verification(
            header.producer_id,
            header.base_sequence,
            header.producer_epoch,
            supports_epoch_bump=client.bumps,
            now_ms=self.now_ms,
        )
        if guard is None:
            return None
        coordinator = self.coordinator_of(client)
        named = TopicPartition(TOPIC, partition)
        if client.bumps:
            coordinator.add_partitions_to_transaction(
                client.transactional_id,
                client.producer,
                frozenset({named}),
                self.now_ms,
                client_transaction_version=2,
            )
            client.transaction.partitions.add(partition)
            return guard
        codes = coordinator.verify_partitions_in_transaction(
            client.transactional_id, client.producer, frozenset({named})
        )
        if codes[named] != ErrorCode.NONE:
            raise ApiError(codes[named], "not verified")
        return guard

    def append(self, index: int) -> str:
        """Append one of the waiting batches, and answer its client."""
        if not self.in_flight:
            return "nothing in flight"
        sent = self.in_flight.pop(index % len(self.in_flight))
        log, header = self.log(sent.partition), sent.header
        header.base_offset = log.log_end_offset
        try:
            info = log.append(
                header,
                pack_batch_header(header),
                leader_epoch=self.data_partition(sent.partition).leader_epoch,
                now_ms=self.now_ms,
                verification_guard=sent.guard,
            )
        except ApiError as error:
            return sent.client.note_result("append", error.code)
        if info.is_duplicate:
            return "append duplicate"
        client, transaction = sent.client, sent.transaction
        if (header.producer_id, header.producer_epoch) == client.producer:
            client.sequences[sent.partition] = header.base_sequence + 1
        written = Written(sent.partition, info.base_offset, content_of(header))
        in_time = transaction.is_commit is None and transaction is client.transaction
        is_promised = in_time and sent.partition in transaction.partitions
        (transaction.written if is_promised else transaction.late).append(written)
        return "append NONE"

    def end(self, index: int, *, is_commit: bool) -> str:
        """Commit or abort, and record the promise."""
        client = self.client(index)
        if client is None:
            return "no client"
        try:
            producer = self.coordinator_of(client).end_transaction(
                client.transactional_id,
                client.producer,
                is_commit=is_commit,
                now_ms=self.now_ms,
                client_transaction_version=2 if client.bumps else 0,
            )
        except ApiError as error:
            return client.note_result("end", error.code)
        client.transaction.is_commit = is_commit
        self.ended.append(client.transaction)
        client.transaction = Promised()
        if client.bumps:
            client.producer = producer
            client.sequences = {}
        return f"{'commit' if is_commit else 'abort'} NONE"

    # What else happens

    def do_pending(self, index: int) -> str:
        """Run one item of pending work, not always the oldest."""
        pending = self.cluster.pending
        if not pending:
            return "nothing pending"
        work = pending[index % len(pending)]
        pending.remove(work)
        work.run(self.now_ms)
        return work.name.partition(" ")[0]

    def move_coordinator(self, partition: int) -> str:
        """Let another broker coordinate half of the transactional ids."""
        self.elect(self.existing(TRANSACTION_STATE, partition % 2))
        return "coordinator moved"

    def move_leader(self, partition: int, *, knows_all: bool) -> str:
        """Elect another leader of a data partition, possibly with state from its log only."""
        self.elect(self.data_partition(partition), "full" if knows_all else "from_log")
        return "leader moved"

    def elect(self, partition: Partition, producer_state: ProducerState = "full") -> None:
        broker_id = next(n for n in partition.replicas if n != partition.leader_id)
        elect_leader(
            self.cluster, partition, broker_id, producer_state=producer_state, now_ms=self.now_ms
        )

    def let_time_pass(self, by_ms: int) -> str:
        """Move the clock, and run the timers that expire."""
        self.now_ms += by_ms
        self.cluster.advance_to(self.now_ms)
        return "time passed"

    def settle(self) -> None:
        """Run all pending work, and wait until open transactions have timed out."""
        for _ in range(3):
            self.cluster.run_pending(self.now_ms)
            self.let_time_pass(2 * TIMEOUT_MS)
        self.cluster.run_pending(self.now_ms)

    # What holds at all times

    def check(self) -> None:
        """Check the logs against the rules and the promises."""
        for partition in range(PARTITIONS):
            log = self.log(partition)
            assert self.stable_offsets[partition] <= log.last_stable_offset <= log.high_watermark
            self.stable_offsets[partition] = log.last_stable_offset
            self.check_readers(log)
        self.check_transaction_log()
        self.check_promises()

    def check_readers(self, log: PartitionLog) -> None:
        """Check that read_committed consumers get exactly the committed records, in order."""
        fates = fates_in(log)
        stable = log.last_stable_offset
        assert all(fates[offset] is not None for offset in fates if offset < stable)
        committed = [offset for offset, fate in fates.items() if fate and offset < stable]
        assert list(read_committed(log)) == committed

    def check_transaction_log(self) -> None:
        """Each transactional id goes from state to state as the KIPs draw it."""
        for index in range(2):
            states: dict[str, str] = {}
            for transactional_id, state in self.logged_states(index):
                before = states.get(transactional_id, "Empty")
                assert state in FOLLOWS[before], (transactional_id, before, state)
                states[transactional_id] = state

    def logged_states(self, index: int) -> Iterator[tuple[str, str]]:
        """Yield the states in a partition of the transaction log; `Empty` where one was removed."""
        log = self.existing(TRANSACTION_STATE, index).log
        for data in all_of(log) if log is not None else ():
            for transactional_id, value in LOG_RECORDS.read_transaction_records(data):
                state = TransactionState(0 if value is None else value.state)
                yield transactional_id, state.state_name

    def check_promises(self) -> None:
        """Check that acknowledged records are stored, and promised commits are never aborted."""
        fates = [fates_in(self.log(partition)) for partition in range(PARTITIONS)]
        contents = [contents_of(self.log(partition)) for partition in range(PARTITIONS)]
        for transaction in self.ended:
            for written in (*transaction.written, *transaction.late):
                assert contents[written.partition][written.base_offset] == written.content
            for written in transaction.written:
                fate = fates[written.partition][written.base_offset]
                assert fate in {None, transaction.is_commit}, (written, transaction.is_commit)

    def check_settled(self) -> None:
        """Nothing is undecided any more, where broker and clients make sure of it."""
        for transaction in self.ended:
            for written in transaction.written:
                fate = fates_in(self.log(written.partition))[written.base_offset]
                assert fate == transaction.is_commit, written
        for partition in range(PARTITIONS):
            log = self.log(partition)
            if self.verifies:
                assert log.last_stable_offset == log.high_watermark

    # Where things are

    def client(self, index: int) -> Client | None:
        return self.clients[index % len(self.clients)] if self.clients else None

    def existing(self, topic: str, index: int) -> Partition:
        partition = self.cluster.partition(topic, index)
        assert partition is not None
        return partition

    def data_partition(self, index: int) -> Partition:
        return self.existing(TOPIC, index)

    def log(self, partition: int) -> PartitionLog:
        return self.cluster.log_of(self.data_partition(partition), self.now_ms)

    def coordinator_of(self, client: Client) -> TransactionCoordinator:
        index = coordinator_partition(
            TRANSACTION_STATE, client.transactional_id, self.cluster.configs
        )
        leader_id = self.existing(TRANSACTION_STATE, index).leader_id
        return self.cluster.transaction_coordinator(leader_id)
