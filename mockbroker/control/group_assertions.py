"""Assertions of a test about the groups of a cluster, by its journal."""

from typing import TYPE_CHECKING

from mockbroker.broker.stored_records import IsolationLevel, partitions_of, stored_records
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.share.share_settings import share_settings

if TYPE_CHECKING:
    from mockbroker.audit.rules.groups.delivery_rules import DeliveryPlace


class GroupAssertions:
    """Assertions of a cluster's handle about groups of any kind."""

    def __init__(self, access: ClusterAccess) -> None:
        """Take the access to the cluster."""
        self._cluster = access

    def assert_no_partition_owned_twice(self, group: str) -> None:
        """Check that no partition was owned by two members of a group at the same time.

        A member owns what it was assigned until it has given it up, or was removed from the group.
        In a streams group, active tasks count. In a classic group, the leader's client assigns, so
        this finds faults of its assignor. The members of a share group share partitions.

        Raises:
            LookupError: no member of the group was assigned partitions.
            RuntimeError: the journal is off, or has dropped entries.

        """
        __tracebackhide__ = True
        self._refuse(
            f"assert_no_partition_owned_twice({group!r}): two members owned a partition",
            "ownership",
            group,
        )

    def assert_no_record_delivered_beyond_limit(self, group: str) -> None:
        """Check that a share group delivered no record more often than its limit allows.

        The limit is that of the group at the time (`share.delivery.count.limit`, 5 by default).

        Raises:
            LookupError: no member of the group has acquired records.
            RuntimeError: the journal is off, or has dropped entries.

        """
        __tracebackhide__ = True
        self._refuse(
            f"assert_no_record_delivered_beyond_limit({group!r}): records were delivered too often",
            "deliveries",
            group,
        )

    def assert_each_record_acknowledged_once(self, group: str) -> None:
        """Check that a share group's members have accepted or rejected each record, and once.

        It covers the partitions that members have fetched from, from the offset at which the group
        began. Records that the group cannot read count for nothing: aborted ones, if its
        `share.isolation.level` is read_committed. A record that reached the delivery limit without
        being accepted or rejected is a failure.

        Raises:
            LookupError: no member of the group has acquired records.
            RuntimeError: the journal is off, or has dropped entries.

        """
        __tracebackhide__ = True
        self._refuse(
            f"assert_each_record_acknowledged_once({group!r}): not acknowledged once",
            "acknowledgements",
            group,
        )

    def _refuse(self, claim: str, check: str, group: str) -> None:
        """Raise an error with the findings of a check, if there are any.

        Raises:
            ClusterAssertionError: there are findings.

        """
        __tracebackhide__ = True
        # Imported late: the rules of the audit are many modules.
        from mockbroker.control.assertions.group_checks import CHECKS

        entries = self._cluster.running.journal.complete_entries()
        findings = CHECKS[check](entries, group, self._readable)
        if findings:
            raise ClusterAssertionError(claim, findings)

    def _readable(self, place: "DeliveryPlace") -> list[int]:
        """Return the offsets of a partition's records that a share group can read."""

        def offsets(cluster: ClusterState, now_ms: int) -> list[int]:
            (partition,) = partitions_of(cluster, place.topic, place.partition)
            settings = share_settings(cluster.configs, place.group, partition.leader_id)
            isolation: IsolationLevel = (
                "read_committed" if settings.is_read_committed else "read_uncommitted"
            )
            records = stored_records(cluster, partition, isolation, now_ms)
            return [each.offset for each in records]

        return self._cluster.control.read(offsets)
