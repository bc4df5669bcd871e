"""Folding changes no finding, however a journal is cut, dealt out and shuffled."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

from mockbroker import Cluster
from mockbroker.audit.folding.folding import fold
from mockbroker.audit.judgement import judge
from mockbroker.audit.local import decided
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.runs.run_table import joined, runs_of
from mockbroker.audit.source import A_JOURNAL, Source
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.entry import Entry
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.audit.golden.stored import TWINS, golden
from tests.support.audit_lives import life
from tests.support.folds import run_rows
from tests.support.requests import batch_of, produce
from tests.support.wire import broker_client

pytestmark = pytest.mark.slow


def cut(entries: list[Entry], draw: random.Random) -> list[list[Entry]]:
    """Cut a journal into parts, or deal its rows out to them; parts and rows are in no order."""
    count = draw.choice([1, 2, 3, 6])
    parts: list[list[Entry]] = [[] for _ in range(count)]
    if draw.random() < 0.3:
        for entry in entries:
            draw.choice(parts).append(entry)
    else:
        cuts = sorted(draw.choices(range(len(entries) + 1), k=count - 1))
        bounds = zip([0, *cuts], [*cuts, len(entries)], strict=True)
        parts = [entries[begin:end] for begin, end in bounds]
        draw.shuffle(parts)
    for part in parts:
        draw.shuffle(part)
    return [part for part in parts if part]


def folded_verdict(parts: Sequence[Sequence[Entry]]) -> Verdict:
    def read(unfolded: frozenset[StreamKey]) -> tuple[list[Run], Source]:
        tables = [fold(run_rows(part), unfolded) for part in parts]
        return runs_of(fold(joined(tables), unfolded)), A_JOURNAL

    return decided(read)


def assert_same(entries: list[Entry], draw: random.Random) -> None:
    plain = judge(journal_runs(entries))
    assert not plain.undecided
    folded = folded_verdict(cut(entries, draw))
    assert folded.findings == plain.findings
    assert folded.unknown == plain.unknown
    assert folded.rules == plain.rules
    assert folded.counts._replace(events=0) == plain.counts._replace(events=0)
    assert not folded.undecided


@given(
    st.randoms(use_true_random=False),
    st.sampled_from([5, 12, 40]),
    st.sampled_from([0.05, 0.2, 0.5]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_histories_with_many_anomalies_are_judged_alike(
    draw: random.Random, steps: int, wrong: float
) -> None:
    assert_same(life(draw, steps, wrong), draw)


@pytest.mark.parametrize(
    ("seed", "wrong"),
    [
        pytest.param(2_231, 0.5, id="what is cut off stands in an older fold"),
        pytest.param(2_237, 0.2, id="the same, of another life"),
        pytest.param(1_001_300, 0.2, id="and of a third"),
        pytest.param(3_000_263, 0.2, id="what is folded is said to have come again, and is cut"),
        pytest.param(3_003_479, 0.5, id="the same, of another producer"),
        pytest.param(3_000_464, 0.5, id="a sequence that was reached in a log that was cut"),
        pytest.param(7_004_429, 0.5, id="the same, behind another leader"),
    ],
)
def test_histories_that_were_once_judged_differently_are_judged_alike(
    seed: int, wrong: float
) -> None:
    draw = random.Random(seed)
    assert_same(life(draw, 40, wrong), draw)


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("rule", RULES)
def test_golden_journals_are_judged_alike(rule: str, twin: str) -> None:
    entries = golden(rule, "fires" if twin == "fires" else "clean")
    for seed in range(3):
        assert_same(entries, random.Random(seed))


def write(cluster: Cluster, broker: int) -> None:
    with broker_client(cluster, broker) as client:
        client.ask(produce(records=batch_of(b"order"), acks=1), 9, ProduceResponse)


def test_what_isolated_leaders_append_alone_is_judged_alike() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, journal=True, clock="manual") as cluster:
        for _ in range(3):
            isolated = cluster.partition("orders", 0).leader
            cluster.isolate(isolated)
            others = cluster.partition("orders", 0).leader
            for broker in (isolated, others) * 4:
                write(cluster, broker)
            cluster.rejoin(isolated)
        entries = cluster.journal.entries()
    plain = judge(journal_runs(entries))
    assert [each.rule for each in plain.findings] == ["ACKED_NOT_DURABLE"] * 3
    assert [len(each.consequences) for each in plain.findings] == [4, 4, 4]
    for seed in range(5):
        assert_same(entries, random.Random(seed))
