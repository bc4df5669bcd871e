"""The audit in this process."""

from pathlib import Path

import pytest

from mockbroker.audit import local
from mockbroker.audit.local import audit_folder
from mockbroker.journal.files.folder import write_journal
from mockbroker.journal.files.manifest import Manifest
from mockbroker.protocol.api_keys import ApiKey
from tests.support.audit_script import Script


def written(folder: Path) -> Script:
    script = Script()
    for _ in range(3):
        script.produce(0)
    script.produce(0, base_sequence=1)
    last = script.entries[-1]
    script.entries.append(last._replace(seq=last.seq + 1, kind="request", api=ApiKey.METADATA))
    manifest = Manifest(format="jsonl", cluster_id="c", kafka="4.4", seed=1)
    write_journal(folder, manifest, script.entries)
    return script


def test_a_folder_is_judged_alike_with_and_without_arrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="tables need the extra spark")
    script = written(tmp_path)
    sharded = audit_folder(tmp_path)
    monkeypatch.setattr(local, "has_arrow", lambda: False)
    plain = audit_folder(tmp_path)
    assert sharded.findings == plain.findings
    assert sharded.counts == plain.counts
    assert plain.counts.events == len(script.entries)


def test_a_folder_without_a_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        audit_folder(tmp_path)
