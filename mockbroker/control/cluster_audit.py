"""Audit of a cluster's own journal, for tests."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mockbroker.control.running_cluster import ClusterAccess

FOLD_FROM: Final = 20_000
"""From how many entries on it is quicker to fold them, where that is installed."""

if TYPE_CHECKING:
    from mockbroker.audit.rules.load_rules import Found, Sent
    from mockbroker.audit.verdict import Verdict
    from mockbroker.journal.journal import Journal


class ClusterAudit:
    """Part of a cluster's handle that audits its journal."""

    def __init__(self, access: ClusterAccess) -> None:
        """Audit a cluster."""
        self._cluster = access

    def audit(
        self, *, sent: "Iterable[Sent] | None" = None, found: "Iterable[Found] | None" = None
    ) -> "Verdict":
        """Judge the journal by all rules of the audit; findings raise no error.

        The input are the entries in memory. If some were dropped, the complete folder is judged,
        provided the journal has one that is finished (`cluster.journal.stop()`, or a stopped
        cluster); otherwise `unknown` of the verdict names the missing part. `sent` (the ledger of a
        load) and `found` (records that read_committed consumers found) are joined by the ids of
        records.

        Raises:
            RuntimeError: the cluster has not been started yet, or its journal has never been on.

        """
        verdict = _judged(self._cluster.started.journal)
        if sent is None and found is None:
            return verdict
        from mockbroker.audit.rules.load_rules import judge_load

        return judge_load(verdict, sent, found)


def _judged(journal: "Journal") -> "Verdict":
    """Judge the entries, all or the remaining ones, and add the missing part."""
    from mockbroker.audit import journal_runs, judge
    from mockbroker.audit.local import audit_folder, audit_tables, can_fold
    from mockbroker.audit.source import A_JOURNAL

    dropped = journal.dropped
    if dropped and journal.folder is not None and not journal.is_on:
        return audit_folder(journal.folder)
    if not dropped and len(journal) >= FOLD_FROM and can_fold():
        return audit_tables([journal.table()])
    entries = journal.entries()
    verdict = judge(journal_runs(entries), A_JOURNAL._replace(events=len(entries)))
    if not dropped:
        return verdict
    begin = f"before entry {entries[0].seq}" if entries else "so far"
    text = f"what happened {begin}: memory dropped {dropped} entries of the journal"
    return verdict._replace(unknown=(text, *verdict.unknown))
