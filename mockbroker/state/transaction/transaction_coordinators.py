"""The transaction coordinators of all brokers."""

from typing import TYPE_CHECKING

from mockbroker.state.coordinator.coordinators import Coordinators
from mockbroker.state.topic.topic import TRANSACTION_STATE

if TYPE_CHECKING:
    from mockbroker.state.coordinator.coordinator_log import LogHost
    from mockbroker.state.transaction.coordinator_host import CoordinatorHost
    from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


def transaction_coordinators(
    host: "CoordinatorHost", log_host: "LogHost", now_ms: int
) -> "Coordinators[TransactionCoordinator]":
    """Return a coordinator per broker, which owns the partitions of the log that it leads."""

    def make(broker_id: int) -> "TransactionCoordinator":
        from mockbroker.state.transaction.topic_transaction_log import TopicTransactionLog
        from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator

        return TransactionCoordinator(broker_id, host, TopicTransactionLog(broker_id, log_host))

    return Coordinators("coordinator", TRANSACTION_STATE, make, now_ms)
