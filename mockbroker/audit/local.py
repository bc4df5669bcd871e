"""The audit in this process: of a cluster's journal, or of a journal's folder, however large.

Rows become runs, runs are folded if numpy and pyarrow are installed (extra `spark`), and the rules
judge the result. Streams that stay undecided because of a fold are read once more, event by event.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from mockbroker.audit.identity.stored_copies import batches_in, proved, ranges_of
from mockbroker.audit.judgement import judge
from mockbroker.audit.reading import Reading, size_of, unseen
from mockbroker.audit.rules.load_rules import GIVEN, Found, Sent, judge_load
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.files.folder import read_journal
from mockbroker.journal.journal import Journal

Reader = Callable[[frozenset[StreamKey]], tuple[Iterable[Run], Source]]
"""Reads the evidence: runs, those of some streams event by event, and what their source tells."""
FOLD_FROM: Final = 20_000
"""From how many entries on it is quicker to fold them, where that is installed."""
_ROUNDS: Final = 4
"""Number of times that streams are requested, before everything is read event by event."""
EVERYTHING: Final = frozenset({StreamKey("")})
"""Requests all streams event by event."""


def audit_folder(
    folder: str | Path,
    source: Source = A_JOURNAL,
    thresholds: Thresholds = THRESHOLDS,
    reading: Reading = unseen,
    parts: Sequence[Path] | None = None,
) -> Verdict:
    """Judge the journal in a folder, or consecutive parts of it.

    `reading` reports how much was read.

    Raises:
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.
        ImportError: it is Parquet, which needs the extra `spark`.

    """
    if not can_fold():
        with reading(size_of(folder)) as advance:
            return judge(journal_runs(read_journal(folder, advance, parts)), source, thresholds)
    return _folded(folder, source, thresholds, reading, parts)


class ComparedIds(NamedTuple):
    """Ids of records, as far as a caller has them, for `judge_load`."""

    sent: Iterable[Sent] | None = None
    found: Iterable[Found] | None = None
    identity: str | None = None
    """What the ids are; `off` if records have none."""
    across_topics: bool = False

    @property
    def are_given(self) -> bool:
        """True if there is anything to compare."""
        return self.sent is not None or self.found is not None


NO_IDS: Final = ComparedIds()


def audit_journal(journal: Journal, ids: ComparedIds = NO_IDS) -> Verdict:
    """Judge all entries of a cluster's journal, or those that are left, with what is not known.

    Ids of records are joined, if there are any.

    Raises:
        RuntimeError: the journal has never been on.

    """
    verdict = _judged(journal)
    if not ids.are_given:
        return verdict._replace(identity=ids.identity)
    joined = judge_load(
        verdict,
        ids.sent,
        ids.found,
        identity=GIVEN if ids.identity is None else ids.identity,
        across_topics=ids.across_topics,
    )
    if not ranges_of(joined.findings):
        return joined
    return joined._replace(findings=proved(joined.findings, batches_in(journal.entries())))


def _judged(journal: Journal) -> Verdict:
    dropped = journal.dropped
    if dropped and journal.folder is not None and not journal.is_on:
        return audit_folder(journal.folder)
    if not dropped and len(journal) >= FOLD_FROM and can_fold():
        return _folded([journal.table()])
    entries = journal.entries()
    verdict = judge(journal_runs(entries), A_JOURNAL._replace(events=len(entries)))
    if not dropped:
        return verdict
    begin = f"before entry {entries[0].seq}" if entries else "so far"
    told = f"what happened {begin}: memory dropped {dropped} entries of the journal"
    return verdict._replace(unknown=(told, *verdict.unknown))


def _folded(
    journal: str | Path | Sequence[Any],
    source: Source = A_JOURNAL,
    thresholds: Thresholds = THRESHOLDS,
    reading: Reading = unseen,
    parts: Sequence[Path] | None = None,
) -> Verdict:
    # Imported late: it needs numpy and pyarrow (extra `spark`).
    from mockbroker.audit.folding.folded_reading import folded_reader

    return decided(folded_reader(journal, source, reading, parts), thresholds)


def can_fold() -> bool:
    """Return whether the packages for folding are installed, without importing them."""
    return all(find_spec(name) is not None for name in ("numpy", "pyarrow"))


def decided(read: Reader, thresholds: Thresholds = THRESHOLDS) -> Verdict:
    """Judge the runs; judge again without the folds that leave streams undecided."""
    unfolded: frozenset[StreamKey] = frozenset()
    for _ in range(_ROUNDS):
        runs, source = read(unfolded)
        verdict = judge(runs, source, thresholds)
        if verdict.undecided <= unfolded:
            break
        unfolded |= verdict.undecided
    else:
        runs, source = read(EVERYTHING)
        verdict = judge(runs, source, thresholds)
    return verdict
