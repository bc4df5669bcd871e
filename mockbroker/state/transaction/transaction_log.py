"""Port of a coordinator to the transaction log, `__transaction_state`."""

from collections.abc import Iterable
from typing import Protocol

from mockbroker.state.transaction.transaction_log_value import TransactionLogValue


class TransactionLog(Protocol):
    """The log of transitions, written before they take effect, read by the next coordinator."""

    def append(
        self,
        partition_index: int,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        coordinator_epoch: int,
        now_ms: int,
    ) -> None:
        """Append one record to a partition of `__transaction_state`; None is a tombstone.

        `coordinator_epoch` is the leader epoch under which this broker has loaded the partition.

        Raises:
            ApiError: the code of the failed append, such as NOT_LEADER_OR_FOLLOWER,
                NOT_ENOUGH_REPLICAS or MESSAGE_TOO_LARGE; the coordinator maps it to the code that
                clients see. Nothing was appended, except with NOT_ENOUGH_REPLICAS_AFTER_APPEND.

        """
        ...

    def read(self, partition_index: int) -> Iterable[tuple[str, TransactionLogValue | None]]:
        """Yield the records of a partition in order: id and value, None for tombstones."""
        ...
