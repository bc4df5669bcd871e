"""The verdict on a cluster's own journal, as a page and in a notebook."""

import re
import subprocess
import sys

from mockbroker import API, Cluster
from mockbroker.report.journal_verdict import LISTED_MAX, JournalVerdict
from mockbroker.wire import WireProducer
from tests.support.balanced_html import balanced
from tests.support.notebook import notebook_html
from tests.support.verdicts import GAP, STUCK, verdict_of
from tests.support.written_journals import produced


def audited() -> JournalVerdict:
    """Return the verdict on a cluster in which a zombie has written after its abort."""
    with (
        Cluster(topics={"orders": 1}, journal=True, kafka="2.8") as cluster,
        WireProducer(cluster.bootstrap_servers, "<i>payments</i>") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"paid", base_sequence=0)
        producer.abort()
        producer.produce("orders", b"late", base_sequence=1)
        assert cluster.journal.count(API.PRODUCE) == 2
        return cluster.audit()


def test_the_page_has_the_findings_with_pictures_and_loads_nothing() -> None:
    verdict = audited()
    assert verdict.findings
    page = verdict.to_html()
    parsed = balanced(page)
    assert parsed.tags.count("svg") == len(verdict.findings)
    assert all(finding.text in parsed.text for finding in verdict.findings)
    assert "ABORT" in parsed.text
    assert "i" not in parsed.tags
    assert not re.findall(r"https?:|src=|@import|url\(", page)


def test_a_notebook_shows_the_findings_with_pictures() -> None:
    verdict = audited()
    shown = balanced(notebook_html(verdict))
    assert verdict.findings[0].text in shown.text
    assert 1 <= shown.tags.count("svg") <= 3
    many = JournalVerdict.of(verdict_of(*[STUCK] * (LISTED_MAX + 2)), list)
    assert "and 2 more" in balanced(notebook_html(many)).text


def test_a_clean_verdict_reads_no_entries_in_a_notebook() -> None:
    def refuse() -> list[object]:
        raise AssertionError

    clean = JournalVerdict.of(verdict_of(), refuse)  # type: ignore[arg-type]
    assert "Clean: nothing was found" in notebook_html(clean)


def test_it_equals_the_verdict_without_a_journal() -> None:
    verdict = verdict_of(GAP)
    assert JournalVerdict.of(verdict, lambda: list(produced(4))) == verdict


def test_pages_need_neither_spark_nor_a_web_server() -> None:
    code = (
        "import sys, mockbroker.report.journal_verdict, mockbroker.report.failure_page\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'pyspark', 'py4j', 'starlette', 'uvicorn', 'pyarrow'}),"
        " [name for name in sys.modules if name.startswith('mockbroker.spark')])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[] []\n"
