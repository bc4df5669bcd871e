"""Shards of a journal get the findings of one loop, however it is cut, dealt out and shuffled."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker import API, Cluster
from mockbroker.audit.finding import sort_key
from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.files.folder import read_journal
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireProducer
from tests.audit.golden.stored import TWINS, golden
from tests.support.audit_lives import life
from tests.support.requests import batch_of, produce
from tests.support.shards import assert_same, lived_twice
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


@pytest.mark.parametrize("rule", RULES)
def test_a_cluster_that_does_the_same_in_two_lives_has_the_findings_twice(rule: str) -> None:
    entries = golden(rule, "fires")
    twice = assert_same(lived_twice(entries), random.Random(rule))
    once = judge(journal_runs(entries))
    assert [each.rule for each in twice.findings] == sorted_twice(once)


def sorted_twice(verdict: Verdict) -> list[str]:
    found = sorted((*verdict.findings, *verdict.findings), key=sort_key)
    return [each.rule for each in found]


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


def rules_in(cluster: Cluster) -> list[str]:
    """Judge what a cluster recorded, in one loop and in shards."""
    verdict = assert_same(cluster.journal.entries(), random.Random(1))
    return [each.rule for each in verdict.findings]


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_commit_after_the_timeout_is_found_with_every_version_of_transactions(
    version: int,
) -> None:
    with Cluster(topics={"orders": 1}, journal=True, clock="manual") as cluster:
        producer = WireProducer(cluster.bootstrap_servers, "svc", transaction_version=version)
        producer.init_producer_id(timeout_ms=10_000)
        producer.add_partition("orders")
        producer.produce("orders", b"order", base_sequence=0)
        cluster.clock.advance("70s")
        assert producer.commit()
        assert rules_in(cluster) == ["PREPARED_TXN_EXPIRED"]
        producer.close()


def test_a_late_copy_of_a_commit_commits_no_transaction_that_timed_out() -> None:
    with Cluster(topics={"orders": 1}, journal=True, clock="manual") as cluster:
        producer = WireProducer(cluster.bootstrap_servers, "svc", transaction_version=2)
        producer.init_producer_id(timeout_ms=10_000)
        first = producer.producer_epoch
        producer.produce("orders", b"order", base_sequence=0)
        assert not producer.commit()
        producer.produce("orders", b"order", base_sequence=0)
        cluster.clock.advance("70s")
        producer.producer_epoch = first
        assert producer.commit()
        assert rules_in(cluster) == []
        producer.close()


def test_a_copy_of_a_commit_that_waited_commits_no_transaction_that_timed_out() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True, clock="manual") as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
        WireProducer(cluster.bootstrap_servers, "svc") as copy,
        ThreadPoolExecutor(1) as pool,
    ):
        producer.init_producer_id(timeout_ms=10_000)
        copy.producer_id, copy.producer_epoch = producer.producer_id, producer.producer_epoch
        producer.add_partition("orders")
        held = cluster.fault(API.END_TXN).hold().once()
        late = pool.submit(copy.commit)
        held.wait_held()
        assert not producer.commit()
        producer.add_partition("orders")
        cluster.clock.advance("70s")
        held.release()
        assert late.result()
        assert rules_in(cluster) == []


def test_deleted_records_of_an_open_transaction_were_not_visible() -> None:
    with Cluster(topics={"orders": 1}, journal=True, clock="manual") as cluster:
        producer = WireProducer(cluster.bootstrap_servers, "svc")
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"order", base_sequence=0)
        cluster.partition("orders", 0).delete_records()
        producer.produce("orders", b"order", base_sequence=1)
        producer.abort()
        assert rules_in(cluster) == []
        producer.close()


def test_a_batch_without_a_producer_is_in_no_transaction() -> None:
    with Cluster(topics={"orders": 1}, journal=True, clock="manual") as cluster:
        producer = WireProducer(cluster.bootstrap_servers, "svc")
        producer.produce("orders", b"order", base_sequence=-1)
        assert cluster.partition("orders", 0).last_stable_offset == 1
        assert rules_in(cluster) == []
        producer.close()


def live(cluster: Cluster, version: int, waits: str) -> None:
    """Commit a transaction, leave one open, write without one, wait, and reset the cluster."""
    with WireProducer(cluster.bootstrap_servers, "svc", transaction_version=version) as producer:
        producer.init_producer_id(timeout_ms=900_000)
        producer.add_partition("orders")
        producer.produce("orders", b"order", base_sequence=0)
        assert not producer.commit()
        producer.add_partition("orders")
        producer.produce("orders", b"order", base_sequence=0 if version == 2 else 1)
    with WireProducer(cluster.bootstrap_servers) as plain:
        plain.init_producer_id()
        plain.produce("orders", b"order", base_sequence=0)
    cluster.clock.advance(waits)
    cluster.reset()


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_cluster_that_is_reset_before_each_test_is_judged_life_by_life(
    version: int, tmp_path: Path
) -> None:
    folder = tmp_path / "journal"
    with Cluster(topics={"orders": 1}, journal=folder, clock="manual") as cluster:
        for waits in ("1s", "30m", "2s"):
            live(cluster, version, waits)
        with WireProducer(cluster.bootstrap_servers, "svc") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            cluster.append("orders", "by another path")
    entries = list(read_journal(folder))
    for seed in range(5):
        assert not assert_same(entries, random.Random(seed)).findings


def test_a_crash_that_loses_a_decision_is_judged_alike() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"paid", base_sequence=0)
        cluster.flush()
        producer.commit()
        cluster.crash()
        verdict = assert_same(cluster.journal.entries(), random.Random(1))
        assert verdict.findings == ()
        assert any("a coordinator knows the transaction" in each for each in verdict.unknown)
