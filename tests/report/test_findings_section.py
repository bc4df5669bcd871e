"""Section of the findings: an overview, filters, pictures, and a list."""

import re

from mockbroker.journal.entry import Entry
from mockbroker.report.audited import Audited, SourceVerdict
from mockbroker.report.findings_section import (
    FILTERED_FROM,
    LISTED_MAX,
    date_text,
    findings_section,
)
from tests.support.balanced_html import balanced
from tests.support.many_findings import many, page_of
from tests.support.verdicts import GAP, STUCK, audited_of, verdict_of
from tests.support.written_journals import produced

BYTES_MAX = 4_000_000


def appends() -> list[Entry]:
    return [entry for entry in produced(10, partitions=1) if entry.kind == "append"]


def section(audited: Audited, rows: dict[int, list[Entry]], more_in: str = "") -> str:
    return "\n".join(findings_section(audited, rows, more_in))


def test_one_finding_has_a_picture_and_no_overview() -> None:
    made = section(audited_of(GAP), {1: appends()})
    assert made.count("<svg") == 1
    assert "mockbroker-overview" not in made
    assert section(audited_of(), {}) == ""


def test_an_overview_leads_to_each_finding() -> None:
    made = section(audited_of(GAP, STUCK), {1: appends()})
    assert re.findall(r'href="#finding-(\d)"', made) == ["2", "1"]
    assert re.findall(r'id="finding-(\d)"', made) == ["1", "2"]
    assert "filters" not in made
    assert "filters" in section(many(FILTERED_FROM), {})


def test_a_time_that_no_calendar_has_is_a_number() -> None:
    """A client may send microseconds, and an audit of a topic has no other times."""
    at = 1_900_000_000_000_000
    rows = [each._replace(virtual_time_ms=at) for each in appends()]
    late = GAP._replace(virtual_time_ms=at)
    made = section(audited_of(late, STUCK), {1: rows})
    assert f"<code>{at} ms</code>" in made
    assert f"#{rows[0].seq} {at} ms append" in made


def test_each_source_has_an_overview_of_its_own() -> None:
    sources = tuple(
        SourceVerdict(source=name, kind="journal", verdict=verdict_of(GAP)) for name in ("a", "b")
    )
    made = section(Audited(sources=sources), {})
    assert made.count("mockbroker-overview") == 2
    assert re.findall(r"<code class=source>(\w)</code>", made) == ["a", "b"]


def test_findings_without_a_picture_are_listed_up_to_a_limit() -> None:
    audited = audited_of(*[GAP] * (LISTED_MAX + 3))
    made = section(audited, {1: appends()}, "findings.parquet")
    assert made.count('class="item finding"') == LISTED_MAX
    assert "2 more are in findings.parquet" in made
    assert "2 more are not listed" in section(audited, {1: appends()})


def test_texts_of_a_list_are_escaped() -> None:
    made = section(audited_of(STUCK), {})
    assert "<b>stuck</b>" not in made
    assert "<b>stuck</b> & stays." in balanced(f"<main>{made}</main>").text


def test_five_thousand_findings_are_a_page_of_a_few_megabytes() -> None:
    page = page_of(5_000, partitions=2_000)
    assert len(page.encode()) < BYTES_MAX
    assert page.count('class="item finding"') == 5_000


def test_rows_of_a_journal_of_several_days_have_a_date() -> None:
    (source,) = audited_of(GAP).sources
    assert "<b>#14 17:46:40" in section(audited_of(GAP), {1: appends()})
    counts = source.verdict.counts._replace(last_time_ms=1_900_090_000_000)
    verdict = source.verdict._replace(counts=counts)
    long = SourceVerdict(source="j", kind="journal", verdict=verdict)
    assert "<b>#14 2030-03-17 17:46:40" in section(Audited(sources=(long,)), {1: appends()})


def test_times_have_a_date() -> None:
    assert date_text(1_900_000_000_008) == "2030-03-17 17:46:40.008"
