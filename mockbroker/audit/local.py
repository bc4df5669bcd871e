"""Audit of a journal's folder in this process, of any size.

Rows become runs, runs are folded if numpy and pyarrow are installed (extra `spark`), and the rules
judge the result. Streams that stay undecided because of a fold are read once more, event by event.
"""

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.files.folder import read_journal

Reader = Callable[[frozenset[StreamKey]], tuple[Iterable[Run], Source]]
"""Reads the evidence: runs, with the given streams unfolded, and the properties of their source."""
_ROUNDS: Final = 4
"""Number of times that streams are requested, before everything is read event by event."""
EVERYTHING: Final = frozenset({StreamKey("")})
"""Requests all streams event by event."""


def audit_folder(
    folder: str | Path, source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> Verdict:
    """Judge the journal in a folder.

    Raises:
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.
        ImportError: it is Parquet, which needs the extra `spark`.

    """
    if not can_fold():
        return judge(journal_runs(read_journal(folder)), source, thresholds)

    def read(unfolded: frozenset[StreamKey]) -> tuple[Iterable[Run], Source]:
        from mockbroker.audit.folding.folder import Folder
        from mockbroker.audit.runs.journal_tables import JournalTables
        from mockbroker.audit.runs.run_table import runs_of

        tables, folded = JournalTables(folder), Folder(unfolded)
        for table in tables:
            folded.add(table)
        broken = (*source.broken, *tables.broken)
        return runs_of(folded.runs()), source._replace(events=tables.rows, broken=broken)

    return decided(read, thresholds)


def audit_tables(tables: Iterable[Any], source: Source = A_JOURNAL) -> Verdict:
    """Judge Arrow tables of a journal's rows, with folding (extra `spark`)."""
    kept = list(tables)

    def read(unfolded: frozenset[StreamKey]) -> tuple[Iterable[Run], Source]:
        from mockbroker.audit.folding.folder import Folder
        from mockbroker.audit.runs.run_table import runs_of

        folded = Folder(unfolded)
        for table in kept:
            folded.add(table)
        rows = sum(table.num_rows for table in kept)
        return runs_of(folded.runs()), source._replace(events=rows)

    return decided(read)


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
