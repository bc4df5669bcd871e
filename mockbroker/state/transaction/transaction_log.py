"""The transaction log as a coordinator sees it: a port to `__transaction_state`."""

from collections.abc import Iterable
from typing import Protocol

from mockbroker.state.transaction.transaction_log_value import TransactionLogValue


class TransactionLog(Protocol):
    """Where transitions are written before they happen, and read back by the next coordinator."""

    def append(
        self,
        partition_index: int,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        coordinator_epoch: int,
        now_ms: int,
    ) -> None:
        """Append one record to a partition of `__transaction_state`; without a value, a tombstone.

        `coordinator_epoch` is the leader epoch under which this broker has loaded the partition.

        Raises:
            ApiError: with the code with which the append failed, such as NOT_LEADER_OR_FOLLOWER,
                NOT_ENOUGH_REPLICAS or MESSAGE_TOO_LARGE; the coordinator turns it into the code
                that clients see. Nothing was appended, unless it is
                NOT_ENOUGH_REPLICAS_AFTER_APPEND.

        """
        ...

    def read(self, partition_index: int) -> Iterable[tuple[str, TransactionLogValue | None]]:
        """Yield the records of a partition in order: id and value, None for tombstones."""
        ...
