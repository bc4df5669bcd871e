"""Assertions of a test about the groups of a cluster, by its journal."""

from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.control.running_cluster import ClusterAccess


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
        # Imported late: the rules of the audit are many modules.
        from mockbroker.control.assertions.group_checks import ownership_findings

        findings = ownership_findings(self._cluster.running.journal.complete_entries(), group)
        if findings:
            raise ClusterAssertionError(
                f"assert_no_partition_owned_twice({group!r}): two members owned a partition",
                findings,
            )
