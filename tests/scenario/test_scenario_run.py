"""A scenario on a running cluster, with a real client."""

import threading

import pytest
from confluent_kafka import Producer

from mockbroker import Cluster
from mockbroker.errors import ScenarioError
from mockbroker.scenario import ScenarioProblem, ScenarioRun, running
from mockbroker.wire import WireProducer
from tests.support.scenarios import LOST_ACK, scenario


def produce(cluster: Cluster, *values: bytes) -> None:
    settings = cluster.client_config("confluent", **{"enable.idempotence": True, "log_level": 2})
    producer = Producer(settings)
    for value in values:
        producer.produce("orders", value)
        producer.flush()


def cluster_of(text: str) -> Cluster:
    return Cluster(**scenario(text).cluster_arguments())


def test_steps_follow_what_a_client_does() -> None:
    with cluster_of(LOST_ACK) as cluster, running(cluster, scenario(LOST_ACK)) as run:
        produce(cluster, b"order-1", b"order-2")
        assert run.finish() is None
        values = [each.value for each in cluster.records("orders")]
        assert values == [b"order-1", b"order-1", b"order-2"]
        assert cluster.partition("orders", 0).leader_epoch == 1
        assert cluster.clock.ahead_ms >= 7 * 86_400_000


def test_an_expectation_that_does_not_hold_is_named_with_its_place() -> None:
    text = LOST_ACK.replace("no_loss:", "exactly_once:")
    with (
        cluster_of(text) as cluster,
        pytest.raises(AssertionError, match=r"a.yaml:17:5: exactly-once:topic=orders: ") as failed,
        running(cluster, scenario(text)),
    ):
        produce(cluster, b"order-1", b"order-2")
    assert "repeats offset 0" in str(failed.value)


def test_a_wait_for_what_does_not_come_fails_at_the_end_with_the_story_of_its_fault() -> None:
    with cluster_of(LOST_ACK) as cluster:
        run = ScenarioRun(cluster, scenario(LOST_ACK))
        run.make_faults()
        run.begin()
        step, *others = run.failures()
    assert str(step).startswith(
        "a.yaml:11:5: wait_for: {fault: retry, held: 1}: it did not occur by the end: retry: fault("
    )
    (unfired,) = others
    assert str(unfired).startswith("a.yaml:18:5: all-faults-fired: faults that never fired")


def test_a_wait_is_limited_by_its_timeout() -> None:
    text = "steps: [wait_for: {records: 1, topic: orders, timeout: 0ms}]"
    failed = threading.Event()
    problems: list[ScenarioProblem] = []

    def on_failure(problem: ScenarioProblem) -> None:
        problems.append(problem)
        failed.set()

    with cluster_of(text) as cluster:
        run = ScenarioRun(cluster, scenario(text), on_failure)
        run.begin()
        failed.wait()
        assert run.finish() is problems[0]
    assert problems[0].why.endswith("it did not occur within 0ms")


def test_the_end_lets_those_steps_run_that_need_not_wait_any_more() -> None:
    text = "steps: [wait_for: {log_end_offset: 1, topic: a, partition: 0}, clock.advance: 1h]"
    with Cluster(topics={"a": 1}) as cluster:
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("a", b"1", base_sequence=0)
        run = ScenarioRun(cluster, scenario(text))
        run.begin()
        assert run.failures() == []
        assert cluster.clock.ahead_ms >= 3_600_000


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("start: 1", "1:9: start: {broker: 1}: broker 1 is running, not killed or stopped"),
        ("kill: 7", "1:9: kill: {broker: 7}: there is no broker 7"),
        ("partition.compact: {topic: a, partition: 0}", "there is no partition a-0"),
        ("acls.allow: {operation: read, topic: a}", "the cluster has no authorizer"),
        ("fault: {effect: {throttle: 1s}, match: {api: EndTxn, topic: a, broker: 1}}", ""),
    ],
)
def test_a_step_that_fails_ends_the_scenario(step: str, why: str) -> None:
    text = f"steps: [{step}, wait_for: {{records: 1, topic: orders}}]"
    with Cluster() as cluster:
        run = ScenarioRun(cluster, scenario(text))
        run.begin()
        problem = run.finish()
    assert problem is not None
    assert why in str(problem)


def test_a_fault_that_the_cluster_refuses_has_its_place() -> None:
    text = "faults:\n- match: {api: ShareFetch}\n  effect: {throttle: 1s}\n"
    with Cluster(kafka="2.8") as cluster:
        run = ScenarioRun(cluster, scenario(text))
        with pytest.raises(ScenarioError, match=r"a.yaml:2:16: ShareFetch is not served"):
            run.make_faults()


def test_a_block_that_fails_is_not_judged() -> None:
    with (
        cluster_of(LOST_ACK) as cluster,
        pytest.raises(ZeroDivisionError),
        running(cluster, scenario(LOST_ACK)),
    ):
        raise ZeroDivisionError


def test_an_assertion_that_cannot_be_checked_is_a_failure() -> None:
    text = "expect: [records: {topic: nothing, expected: [a]}]"
    with Cluster() as cluster:
        (problem,) = ScenarioRun(cluster, scenario(text)).failures()
    assert "there is no topic" in problem.why
