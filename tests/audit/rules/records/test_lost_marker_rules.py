"""Transactions whose markers were truncated, and that the next marker of the producer ends."""

from typing import Any, Final, Literal

import pytest

from mockbroker import Cluster, Release
from mockbroker.audit.log_evidence import Decided
from mockbroker.audit.rules.records.lost_marker_rules import end_findings, other_ends
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.events.produce_outcome import Appended
from mockbroker.wire import WireProducer
from tests.support.log_evidence import attempt, log_evidence

MINE: Final[dict[str, Any]] = {
    "producer_id": 7,
    "producer_epoch": 0,
    "base_sequence": 0,
    "is_transactional": True,
}
CUT: Final = [(10, 3)]
End = Literal["commit", "abort"]


def found(*decisions: Decided, is_commit: bool, **changes: Any) -> list[str]:
    batch = attempt(2, 1, **MINE | changes)
    committed, aborted = ([1], []) if is_commit else ([], [1])
    log = log_evidence(batch, cuts=CUT, decisions=decisions, committed=committed, aborted=aborted)
    return [each.rule for each in end_findings(other_ends(log), log)]


def test_a_batch_whose_end_is_as_decided_is_no_finding() -> None:
    for is_commit in (True, False):
        assert found(Decided(4, 7, 0, is_commit), is_commit=is_commit) == []
    assert found(is_commit=False) == [], "nothing was decided"
    assert found(Decided(4, 7, 1, True), is_commit=False) == [], "of another epoch"


def test_an_acknowledged_batch_that_was_committed_is_not_durable_if_a_marker_aborts_it() -> None:
    commit = Decided(4, 7, 0, True)
    assert found(commit, is_commit=False) == ["ACKED_NOT_DURABLE"]
    assert found(commit, is_commit=False, error="NOT_ENOUGH_REPLICAS") == []


def test_a_batch_that_was_aborted_is_visible_if_a_marker_commits_it() -> None:
    abort = Decided(4, 7, 0, False)
    assert found(abort, is_commit=True) == ["ABORTED_VISIBLE"]
    assert found(abort, is_commit=True, error="NOT_ENOUGH_REPLICAS") == ["ABORTED_VISIBLE"]
    assert found(abort, is_commit=True, appended=Appended.RETRY) == []


@pytest.mark.parametrize("kafka", ["2.8", "4.4"])
@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ("commit", "abort", "ACKED_NOT_DURABLE"),
        ("abort", "commit", "ABORTED_VISIBLE"),
        ("commit", "commit", None),
        ("abort", "abort", None),
    ],
)
def test_the_next_transaction_ends_one_whose_marker_the_new_leader_lacks(
    kafka: Release, first: End, second: End, rule: str | None
) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        for number, end in enumerate((first, second)):
            producer.add_partition("orders")
            producer.produce("orders", b"paid", base_sequence=number)
            assert getattr(producer, end)().name == "NONE"
            if end is first and not number:
                cluster.partition("orders", 0).lose_tail(1)
        found = [each.rule for each in cluster.audit().findings]
        assert found == ([] if rule is None else [rule])
        if rule is None:
            cluster.assert_exactly_once()
        else:
            with pytest.raises(ClusterAssertionError, match="by a later marker"):
                cluster.assert_exactly_once()
        if rule != "ACKED_NOT_DURABLE":
            cluster.assert_no_loss()
