"""The coordinators of all brokers: one each, and who leads what of `__transaction_state`."""

from collections.abc import Iterable
from typing import Final

from mockbroker.state.topic.topic import TRANSACTION_STATE, Topic
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.topic_transaction_log import LogHost, TopicTransactionLog
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


class TransactionCoordinators:
    """Every broker's coordinator; what leads a partition of the transaction log owns it."""

    __slots__ = ("_by_broker",)

    def __init__(self, broker_ids: Iterable[int], host: CoordinatorHost, log_host: LogHost) -> None:
        """Make coordinators that own nothing yet; `startup` sets their timers."""
        self._by_broker: Final = {
            broker_id: TransactionCoordinator(
                broker_id, host, TopicTransactionLog(broker_id, log_host)
            )
            for broker_id in broker_ids
        }

    def __getitem__(self, broker_id: int) -> TransactionCoordinator:
        """Return a broker's coordinator."""
        return self._by_broker[broker_id]

    def startup(self, now_ms: int) -> None:
        """Set the timers of all."""
        for coordinator in self._by_broker.values():
            coordinator.startup(now_ms)

    def topic_created(self, topic: Topic) -> None:
        """Let the leaders of the transaction log own what they lead, if the topic is that log."""
        for partition in topic.partitions if topic.name == TRANSACTION_STATE else ():
            self[partition.leader_id].on_election(
                partition.topic_partition.partition, partition.leader_epoch
            )

    def topic_deleted(self, topic: Topic) -> None:
        """Let nobody own what was of the transaction log, if the topic was that log."""
        for partition in topic.partitions if topic.name == TRANSACTION_STATE else ():
            self[partition.leader_id].on_resignation(partition.topic_partition.partition)

    def as_text(self) -> list[str]:
        """Show what each of them knows, in a stable form."""
        return [
            f"coordinator {broker_id}: {line}"
            for broker_id, coordinator in sorted(self._by_broker.items())
            for line in coordinator.as_text()
        ]
