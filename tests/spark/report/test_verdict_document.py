"""The verdict for programs, and the table that describes it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from mockbroker.report.audited import Audited, SourceVerdict
from mockbroker.spark.report.verdict_document import (
    MEMBERS,
    SCHEMA_VERSION,
    verdict_document,
    write_verdict,
)
from tests.support.verdicts import (
    BAD,
    GAP,
    STUCK,
    audited_of,
    verdict_of,
)


def test_the_document_has_verdict_findings_and_unjudged_rules() -> None:
    document = verdict_document(audited_of(GAP, STUCK, bad=(BAD,)))
    assert (document["schema_version"], document["exit_code"]) == (SCHEMA_VERSION, 2)
    assert document["verdict"] == "broken input"
    assert document["findings"] == {
        "total": 2,
        "by_severity": {"ERROR": 1, "WARNING": 1, "INFO": 0},
        "by_rule": {"LSO_STUCK": 1, "SEQUENCE_GAP": 1},
    }
    assert document["broken"] == [
        {"where": "out/x", "what": "It is gone.", "advice": "Bring it back."}
    ]
    (source,) = document["sources"]
    unjudged = [rule for rule in source["rules"] if not rule["is_judged"]]
    assert unjudged == [
        {
            "rule": "DUPLICATE_PAYLOAD",
            "severity": "ERROR",
            "is_judged": False,
            "reason": "a journal has no contents",
            "findings": 0,
            "consequences": 0,
        }
    ]
    assert source["counts"]["appends"] == 33
    assert document["not_judged"] == "DUPLICATE_PAYLOAD"


@pytest.mark.parametrize(("identity", "word"), [("off", "clean"), (None, "no findings")])
def test_a_verdict_without_identities_is_not_clean(identity: str | None, word: str) -> None:
    verdict = verdict_of()._replace(identity=identity)
    source = SourceVerdict(source="j", kind="journal", verdict=verdict)
    document = verdict_document(Audited(sources=(source,)))
    assert (document["verdict"], document["exit_code"]) == (word, 0)
    assert document["sources"][0]["identity"] == identity


def paths(value: Any, name: str = "") -> Iterator[str]:
    """Name the members as the table does: down to values, and to objects whose keys are data."""
    if name in MEMBERS:
        yield name
    elif isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        for key, member in members.items():
            yield from paths(member, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value:
        yield from paths(value[0], f"{name}[]")
    else:
        yield name


def test_every_member_is_described_and_present() -> None:
    document = verdict_document(audited_of(GAP, bad=(BAD,)))
    assert set(paths(document)) == set(MEMBERS)


def test_the_file_is_the_document(tmp_path: Path) -> None:
    document = verdict_document(audited_of(GAP))
    path = write_verdict(tmp_path, document)
    assert path.name == "verdict.json"
    assert json.loads(path.read_text("utf-8")) == document
