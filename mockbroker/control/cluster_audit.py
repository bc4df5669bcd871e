"""Audit of a cluster's own journal, for tests."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from mockbroker.audit.rules.records.load_rules import Found, Sent
    from mockbroker.report.journal_verdict import JournalVerdict

T = TypeVar("T")


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
        found: "Iterable[Found] | Iterable[Mapping[str, object]] | None" = None,
    ) -> "JournalVerdict":
        """Judge the journal by all rules of the audit; findings raise no error.

        The verdict's `to_html()` is a page with pictures of the findings.

        The input are the entries in memory. If some were dropped, the complete folder is judged,
        provided the journal has one that is finished (`cluster.journal.stop()`, or a stopped
        cluster); otherwise `unknown` of the verdict names the missing part.

        `identity` is what identifies a record: `key`, `value`, `header:NAME`, or `json:PATH` for a
        field of the value. The same identity twice in a topic, or with `across_topics` in any, is a
        finding, if read_committed consumers see both. `off` says that records have no identity.
        Without `identity` such duplicates are not judged, unless the journal has the identities of
        its records, and the verdict is not clean. `sent` (the ledger of a load) and `found`
        (records that consumers found) are joined by their ids. With the identity `column:NAME`,
        `found` are mappings, or rows of a data frame, with `topic`, `partition`, `offset`, `NAME`.

        Raises:
            ValueError: `identity` is none, or found rows lack its column.
            RuntimeError: the cluster has not been started yet, its journal has never been on, or
                records are to be read and it has stopped.

        """
        # Imported late: the rules of the audit are many modules.
        from mockbroker.report.journal_verdict import WantedAudit, audit_of

        wanted = WantedAudit(identity, across_topics, sent, found)
        return audit_of(self._cluster.started.journal, wanted, self._read)

    def _read(self, look: Callable[[ClusterState, int], T]) -> T:
        return self._cluster.control.read(look)
