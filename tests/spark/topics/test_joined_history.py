"""One order of the logs of topics and of coordinators."""

from typing import Final

import pytest

from mockbroker import Cluster, Release
from mockbroker.audit import journal_runs, judge
from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import Entry
from mockbroker.spark import audit_topics
from mockbroker.spark.topics.joined_history import joined_history, logs_with_gaps, without_order
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.wire.transactions import TransactionChange
from tests.spark.topics.logged_rows import batch, changes
from tests.support.hanging import WITHOUT_VERIFICATION
from tests.support.random_transactions import TOPICS, RandomTransactions

EMPTY, ONGOING, COMMIT, DONE = (TransactionState(each) for each in (0, 1, 2, 4))
SETTLED: Final = {0: 1 << 30}
NOTHING_SETTLED: Final[dict[int, int]] = {}


def written(entries: list[Entry]) -> list[str]:
    return [
        each.state_after or f"{each.topic}@{each.base_offset}{each.marker or ''}"
        for each in entries
    ]


ONCE: Final = ((EMPTY, "", 1), (ONGOING, "a", 2), (COMMIT, "a", 3), (DONE, "", 4))


def test_a_batch_is_between_the_begin_and_the_decision_and_its_marker_after_that() -> None:
    rows = [batch("a", 0, 7), batch("a", 1, 7, "COMMIT"), batch("b", 0, -1)]
    joined = joined_history(rows, changes("x", 7, *ONCE), SETTLED)
    assert written(list(joined.entries)) == [
        *("b@0", "Empty", "Ongoing", "a@0", "PrepareCommit", "a@1COMMIT", "CompleteCommit")
    ]
    assert joined.left_out == ()


def test_what_precedes_the_history_of_an_id_precedes_its_first_change() -> None:
    rows = [
        batch("a", 0, 7),
        batch("a", 1, 7, "COMMIT"),
        batch("a", 2, 7),
        batch("a", 3, 7, "COMMIT"),
    ]
    joined = joined_history(rows, changes("x", 7, *ONCE)[2:], SETTLED)
    assert written(list(joined.entries)) == [
        *("a@0", "a@1COMMIT", "a@2", "PrepareCommit", "a@3COMMIT", "CompleteCommit")
    ]


def test_the_rows_of_logs_with_gaps_precede_all_changes() -> None:
    rows = [batch("a", 0, 7), batch("a", 1, 7, "COMMIT"), batch("b", 4, 7), batch("c", 3, 8)]
    assert logs_with_gaps(rows, {7}) == {("b", 0)}
    joined = joined_history(rows[:2], changes("x", 7, *ONCE), {}, {("a", 0)})
    assert [each.kind for each in joined.entries[:2]] == ["append", "marker"]
    assert not joined.left_out
    of_id, of_log = without_order(["x"], {("b", 0)})
    assert (
        of_id == "x: whether its batches and markers are in order, as logs contradict one another"
    )
    assert of_log.startswith("b-0: whether batches and markers are in order, as compaction has")


def test_an_id_that_is_removed_twice_is_removed_once() -> None:
    logged = changes("x", 7, *ONCE)
    removed = [logged[-1]._replace(value=None)] * 2
    joined = joined_history([batch("a", 0, 7)], [*logged, *removed], {})
    assert [each.state_after for each in joined.entries if each.kind == "transaction"][-2:] == [
        "CompleteCommit", None,
    ]  # fmt: skip


def test_ids_of_other_topics_are_left_out() -> None:
    assert written(
        list(joined_history([batch("a", 0, -1)], changes("x", 7, *ONCE), SETTLED)[0])
    ) == ["a@0"]


def ended(producer_id: int, topic: str, offset: int) -> Entry:
    return batch(topic, offset, producer_id, "COMMIT")


# x ends its transaction in b before that in a, and y the other way round.
CROSSED: Final = [ended(7, "a", 0), ended(8, "a", 1), ended(8, "b", 0), ended(7, "b", 1)]


def ending(
    transactional_id: str, producer_id: int, first: str, second: str
) -> list[TransactionChange]:
    states = [
        *((ONGOING, first, 1), (COMMIT, first, 2), (DONE, "", 3)),
        *((ONGOING, second, 4), (COMMIT, second, 5), (DONE, "", 6)),
    ]
    return changes(transactional_id, producer_id, (EMPTY, "", 0), *states)


@pytest.mark.parametrize("settled", [SETTLED, NOTHING_SETTLED])
def test_ids_whose_logs_contradict_one_another_are_left_out(settled: dict[int, int]) -> None:
    both = [*ending("x", 7, "b", "a"), *ending("y", 8, "a", "b")]
    joined = joined_history(CROSSED, both, settled)
    assert joined.left_out == ("x", "y")
    assert list(joined.entries) == CROSSED


RULES: Final = {
    *("HANGING_TXN", "ZOMBIE_WRITE_ACCEPTED", "APPEND_AFTER_MARKER"),
    *("MARKER_WITHOUT_TXN", "DOUBLE_MARKER"),
}


def found(findings: tuple[Finding, ...]) -> set[tuple[object, ...]]:
    return {
        (each.rule, each.topic, each.partition, each.first_offset)
        for each in findings
        if each.rule in RULES
    }


@pytest.mark.parametrize("is_faulty", [False, True])
@pytest.mark.parametrize(("kafka", "version"), [("2.5", 0), ("4.4", 0), ("4.4", 2)])
def test_topics_have_no_finding_that_the_journal_of_the_same_run_has_not(
    kafka: Release, version: int, *, is_faulty: bool
) -> None:
    config = WITHOUT_VERIFICATION if (kafka, version) == ("4.4", 0) else {}
    for seed in (1, 2):
        with Cluster(kafka=kafka, brokers=2, topics=TOPICS, config=config, journal=True) as cluster:
            traffic = RandomTransactions(cluster, seed, version=version, is_faulty=is_faulty)
            traffic.run(60)
            verdict = audit_topics(cluster.bootstrap_servers, list(TOPICS))
            journal = judge(journal_runs(cluster.journal.entries()))
        assert found(verdict.findings) <= found(journal.findings)
        assert is_faulty or not verdict.findings
        assert is_faulty or not verdict.unknown
        assert {each.rule for each in verdict.rules if each.is_judged} >= RULES


def test_an_abort_by_hand_of_an_open_transaction_is_within_it() -> None:
    rows = [
        batch("a", 3, 7),
        batch("a", 4, 7, "ABORT"),
        batch("a", 5, 7),
        batch("a", 7, 7, "COMMIT"),
    ]
    history = ((EMPTY, "", 1), (ONGOING, "a", 2), (COMMIT, "a", 6), (DONE, "", 8))
    joined = joined_history(rows, changes("x", 7, *history), SETTLED)
    assert written(list(joined.entries)) == [
        *("Empty", "Ongoing", "a@3", "a@4ABORT", "a@5"),
        *("PrepareCommit", "a@7COMMIT", "CompleteCommit"),
    ]


def test_a_marker_that_a_new_coordinator_sends_again_ends_nothing() -> None:
    rows = [
        batch("a", 0, 7),
        batch("a", 1, 7, "COMMIT"),
        batch("a", 2, 7, "COMMIT")._replace(coordinator_epoch=1),
        batch("a", 3, 7),
        batch("a", 4, 7, "COMMIT")._replace(coordinator_epoch=1),
    ]
    history = changes("x", 7, *ONCE, *((state, a, ms + 10) for state, a, ms in ONCE[1:]))
    joined = joined_history(rows, history, SETTLED)
    assert written(list(joined.entries)) == [
        *("Empty", "Ongoing", "a@0", "PrepareCommit", "a@1COMMIT", "a@2COMMIT"),
        *("CompleteCommit", "Ongoing", "a@3", "PrepareCommit", "a@4COMMIT", "CompleteCommit"),
    ]
