"""Numbers of rows in the order of transactions."""

from itertools import groupby

import pytest

from mockbroker import Cluster
from mockbroker.audit.finding import Finding
from mockbroker.audit.judgement import Judgement, machines_of
from mockbroker.audit.runs.journal_runs import run_of
from mockbroker.audit.runs.run import Run, sort_key
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.topics.history_order import HistoryOrder, history_order
from mockbroker.spark.topics.log_outline import outlined, transactions_of
from mockbroker.spark.topics.topics_in_process import read_topics
from mockbroker.spark.topics.transaction_evidence import TransactionEvidence, transaction_evidence
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.spark.topics.logged_rows import batch, changes
from tests.support.hanging import WITHOUT_VERIFICATION
from tests.support.random_transactions import TOPICS, RandomTransactions

EMPTY, ONGOING, COMMIT, DONE = (TransactionState(each) for each in (0, 1, 2, 4))
ONCE = changes("x", 7, (EMPTY, "", 1), (ONGOING, "a", 2), (COMMIT, "a", 3), (DONE, "", 4))
LOG = [batch("a", 1, 7), batch("a", 4, 7), batch("a", 5, 7, "COMMIT")]


def order_of(log: list[Entry], end: int = 9) -> HistoryOrder:
    return history_order(log, ONCE, {0: 1 << 30}, [end])


def test_a_row_has_the_place_of_the_next_row_of_the_outline() -> None:
    order = order_of(LOG)
    numbers = [order.number("a", 0, 7, offset) for offset in (0, 1, 2, 4, 5, 6)]
    transitions = [each.seq for each in order.transitions]
    assert numbers == sorted(numbers)
    assert transitions[1] < numbers[1]
    assert numbers[3] < transitions[2] < numbers[4] < transitions[3] < numbers[5]
    assert [each & 0xFFFF for each in numbers] == [1, 2, 3, 5, 6, 7]


def test_rows_without_an_outline_precede_all_changes() -> None:
    assert order_of(LOG).number("b", 0, 8, 3) == 4


@pytest.mark.parametrize("end", [9, 1 << 45])
def test_a_finding_gets_the_numbers_of_rows_back(end: int) -> None:
    order = order_of(LOG, end)
    evidence = (order.transitions[1].seq, order.number("a", 0, 7, end - 5))
    found = order.restored(Finding("X", *(None,) * 2, evidence=evidence))  # type: ignore[arg-type]
    assert found.evidence == (end - 4,)


def test_a_marker_that_nobody_has_decided_may_be_by_hand() -> None:
    marker = batch("a", 6, 7, "ABORT")
    assert order_of([*LOG, marker]).by_hand == {("a", 0, 6)}


def numbered(row: Entry, order: HistoryOrder) -> Run:
    topic, partition, offset = row.topic or "", row.partition or 0, row.base_offset or 0
    by_hand = (topic, partition, offset) in order.by_hand
    number = order.number(topic, partition, row.producer_id or 0, offset)
    return run_of(row._replace(seq=number, api=ApiKey.WRITE_TXN_MARKERS if by_hand else None))


def found_by(rows: list[Entry], evidence: TransactionEvidence, *, is_outlined: bool) -> list[str]:
    """Judge rows by the order of their outlines, or of all of them."""
    wanted = transactions_of(evidence.changes)
    logs = groupby(rows, key=lambda row: (row.topic, row.partition))
    outline = [row for _, log in logs for row in (outlined(log, wanted) if is_outlined else log)]
    order = history_order(outline, evidence.changes, evidence.settled, evidence.asked.values())
    runs = [numbered(row, order) for row in rows]
    source = evidence.source(frozenset(), "")
    judgement = Judgement(source, machines=machines_of(ShardScope.PRODUCER))
    judgement.see(sorted([*evidence.runs, *order.transitions, *runs], key=sort_key))
    return [each.text for each in judgement.end().verdict(source, len(runs)).findings]


@pytest.mark.parametrize("version", [0, 2])
def test_outlines_give_the_order_that_whole_logs_give(version: int) -> None:
    config = WITHOUT_VERIFICATION if version == 0 else {}
    found: list[str] = []
    for seed in (1, 2):
        with Cluster(brokers=2, topics=TOPICS, config=config) as cluster:
            RandomTransactions(cluster, seed, version=version, is_faulty=True).run(60)
            source = TopicSource(bootstrap_servers=cluster.bootstrap_servers, topics=tuple(TOPICS))
            evidence = transaction_evidence(source)
            rows, _ = read_topics(source)
        of_outlines = found_by(rows, evidence, is_outlined=True)
        assert of_outlines == found_by(rows, evidence, is_outlined=False)
        found += of_outlines
    assert bool(found) == (version == 0)
