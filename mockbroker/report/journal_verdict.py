"""Verdict on a cluster's own journal, which can be shown: as a page, and in a notebook."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any, Final, NamedTuple, TypeAlias

from mockbroker.audit.identity.found_rows import NEEDS_FOUND, column_of, found_in
from mockbroker.audit.identity.recorded_ids import by_life, ids_among
from mockbroker.audit.identity.visible_ids import visible_ids, waiting_in
from mockbroker.audit.local import NO_IDS, ComparedIds, audit_journal
from mockbroker.audit.rules.records.load_rules import NOTHING_WAITS, Found, Sent
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.folder import read_journal
from mockbroker.journal.journal import Journal
from mockbroker.journal.record_identity import identity_of
from mockbroker.report.audited import Audited, SourceVerdict
from mockbroker.report.report_page import report_page
from mockbroker.report.summary import headline
from mockbroker.report.timeline_rows import rows_in_memory
from mockbroker.state.cluster_state import ClusterState
from mockbroker.timeline.finding_timeline import finding_timeline
from mockbroker.timeline.timeline_svg import timeline_svg

DRAWN_MAX: Final = 3
"""Maximum number of findings with a picture in a notebook."""
LISTED_MAX: Final = 50
"""Maximum number of findings in a notebook; the page has more."""

ReadEntries = Callable[[], Sequence[Entry]]


class JournalVerdict(Verdict):
    """A verdict, and the journal that it is about; it equals the same verdict without a journal."""

    _read_entries: ReadEntries

    @classmethod
    def of(cls, verdict: Verdict, read_entries: ReadEntries) -> "JournalVerdict":
        """Add the journal to a verdict; its entries are read when something is shown."""
        made = cls(*verdict)
        made._read_entries = read_entries
        return made

    def to_html(self) -> str:
        """Return a self-contained page, as `mockbroker audit` writes it: findings with pictures.

        Pictures show what is left of the journal in memory.
        """
        audited = self._audited()
        return report_page(audited, rows_in_memory(audited.findings(), self._read_entries()))

    def _repr_html_(self) -> str:
        """Show the findings in a notebook, the first ones with a picture."""
        audited = self._audited()
        findings = audited.findings()
        parts = [f"<p><b>{escape(headline(audited))}</b></p>"]
        rows = rows_in_memory(findings[:DRAWN_MAX], self._read_entries()) if findings else {}
        for each in findings[:LISTED_MAX]:
            finding = each.finding
            parts.append(f"<p>{finding.severity.value} {finding.rule}: {escape(finding.text)}</p>")
            if rows.get(each.number):
                parts.append(timeline_svg(finding_timeline(finding, rows[each.number])))
        if len(findings) > LISTED_MAX:
            parts.append(f"<p>and {len(findings) - LISTED_MAX:,} more</p>")
        return f"<div>{''.join(parts)}</div>"

    def _audited(self) -> Audited:
        source = SourceVerdict(source="the cluster's journal", kind="journal", verdict=self)
        return Audited(sources=(source,))


class WantedAudit(NamedTuple):
    """Arguments of an audit of a running cluster."""

    identity: str | None = None
    across_topics: bool = False
    sent: Iterable[Sent] | None = None
    found: Iterable[Any] | None = None
    """Records that readers found, or rows of a table if the identity is one of its columns."""


class _Read(NamedTuple):
    """Records with an id in the logs of a running cluster."""

    found: Sequence[Found]
    waiting: Mapping[tuple[str, int], int]


_Look: TypeAlias = Callable[[ClusterState, int], _Read]


def audit_of(
    journal: Journal, wanted: WantedAudit, read: Callable[[_Look], _Read]
) -> JournalVerdict:
    """Judge a cluster's journal, and the identities of records, if it has them or they are wanted.

    `read` calls a function with the state of the running cluster, in whose logs identities are
    that the journal does not have.

    Raises:
        ValueError: the identity is none, or found records lack its column.
        RuntimeError: the journal has never been on, or the cluster has stopped.

    """
    identity, across_topics, sent, found = wanted
    if identity is None and found is None:
        identity = journal.identity
    column = column_of(identity)
    if column is not None:
        if found is None:
            raise ValueError(NEEDS_FOUND.format(identity))
        found = list(found_in(found, column))
    by = None if identity is None or column is not None else identity_of(identity)
    waiting = NOTHING_WAITS
    if by is not None and found is None:

        def look(cluster: ClusterState, now_ms: int) -> _Read:
            return _Read([*visible_ids(cluster, by, now_ms)], waiting_in(cluster, now_ms))

        is_recorded = identity == journal.identity
        found, waiting = _with_recorded(journal, look, read) if is_recorded else read(look)
    return journal_verdict(journal, ComparedIds(sent, found, identity, across_topics, waiting))


def _with_recorded(journal: Journal, look: _Look, read: Callable[[_Look], _Read]) -> _Read:
    """Return the records whose ids a journal has, and those that the logs had before it began."""
    recorded = by_life(ids_among(_all_entries(journal)))[-1]
    stored: Sequence[Found] = ()
    with suppress(RuntimeError):  # it has stopped, and has no logs any more
        stored = read(look).found
    places = {(each.topic, each.partition, each.offset): each for each in (*stored, *recorded)}
    return _Read([*places.values()], NOTHING_WAITS)


def _all_entries(journal: Journal) -> Iterable[Entry]:
    if journal.dropped and journal.folder is not None and not journal.is_on:
        return read_journal(journal.folder)
    return journal.entries()


def journal_verdict(journal: Journal, ids: ComparedIds = NO_IDS) -> JournalVerdict:
    """Judge all entries of a cluster's journal, as `audit_journal` does.

    Raises:
        RuntimeError: the journal has never been on.

    """
    return JournalVerdict.of(audit_journal(journal, ids), journal.entries)
