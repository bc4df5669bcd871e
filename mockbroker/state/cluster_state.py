"""The root of the state, one object per cluster: brokers, topics, logs, configs and timers.

Invariants:

1. The constructor is cheap: logs open on first use, tables are read on demand.
2. Everything is checked before anything changes: a refusal leaves `as_text()` as it was, except for
   random numbers used, and for verifications begun, which a real leader keeps as well (KIP-890).
3. Work that a real broker does a moment after its answer waits in `pending`, in order. The service
   runs it after the answer is written; a test can inspect the state between the two.
"""

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ApiError
from mockbroker.state.clock import ClientClock
from mockbroker.state.config.broker_security_configs import AUTHORIZER_CLASS
from mockbroker.state.config.configuration_control import ConfigurationControlManager
from mockbroker.state.config.initial_configs import initial_configs
from mockbroker.state.coordinator.coordinators import (
    group_coordinators,
    share_coordinators,
    transaction_coordinators,
)
from mockbroker.state.coordinator.holds import HeldDeadLetters, HeldEndings, HeldReconciliations
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log_sweeps import LogSweeps
from mockbroker.state.observation import Observation
from mockbroker.state.producer.producer_id_manager import ProducerIdManager
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.random_source import RandomSource, uuid_text
from mockbroker.state.release.options import Options
from mockbroker.state.replication.broker import Broker, BrokerState
from mockbroker.state.replication.high_watermark import update_high_watermark
from mockbroker.state.replication.log_dirs import LogDirs
from mockbroker.state.replication.moving_partitions import MovingPartitions
from mockbroker.state.timers import PendingWork, Timers
from mockbroker.state.topic.replication_control import (
    NewTopic,
    PlannedTopic,
    ReplicationControlManager,
)
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Partition, Topic
from mockbroker.state.topic.topic_registry import TopicRegistry

if TYPE_CHECKING:
    from mockbroker.state.client.clients import Clients
    from mockbroker.state.coordinator.log_records import LogRecords
    from mockbroker.state.group.group_coordinator import GroupCoordinator
    from mockbroker.state.log.partition_log import PartitionLog
    from mockbroker.state.producer.end_txn_marker import EndTxnMarker
    from mockbroker.state.share.share_coordinator import ShareCoordinator
    from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


_REPLICATION: Final = "mockbroker.state.replication.replication"
"""Loaded by name: it imports this module, and few clusters have brokers that lag."""


class ClusterState:
    """The complete state of a cluster. Not thread-safe: one event loop owns it.

    `fenced` has the brokers that are not part of the cluster at present, with their states.
    """

    def __init__(
        self,
        options: Options,
        brokers: Sequence[Broker],
        *,
        records: "LogRecords",
        configs: Mapping[str, str] | None = None,
        configs_by_broker: Mapping[int, Mapping[str, str]] | None = None,
        seed: int = 0,
        now_ms: int = 0,
        client_clock: ClientClock | None = None,
    ) -> None:
        """Create a cluster without topics.

        `records` builds and reads the records that brokers write into logs themselves. `configs`
        are validated broker configs (`check_broker_configs`) shared by all brokers;
        `configs_by_broker` are those of single brokers, such as listeners. Clients stamp their
        records by `client_clock`.
        """
        self.options = options = options.with_configs(configs or {})
        self.records = records
        self.observation = Observation()
        self.brokers: dict[int, Broker] = {broker.node_id: broker for broker in brokers}
        self.fenced: dict[int, BrokerState] = {}
        self.lagging: set[int] = set()
        """The brokers that fetch from no leader at present, although they run."""
        self.controller_id, self.seed, self.random = min(self.brokers), seed, RandomSource(seed)
        self.cluster_id = uuid_text(self.random.uuid())
        self.metadata_revision = 0
        """Counts changes of brokers and configs in Metadata; `topics.revision` counts the rest."""
        self.timers, self.producer_ids = Timers(now_ms), ProducerIdManager()
        self.pending: deque[PendingWork] = deque()
        self.configs = initial_configs(
            options, sorted(self.brokers), configs or {}, configs_by_broker or {}
        )
        self.replication = ReplicationControlManager(
            options, sorted(self.brokers), self.configs, self.random, fenced=self.fenced
        )
        self.configuration = ConfigurationControlManager(
            options, self.configs, self.topics, self.configs_changed
        )
        self.logs: dict[Partition, PartitionLog] = {}
        """The logs that are open."""
        self.appended: Callable[[Partition], None] = _nobody_watches
        """Called with every partition to which brokers append themselves, as with markers."""
        self.answered: Callable[[Hashable], None] = _nobody_watches
        """Called with every delayed answer that is ready, as for group members."""
        self._begin(now_ms, client_clock or ClientClock())

    def _begin(self, now_ms: int, client_clock: ClientClock) -> None:
        self.started_ms, self._client_clock = now_ms, client_clock
        self.budget = MemoryBudget(self.configs.broker_integer("mockbroker.memory.bytes"))
        self._producer_options = self._read_producer_options()
        self._clients: Clients | None = None
        has_authorizer = bool(self.configs.broker_value(AUTHORIZER_CLASS))
        self.authorizer = self.clients.authorizer if has_authorizer else None
        self.log_dirs = LogDirs(self.configs, self.topics, self.options.cluster_admin)
        self.moving = MovingPartitions(self.defer)
        self.held_endings, self.held_reconciliations = HeldEndings(), HeldReconciliations()
        self.held_dead_letters = HeldDeadLetters()
        self._transactions = transaction_coordinators(self, self, now_ms)
        self._groups = group_coordinators(self, self, now_ms)
        self._shares = share_coordinators(self, now_ms)
        self._coordinators = (self._transactions, self._groups, self._shares)
        LogSweeps(self.configs, self.timers, self.logs, self.fenced).startup(now_ms)

    @property
    def topics(self) -> TopicRegistry:
        """The topics that exist."""
        return self.replication.topics

    @property
    def clients(self) -> "Clients":
        """The quotas, the credentials and the rights of clients, created on first use."""
        if self._clients is None:
            # Imported late: few clients set quotas or credentials.
            from mockbroker.state.client.clients import Clients

            self._clients = Clients(self.options.quotas, self.options.security, self.configs)
        return self._clients

    # Brokers

    @property
    def alive_brokers(self) -> list[Broker]:
        """The brokers that are not fenced."""
        return [broker for broker in self.brokers.values() if broker.node_id not in self.fenced]

    def set_endpoint(
        self,
        broker_id: int,
        host: str,
        port: int,
        others: Mapping[str, tuple[str, int]] | None = None,
    ) -> None:
        """Set a broker's endpoints: that of its main listener, and others by listener name."""
        self.brokers[broker_id] = self.brokers[broker_id]._replace(
            host=host, port=port, others=others or {}
        )
        self.metadata_revision += 1

    def finalize_feature(self, name: str, level: int) -> None:
        """Set a feature to a validated level, with immediate effect."""
        options = self.options.with_feature(name, level)
        if options.features != self.options.features:
            self.options = options._replace(
                finalized_features_epoch=options.finalized_features_epoch + 1
            )
            self.configuration.options_changed(self.options)

    # Partitions and logs

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None if the topic or partition does not exist."""
        found = self.replication.topics.by_name.get(topic)
        return None if found is None else found.partition(index)

    def log_of(self, partition: Partition, now_ms: int) -> "PartitionLog":
        """Return the log of a partition; the first call opens it."""
        log = partition.log
        if log is None:
            # Imported late: a start opens no log.
            from mockbroker.state.log.partition_log import PartitionLog

            log = PartitionLog(
                partition.topic_partition,
                partition.config.log,
                budget=self.budget,
                producer_options=self._producer_options,
                now_ms=now_ms,
                observation=self.observation,
                clients=self._client_clock,
            )
            log.assign_leader_epoch(partition.leader_epoch)
            partition.log = log
            self.logs[partition] = log
            if self.lagging:
                import_module(_REPLICATION).hold_back(self, partition, now_ms=now_ms)
            update_high_watermark(self.options, partition, self.observation)
        return log

    # Coordinators

    def transaction_coordinator(self, broker_id: int) -> "TransactionCoordinator":
        """Return a broker's transaction coordinator."""
        return self._transactions[broker_id]

    def group_coordinator(self, broker_id: int) -> "GroupCoordinator":
        """Return a broker's group coordinator."""
        return self._groups[broker_id]

    def share_coordinator(self, broker_id: int) -> "ShareCoordinator":
        """Return a broker's share coordinator."""
        return self._shares[broker_id]

    def leader_elected(self, partition: Partition, previous_id: int) -> None:
        """Transfer a partition to the coordinators of its new leader, which load it."""
        if self.observation.reporter is not None:
            self.observation.reporter.leader_elected(partition, previous_id)
        for coordinators in self._coordinators:
            coordinators.leader_elected(partition, previous_id)
        self.try_markers_again()

    def try_markers_again(self) -> None:
        """Queue immediate retries of markers that wait for a leader or its replicas."""
        for coordinator in self._transactions:
            coordinator.markers.leaders_changed()

    def append_end_txn_marker(
        self, partition: Partition, marker: "EndTxnMarker", *, transaction_version: int, now_ms: int
    ) -> None:
        """Append the marker that ends a transaction in a partition, on its leader.

        The group offsets of the transaction are then committed or dropped.

        Raises:
            ApiError: as `marker_append.append_end_txn_marker`.

        """
        # Imported late: only transactions have markers.
        from mockbroker.state.replication.marker_append import append_end_txn_marker

        append_end_txn_marker(
            self, partition, marker, transaction_version=transaction_version, now_ms=now_ms
        )
        topic, index = partition.topic_partition
        if topic == CONSUMER_OFFSETS:
            self._groups[partition.leader_id].complete_transaction(index, marker, now_ms)
        self.appended(partition)

    # Topics

    def create_topic(self, new_topic: NewTopic) -> Topic:
        """Create a topic at once.

        Raises:
            ApiError: as `ReplicationControlManager.plan_topic`.

        """
        return self.create_planned_topic(self.replication.plan_topic(new_topic))

    def create_planned_topic(self, planned: PlannedTopic) -> Topic:
        """Create a validated topic; if it is a coordinators' log, they begin to load."""
        topic = self.replication.create_topic(planned)
        reporter = self.observation.reporter
        if reporter is not None:
            reporter.topic_created(topic.name, topic.topic_id, len(topic.partitions))
        for coordinators in self._coordinators:
            coordinators.topic_created(topic)
        return topic

    def create_topic_later(self, new_topic: NewTopic) -> None:
        """Create a topic right after the answer, as Kafka auto-creates topics that clients request.

        If the topic cannot be created, or exists by then, nothing happens.
        """

        def create(_now_ms: int) -> None:
            if new_topic.name not in self.topics:
                with suppress(ApiError):
                    self.create_topic(new_topic)

        self.defer(f"CreateTopics {new_topic.name}", create)

    def delete_topic(self, topic: Topic) -> None:
        """Delete a topic and its logs."""
        for partition in topic.partitions:
            self.logs.pop(partition, None)
        self.moving.topic_deleted(topic)
        for coordinators in self._coordinators:
            coordinators.topic_deleted(topic)
        self.replication.delete_topic(topic)
        if self.observation.reporter is not None:
            self.observation.reporter.topic_deleted(topic.name, topic.topic_id)
        for keeper in (*self._shares, *(coordinator.shares for coordinator in self._groups)):
            keeper.on_topic_deleted(topic.topic_id)
        if any(coordinator.groups.forgotten_topic(topic.name) for coordinator in self._groups):
            self.defer(f"ForgetOffsets {topic.name}", partial(self._forget_offsets, topic.name))

    def _forget_offsets(self, topic: str, now_ms: int) -> None:
        for coordinator in self._groups:
            coordinator.forget_topic(topic, now_ms)

    # Configs

    def configs_changed(self, topic: str | None = None) -> None:
        """Apply changed configs: those of one topic, or of all topics for a broker config."""
        self.metadata_revision += 1
        for name in list(self.topics.by_name) if topic is None else [topic]:
            found = self.topics.get(name)
            for partition in found.partitions if found is not None else ():
                partition.config = self.configs.topic_config(name, partition.leader_id)
                for log in partition.own_logs():
                    log.reconfigure(partition.config.log)
                if partition.log is not None:
                    update_high_watermark(self.options, partition, self.observation)
        self.moving.configs_changed()
        if topic is None:
            self._producer_options = self._read_producer_options()
            for log in (each for partition in self.logs for each in partition.own_logs()):
                log.producers.options = self._producer_options

    def _read_producer_options(self) -> ProducerStateOptions:
        options, configs = self.options.producer_state, self.configs
        return options._replace(
            verifies_transactions=options.verifies_transactions
            and configs.broker_flag("transaction.partition.verification.enable"),
            duplicate_without_metadata=self.options.duplicate_without_metadata,
            producer_id_expiration_ms=configs.broker_integer(
                self.options.producer_expiration_config
            ),
        )

    def advance_to(self, now_ms: int) -> list[str]:
        """Run every expired timer, and return their names in the order in which they ran."""
        return self.timers.advance_to(now_ms)

    def clock_moved(self) -> None:
        """Update the logs after the clock jumped, stopped or resumed without the clients' clock."""
        for log in (each for partition in self.logs for each in partition.own_logs()):
            log.segments.active.ask_always()

    def next_deadline_ms(self) -> int | None:
        """Return the deadline of the next timer, or None."""
        return self.timers.next_deadline_ms()

    # Pending work

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Schedule pending work to run right after the current answer."""
        self.pending.append(PendingWork(name, run))

    def run_pending(self, now_ms: int, *, at_most: int | None = None) -> list[str]:
        """Run all pending work in order, or its first `at_most` entries; return their names.

        If one raises, the rest still runs; then the first exception is raised.
        """
        ran: list[str] = []
        failures: list[Exception] = []
        while self.pending and (at_most is None or len(ran) < at_most):
            work = self.pending.popleft()
            try:
                work.run(now_ms)
            except Exception as failure:  # noqa: BLE001 - raised to the caller below
                failures.append(failure)
            ran.append(work.name)
        if failures:
            raise failures[0]
        return ran

    def as_text(self) -> str:
        """Return the whole state as text in a stable form: equal texts mean equal clusters."""
        lines = [f"cluster {self.cluster_id} random {self.random.state}"]
        lines += [repr(each) for each in (*self.brokers.values(), *self.options.features)]
        lines += [f"broker {broker_id} {state}" for broker_id, state in self.fenced.items()]
        lines += [f"broker {broker_id} lags" for broker_id in sorted(self.lagging)]
        lines += self.producer_ids.as_text()
        lines += [f"pending {work.name}" for work in self.pending]
        lines += [self.configs.as_text(), *self.log_dirs.as_text(), *self.moving.as_text()]
        lines += [] if self._clients is None else self._clients.as_text()
        held = self.held_endings, self.held_reconciliations, self.held_dead_letters
        lines += [line for each in (*self._coordinators, *held) for line in each.as_text()]
        for topic in sorted(self.topics, key=lambda topic: topic.name):
            lines += topic.as_text()
        return "\n".join(lines)


def _nobody_watches(_what: object) -> None:
    """Do nothing: the default for `appended` and `answered` until a service sets them."""
