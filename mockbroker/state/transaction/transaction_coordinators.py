"""The coordinators of all brokers for transactions."""

from collections.abc import Iterable

from mockbroker.state.coordinator_log import LogHost
from mockbroker.state.coordinators import Coordinators
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.topic_transaction_log import TopicTransactionLog
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


def transaction_coordinators(
    broker_ids: Iterable[int], host: CoordinatorHost, log_host: LogHost
) -> Coordinators[TransactionCoordinator]:
    """Make a coordinator for each broker, which owns what it leads of the transaction log."""
    return Coordinators(
        "coordinator",
        TRANSACTION_STATE,
        {
            broker_id: TransactionCoordinator(
                broker_id, host, TopicTransactionLog(broker_id, log_host)
            )
            for broker_id in broker_ids
        },
    )
