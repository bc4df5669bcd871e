"""The audit in this process."""

from pathlib import Path

import pytest

from mockbroker.audit import local
from mockbroker.audit.judgement import judge
from mockbroker.audit.local import EVERYTHING, audit_folder, decided
from mockbroker.audit.runs.run import Run, Stream, StreamKey
from mockbroker.audit.source import A_JOURNAL, Source, Thresholds
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.files.folder import write_journal
from mockbroker.journal.files.manifest import Manifest
from tests.support.audit_script import Script


def written(folder: Path) -> Script:
    script = Script()
    for _ in range(3):
        script.produce(0)
    script.produce(0, base_sequence=1)
    manifest = Manifest(format="jsonl", cluster_id="c", kafka="4.4", seed=1)
    write_journal(folder, manifest, script.entries)
    return script


def test_a_folder_is_judged_alike_with_and_without_folding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="folding needs the extra spark")
    script = written(tmp_path)
    folded = audit_folder(tmp_path)
    monkeypatch.setattr(local, "can_fold", lambda: False)
    plain = audit_folder(tmp_path)
    assert folded.findings == plain.findings
    assert folded.counts == plain.counts
    assert plain.counts.events == len(script.entries)


def test_a_folder_without_a_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        audit_folder(tmp_path)


def test_undecided_streams_are_read_again_until_all_are_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    streams = [StreamKey(Stream.LOG, "t", number) for number in range(9)]
    asked: list[frozenset[StreamKey]] = []

    def undecided(runs: list[Run], source: Source, thresholds: Thresholds) -> Verdict:
        verdict = judge(runs, source, thresholds)
        left = streams[len(asked) - 1 : len(asked)] if asked[-1] != EVERYTHING else ()
        return verdict._replace(undecided=frozenset(left))

    def read(unfolded: frozenset[StreamKey]) -> tuple[list[Run], Source]:
        asked.append(unfolded)
        return [], A_JOURNAL

    monkeypatch.setattr(local, "judge", undecided)
    assert not decided(read).undecided
    assert asked == [frozenset(streams[:n]) for n in range(4)] + [EVERYTHING]


def test_decided_streams_are_read_once() -> None:
    asked: list[frozenset[StreamKey]] = []

    def read(unfolded: frozenset[StreamKey]) -> tuple[list[Run], Source]:
        asked.append(unfolded)
        return [], A_JOURNAL

    assert decided(read).findings == ()
    assert asked == [frozenset()]
