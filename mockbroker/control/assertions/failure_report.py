"""Report of a failed test as a page: what of its clusters is shown, and in which file."""

import re
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from mockbroker.audit.cluster.partition_view import chosen_partitions
from mockbroker.audit.finding import Finding
from mockbroker.control.assertions.failure import ClusterAssertionError, failure_text
from mockbroker.control.assertions.failure_sections import failure_sections
from mockbroker.journal.entry import Entry
from mockbroker.report.failure_page import FailedCluster, FailedTest, failure_page
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.transaction_state import BETWEEN_TRANSACTIONS
from mockbroker.timeline.known_transactions import known_transactions
from mockbroker.timeline.partition_timeline import OVERVIEW, partition_timeline
from mockbroker.timeline.timeline import Timeline, count_text
from mockbroker.timeline.transaction_timeline import transaction_timeline

if TYPE_CHECKING:
    from mockbroker.control.cluster_handle import ClusterHandle

PARTITIONS_MAX: Final = 20
"""Maximum number of partitions in a page: those of findings, or with records."""
TRANSACTIONS_MAX: Final = 5
"""Maximum number of transactional ids in a page: those of findings, and those that are open."""
_ENTRIES_READ: Final = 20_000
_NAME_MAX: Final = 120


class TestOutcome(Protocol):
    """Parts of pytest's report that a page shows."""

    nodeid: str

    @property
    def longreprtext(self) -> str:
        """The failure as pytest prints it."""
        ...


def written_report(
    folder: Path,
    outcome: TestOutcome,
    failure: BaseException,
    clusters: Iterable["ClusterHandle"],
) -> str:
    """Write the page of a failed test, and return its address; or why it could not be written."""
    findings: Sequence[Finding] = ()
    text = str(failure) or type(failure).__name__
    if isinstance(failure, ClusterAssertionError):
        findings = failure.findings
        text = failure_text(failure.claim, findings)
    page = failure_page(
        FailedTest(
            name=outcome.nodeid,
            failure=text,
            trace=outcome.longreprtext,
            clusters=[failed_cluster(each, findings, str(failure)) for each in clusters],
        )
    )
    path = folder.resolve() / file_name(outcome.nodeid)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8", errors="replace")
    except OSError as error:
        return f"not written: {error}"
    return path.as_uri()


def file_name(nodeid: str) -> str:
    """Return a name for the page of a test, which no other test of the run has."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", nodeid).strip("-.")[-_NAME_MAX:].lstrip("-.")
    return f"{readable}-{sha256(nodeid.encode(errors='replace')).hexdigest()[:8]}.html"


def failed_cluster(
    cluster: "ClusterHandle", findings: Sequence[Finding], failure: str
) -> FailedCluster:
    """Return what a page shows of a cluster: pictures of what a failure concerns, and texts."""
    entries = cluster.journal.entries(_ENTRIES_READ) if cluster.journal.is_on else []

    def look(state: ClusterState, _now_ms: int) -> FailedCluster:
        concerned = _concerned_partitions(state, findings, failure)
        known = known_transactions(state)
        shown = concerned[:PARTITIONS_MAX]
        more = len(concerned) - len(shown)
        return FailedCluster(
            partitions=[
                partition_timeline(state, each, OVERVIEW, findings=findings, known=known)
                for each in shown
            ],
            transactions=_transactions(state, findings, entries),
            notes=[f"{count_text(more, 'more partition')} not shown"] if more > 0 else [],
            sections={},
        )

    sections = failure_sections(cluster, failure)
    texts = {name: text for name, text in sections.items() if name != "timeline"}
    try:
        looked = cluster.look(look)
    except RuntimeError as error:
        return FailedCluster(notes=[str(error)], sections=texts)
    return FailedCluster(
        partitions=looked.partitions,
        transactions=looked.transactions,
        notes=looked.notes,
        sections=texts,
    )


def _concerned_partitions(
    state: ClusterState, findings: Sequence[Finding], failure: str
) -> list[Partition]:
    """Return the partitions of findings; or those with records, the named topics first."""
    written = [each for each in chosen_partitions(state, None) if _has_records(each)]
    places = {(each.topic, each.partition) for each in findings if each.topic}
    whole = {topic for topic, index in places if index is None}
    if found := [each for each in written if _is_in(each, places, whole)]:
        return found
    return sorted(written, key=lambda each: each.topic_partition.topic not in failure)


def _is_in(partition: Partition, places: Collection[object], whole: Collection[object]) -> bool:
    topic, index = partition.topic_partition
    return topic in whole or (topic, index) in places


def _has_records(partition: Partition) -> bool:
    return partition.log is not None and partition.log.log_end_offset > 0


def _transactions(
    state: ClusterState, findings: Sequence[Finding], entries: Sequence[Entry]
) -> list[Timeline]:
    opened = sorted(
        each.metadata.transactional_id
        for coordinator in map(state.transaction_coordinator, state.brokers)
        for each in coordinator.states
        if each.metadata.state not in BETWEEN_TRANSACTIONS
    )
    named = [each.transactional_id for each in findings if each.transactional_id is not None]
    shown = list(dict.fromkeys([*named, *opened]))[:TRANSACTIONS_MAX]
    return [transaction_timeline(state, each, entries) for each in shown]
