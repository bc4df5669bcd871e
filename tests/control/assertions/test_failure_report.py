"""Pages of failed tests, written by test runs of their own."""

import re
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree as ET

import pytest

from mockbroker import Cluster
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.control.assertions.failure_report import (
    PARTITIONS_MAX,
    file_name,
    written_report,
)
from mockbroker.wire import WireProducer
from tests.support.balanced_html import Balanced, balanced
from tests.support.plugin_runs import run

pytest_plugins = ["pytester"]


class Outcome:
    nodeid = "tests/test_pay.py::test_it[<b>]"
    longreprtext = "E   it failed"


def page_at(link: str) -> Balanced:
    return balanced(Path(unquote(urlparse(link).path)).read_text("utf-8"))


TESTS = """
    import pytest
    from mockbroker import API
    from mockbroker.wire import WireProducer

    @pytest.mark.mockbroker(topics={"orders": 2, "prices": 1}, allow_unfired=True)
    def test_paid(mockbroker):
        mockbroker.fault(API.FETCH, name="slow").delay("1s")
        with WireProducer(mockbroker.bootstrap_servers, "payments") as producer:
            producer.init_producer_id()
            producer.add_partition("orders", 1)
            producer.produce("orders", b"paid", base_sequence=0, index=1)
            mockbroker.assert_no_open_transactions()

    def test_without_a_cluster():
        raise ValueError("no cluster")

    def test_passes(mockbroker): ...
"""


@pytest.mark.slow
def test_a_failed_test_has_a_page_that_output_and_junit_xml_link(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(TESTS)
    result = run(pytester, "--mockbroker-report=pages", "--junit-xml=results.xml")
    result.assert_outcomes(failed=2, passed=1)
    (page,) = (pytester.path / "pages").iterdir()
    link = page.resolve().as_uri()
    result.stdout.fnmatch_lines(["*- mockbroker report -*", link])
    (case,) = [
        each for each in ET.parse(pytester.path / "results.xml").iter("testcase")
        if each.get("name") == "test_paid"
    ]  # fmt: skip
    assert [
        each.get("value")
        for each in case.iter("property")
        if each.get("name") == "mockbroker_report"
    ] == [link]
    parsed = page_at(link)
    assert "test_paid" in parsed.text
    assert "slow: fault(api=Fetch)" in parsed.text
    assert "open in orders-1" in parsed.text
    assert parsed.tags.count("svg") == 2


@pytest.mark.slow
def test_without_the_option_nothing_is_written(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = run(pytester, "-k", "test_paid")
    result.assert_outcomes(failed=1)
    assert not list(pytester.path.rglob("*.html"))
    result.stdout.no_fnmatch_line("*mockbroker report*")


def test_partitions_of_findings_are_drawn_with_their_labels(tmp_path: Path) -> None:
    with (
        Cluster(topics={"orders": 2, "prices": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        for topic in ("prices", "orders", "orders"):
            producer.produce(topic, b"paid", base_sequence=-1)
        with pytest.raises(ClusterAssertionError) as failed:
            cluster.assert_no_duplicates("orders", key=lambda record: record.value)
        link = written_report(tmp_path, Outcome(), failed.value, [cluster])
    parsed = page_at(link)
    assert parsed.tags.count("svg") == 1
    assert "orders-0 · leader 1" in parsed.text
    assert "DUPLICATE" in parsed.text
    assert "<b>" in parsed.text
    assert "b" not in parsed.tags


def test_of_other_failures_the_named_topics_come_first(tmp_path: Path) -> None:
    count = PARTITIONS_MAX + 3
    with (
        Cluster(topics={"a": count, "orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        for index in range(count):
            producer.produce("a", b"x", base_sequence=-1, index=index)
        producer.produce("orders", b"x", base_sequence=-1)
        link = written_report(tmp_path, Outcome(), ValueError("orders: no"), [cluster])
    parsed = page_at(link)
    assert parsed.tags.count("svg") == PARTITIONS_MAX
    assert re.findall(r"(\w+-\d+) · leader", parsed.text)[:2] == ["orders-0", "a-0"]
    assert "4 more partitions not shown" in parsed.text


def test_a_page_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    answer = written_report(taken, Outcome(), ValueError(), [])
    assert answer.startswith("not written: ")


def test_each_test_has_its_own_file() -> None:
    names = [file_name(f"tests/test_x.py::test_it[{value}]") for value in ("a/b", "a b", "../..")]
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]+\.html", name) for name in names)
    assert len(file_name("x" * 5000)) < 150
