"""Audit of a cluster's own journal, for tests."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from mockbroker.audit.identity.record_identity import RecordIdentity
    from mockbroker.audit.rules.load_rules import Found, Sent
    from mockbroker.report.journal_verdict import JournalVerdict


class ClusterAudit:
    """Part of a cluster's handle that audits its journal."""

    def __init__(self, access: ClusterAccess) -> None:
        """Audit a cluster."""
        self._cluster = access

    def audit(
        self,
        *,
        identity: str | None = None,
        across_topics: bool = False,
        sent: "Iterable[Sent] | None" = None,
        found: "Iterable[Found] | None" = None,
    ) -> "JournalVerdict":
        """Judge the journal by all rules of the audit; findings raise no error.

        The verdict's `to_html()` is a page with pictures of the findings.

        The input are the entries in memory. If some were dropped, the complete folder is judged,
        provided the journal has one that is finished (`cluster.journal.stop()`, or a stopped
        cluster); otherwise `unknown` of the verdict names the missing part.

        `identity` is what identifies a record: `key`, `header:NAME`, or `json:PATH` for a field of
        the value. The same identity twice in a topic, or with `across_topics` in any, is a finding,
        if read_committed consumers see both. `off` says that records have no identity. Without
        `identity` such duplicates are not judged, and the verdict is not clean. `sent` (the ledger
        of a load) and `found` (records that consumers found) are joined by the ids that they name.

        Raises:
            ValueError: `identity` is none.
            RuntimeError: the cluster has not been started yet, its journal has never been on, or
                records are to be read and it has stopped.

        """
        # Imported late: the rules of the audit are many modules.
        from mockbroker.audit.identity.record_identity import identity_of
        from mockbroker.audit.local import RecordIds
        from mockbroker.report.journal_verdict import journal_verdict

        wanted = None if identity is None else identity_of(identity)
        journal = self._cluster.started.journal
        if wanted is not None and found is None:
            found = self._found(wanted)
        return journal_verdict(journal, RecordIds(sent, found, identity, across_topics))

    def _found(self, identity: "RecordIdentity") -> "list[Found]":
        # Imported late: as above.
        from mockbroker.audit.identity.visible_ids import visible_ids

        def read(cluster: ClusterState, now_ms: int) -> "list[Found]":
            return list(visible_ids(cluster, identity, now_ms))

        return self._cluster.control.read(read)
