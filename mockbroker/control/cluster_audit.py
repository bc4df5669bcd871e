"""Audit of a cluster's own journal, for tests."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mockbroker.control.running_cluster import ClusterAccess

if TYPE_CHECKING:
    from mockbroker.audit.rules.load_rules import Found, Sent
    from mockbroker.report.journal_verdict import JournalVerdict


class ClusterAudit:
    """Part of a cluster's handle that audits its journal."""

    def __init__(self, access: ClusterAccess) -> None:
        """Audit a cluster."""
        self._cluster = access

    def audit(
        self, *, sent: "Iterable[Sent] | None" = None, found: "Iterable[Found] | None" = None
    ) -> "JournalVerdict":
        """Judge the journal by all rules of the audit; findings raise no error.

        The verdict's `to_html()` is a page with pictures of the findings.

        The input are the entries in memory. If some were dropped, the complete folder is judged,
        provided the journal has one that is finished (`cluster.journal.stop()`, or a stopped
        cluster); otherwise `unknown` of the verdict names the missing part. `sent` (the ledger of a
        load) and `found` (records that read_committed consumers found) are joined by the ids of
        records.

        Raises:
            RuntimeError: the cluster has not been started yet, or its journal has never been on.

        """
        # Imported late: the rules of the audit are many modules.
        from mockbroker.report.journal_verdict import journal_verdict

        return journal_verdict(self._cluster.started.journal, sent, found)
