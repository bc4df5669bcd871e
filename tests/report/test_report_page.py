"""The report: one file, the verdict first, every finding with its picture and its proof."""

import re
from pathlib import Path

from mockbroker.journal.entry import Entry
from mockbroker.report.report_page import FINDINGS_NAME, SCRIPT, report_page, write_report
from tests.support.balanced_html import balanced
from tests.support.verdicts import (
    BAD,
    GAP,
    STUCK,
    audited_of,
)
from tests.support.written_journals import produced


def read(page: str) -> str:
    return balanced(page).text


def appends() -> list[Entry]:
    return [entry for entry in produced(10, partitions=1) if entry.kind == "append"]


def test_the_page_loads_nothing_from_elsewhere() -> None:
    page = report_page(audited_of(GAP), {1: appends()})
    assert page.count("<script>") == 1
    assert not re.findall(r"https?:|src=|@import|url\(|fetch\(|import\(", page)
    assert SCRIPT not in report_page(audited_of(), {})


def test_the_verdict_comes_first() -> None:
    text = read(report_page(audited_of(GAP, STUCK), {}))
    assert text.index("2 findings: 1 ERROR, 1 WARNING") < text.index("SEQUENCE_GAP")
    assert 'class="banner clean"' in report_page(audited_of(), {})
    assert 'class="banner findings"' in report_page(audited_of(GAP), {})
    assert 'class="banner broken"' in report_page(audited_of(GAP, bad=(BAD,)), {})


def test_a_finding_has_its_sentence_advice_picture_and_proof() -> None:
    page = report_page(audited_of(GAP), {1: appends()})
    text = read(page)
    assert GAP.text in text
    assert GAP.advice in text
    assert page.count("<svg") == 1
    proof = re.findall(r'<div class="rows"><b>(#\d+)', page)
    assert proof[0] == "#14"


def test_texts_are_escaped() -> None:
    page = report_page(audited_of(STUCK), {1: []})
    assert "<b>stuck</b>" not in page
    assert "<b>stuck</b> & stays." in read(page)


def test_rules_are_listed_as_judged_or_with_the_reason() -> None:
    text = read(report_page(audited_of(GAP, bad=(BAD,)), {}))
    assert "not judged: a journal has no contents" in text
    assert "1 found" in text
    assert "Bring it back." in text
    assert "Not closed." in text
    assert "A producer began." in text


def test_the_page_is_written(tmp_path: Path) -> None:
    path = write_report(tmp_path, audited_of(), {})
    assert path.read_text("utf-8") == report_page(audited_of(), {}, more_in=FINDINGS_NAME)
