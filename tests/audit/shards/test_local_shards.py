"""Shards of a journal get the findings of one loop, however it is cut, dealt out and shuffled."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker import Cluster
from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.audit.golden.stored import TWINS, golden
from tests.support.audit_lives import life
from tests.support.requests import batch_of, produce
from tests.support.shards import assert_same
from tests.support.wire import broker_client

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize("seed", [395, 575, 2_231, 3_003_479])
def test_a_batch_that_was_never_appended_has_no_part_in_a_truncation(seed: int) -> None:
    draw = random.Random(seed)
    verdict = assert_same(life(draw, 40, 0.5), draw)
    for each in verdict.of_rule("LOST_ACKED"):
        assert (each.first_offset, each.consequences) == (None, ())


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
