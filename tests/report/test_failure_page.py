"""The page of a failed test."""

import re

from mockbroker.report.failure_page import FailedCluster, FailedTest, failure_page
from mockbroker.timeline.timeline import Timeline, TimelineLane
from tests.support.balanced_html import balanced

HOSTILE = "</div><script>alert(1)</script>\"'&"


def page_of(*clusters: FailedCluster, failure: str = "no loss: 1 record is lost") -> str:
    return failure_page(
        FailedTest(name="tests/test_pay.py::test_it", failure=failure, trace="E", clusters=clusters)
    )


def drawn(title: str) -> Timeline:
    return Timeline(title=title, columns=(), lanes=(TimelineLane(title),), cells=())


def test_the_page_has_the_failure_the_pictures_and_the_sections_in_this_order() -> None:
    cluster = FailedCluster(
        partitions=[drawn("orders-0"), drawn("orders-1")],
        transactions=[drawn("payments")],
        notes=["3 more partitions not shown"],
        sections={"journal": "#1 connected", "faults": "lost-ack fired"},
    )
    page = page_of(cluster)
    parsed = balanced(page)
    assert parsed.tags.count("svg") == 3
    words = [
        *("tests/test_pay.py::test_it", "1 record is lost", "Partitions", "orders-1"),
        *("Transactional ids", "payments", "3 more partitions", "Journal", "#1 connected"),
        *("Faults", "lost-ack fired"),
    ]
    places = [parsed.text.rindex(word) for word in words[1:]]
    assert places == sorted(places)


def test_several_clusters_are_numbered() -> None:
    cluster = FailedCluster(sections={})
    assert "Cluster 2 of 2" in page_of(cluster, cluster)
    assert "Cluster 1" not in page_of(cluster)


def test_the_page_is_self_contained_and_can_run_nothing() -> None:
    page = page_of(FailedCluster(partitions=[drawn("orders-0")], sections={}))
    assert not re.findall(r"https?:|src=|href=|@import|url\(|<script", page)
    assert "default-src 'none'" in page


def test_hostile_texts_are_texts() -> None:
    cluster = FailedCluster(
        partitions=[drawn(HOSTILE)], notes=[HOSTILE], sections={"journal": HOSTILE}
    )
    parsed = balanced(page_of(cluster, failure=HOSTILE))
    assert "script" not in parsed.tags
    assert parsed.text.count(HOSTILE) >= 4
