"""One partition of a running cluster, as a test looks at it and has leaders elected."""

from mockbroker.control.partition_events import PartitionEvents


class PartitionHandle(PartitionEvents):
    """A partition by its topic and number; every property is read anew.

    Raises:
        LookupError: by any of its members, while there is no such partition.

    """

    @property
    def leader(self) -> int:
        """The id of the broker that leads it; -1 while nobody can."""
        return self._read(lambda partition: partition.leader_id)

    @property
    def leader_epoch(self) -> int:
        """How often a leader was elected, counted from 0."""
        return self._read(lambda partition: partition.leader_epoch)

    @property
    def replicas(self) -> tuple[int, ...]:
        """The ids of the brokers that hold it, the preferred leader first."""
        return self._read(lambda partition: partition.replicas)

    @property
    def in_sync_replicas(self) -> tuple[int, ...]:
        """The ids of the brokers that have all of it, the leader among them."""
        return self._read(lambda partition: partition.in_sync_replicas)

    @property
    def log_start_offset(self) -> int:
        """The first offset that can be read."""
        return self._of_log(lambda log: log.log_start_offset)

    @property
    def last_stable_offset(self) -> int:
        """The offset up to which read_committed reads: all before it is decided."""
        return self._of_log(lambda log: log.last_stable_offset)

    @property
    def high_watermark(self) -> int:
        """The offset up to which consumers read."""
        return self._of_log(lambda log: log.high_watermark)

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record will have."""
        return self._of_log(lambda log: log.log_end_offset)
