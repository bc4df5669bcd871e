"""Pages of failed experiments: the partitions without the fault and with it."""

from mockbroker import Cluster
from mockbroker.control.assertions.failure_report import failed_cluster
from mockbroker.report.comparison_page import FailedExperiment, comparison_page, first_difference
from mockbroker.report.failure_page import FailedCluster

NAME = "Produce 1 of client '<b>': the answer is lost"


def cluster_with(*values: str) -> FailedCluster:
    with Cluster(topics={"orders": 1}) as cluster:
        for value in values:
            cluster.append("orders", value)
        return failed_cluster(cluster, (), "")


ONE, TWO = cluster_with("a"), cluster_with("a", "b")


def page_of(without_fault: FailedCluster, with_fault: FailedCluster) -> str:
    return comparison_page(
        FailedExperiment(
            name=NAME,
            reasons=["orders: <1> too many"],
            without_fault=without_fault,
            with_fault=with_fault,
        )
    )


def test_the_first_batch_that_differs_is_named() -> None:
    (one,), (two,) = ONE.partitions, TWO.partitions
    added = "orders-0: a batch at offset 1: 1 record; without the fault nothing"
    assert first_difference(one, two) == added
    missing = "orders-0: nothing; without the fault a batch at offset 1: 1 record"
    assert first_difference(two, one) == missing
    assert first_difference(one, one) is None


def test_both_timelines_are_shown_and_texts_are_escaped() -> None:
    page = page_of(ONE, TWO)
    assert page.count("<svg") == 2
    assert page.index("Without the fault") < page.index("With the fault")
    assert "First difference: orders-0: a batch at offset 1" in page
    assert "&#x27;&lt;b&gt;&#x27;" in page
    assert "orders: &lt;1&gt; too many" in page


def test_a_partition_that_only_the_failed_run_has_is_shown_alone() -> None:
    page = page_of(FailedCluster(sections={}), ONE)
    assert page.count("<svg") == 1
    assert "First difference" not in page


def test_notes_and_texts_of_the_failed_run_follow() -> None:
    page = page_of(
        ONE, FailedCluster(notes=["3 more partitions not shown"], sections={"faults": "f"})
    )
    assert "3 more partitions not shown" in page
    assert "<h2>Faults</h2>" in page
