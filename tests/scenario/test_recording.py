"""What was done to a cluster is recorded as a scenario, which does the same again."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest
from confluent_kafka import Producer

from mockbroker import API, Cluster, at
from mockbroker.control.actions import action_log
from mockbroker.scenario import Recording, read_scenario, record, running
from mockbroker.scenario.trial import try_scenario
from mockbroker.wire import WireProducer


def produce(cluster: Cluster, *values: bytes) -> None:
    settings = cluster.client_config("confluent", **{"enable.idempotence": True, "log_level": 2})
    producer = Producer(settings)
    for value in values:
        producer.produce("orders", value)
        producer.flush()


def session(cluster: Cluster) -> None:
    """Break a cluster while a client writes to it."""
    cluster.fault(API.PRODUCE, topic="orders", name="lost-ack").lose_response()
    retry = cluster.fault("Produce", topic="orders", name="retry").hold().on_call(2)
    client = Thread(target=produce, args=(cluster, b"order-1", b"order-2"))
    client.start()
    retry.wait_held(timeout="30s")
    cluster.clock.advance("7d")
    retry.release()
    client.join()
    cluster.kill(2)
    cluster.partition("orders", 0).elect(3, producer_state="none")
    cluster.fault(API.END_TXN, name="late").answer("CONCURRENT_TRANSACTIONS").times(3)


def made() -> Cluster:
    return Cluster(
        brokers=3,
        kafka="3.9",
        topics={"orders": 1},
        config={"log.retention.ms": "1000"},
        clock="manual",
        seed=7,
        journal=True,
    )


STEPS: list[dict[str, dict[str, object]]] = [
    {"wait_for": {"fault": "lost-ack", "hits": 1}},
    {"wait_for": {"fault": "retry", "held": 1}},
    {"wait_for": {"log_end_offset": 1, "topic": "orders", "partition": 0}},
    {"clock.advance": {"by": "7d"}},
    {"fault.release": {"fault": "retry"}},
    {"wait_for": {"log_end_offset": 3, "topic": "orders", "partition": 0}},
    {"kill": {"broker": 2}},
    {"partition.elect": {"topic": "orders", "partition": 0, "to": 3, "producer_state": "none"}},
]


EVENTS = {"event", "clock", "fault_made", "fault_removed", "held", "released", "rule"}


def events(cluster: Cluster) -> list[tuple[str, str | None, int | None]]:
    """Return the control events of a cluster, without their times."""
    entries = cluster.journal.entries()
    return [(each.kind, each.rule, each.broker) for each in entries if each.kind in EVENTS]


@pytest.mark.slow
def test_a_recording_does_the_same_to_another_cluster(tmp_path: Path) -> None:
    file = tmp_path / "session.yaml"
    with made() as cluster:
        session(cluster)
        recording, seen = record(cluster), events(cluster)
    recording.write(file)
    assert file.read_text("utf-8").startswith("# Recorded by mockbroker ")
    scenario = read_scenario(file)
    try_scenario(scenario)
    with Cluster(**scenario.cluster_arguments(), journal=True) as again:
        with running(again, scenario):
            produce(again, b"order-1", b"order-2")
        assert record(again) == recording
        assert events(again) == seen


def test_a_recording_has_the_cluster_its_faults_and_its_steps() -> None:
    with made() as cluster:
        session(cluster)
        document = record(cluster).document
        without = record(cluster, waits=False).document
    assert document["cluster"] == {
        "brokers": 3,
        "kafka": "3.9",
        "topics": {"orders": 1},
        "config": {"log.retention.ms": "1000"},
        "clock": "manual",
        "seed": 7,
    }
    assert [each["id"] for each in document["faults"]] == ["lost-ack", "retry"]
    assert document["faults"][1]["trigger"] == {"on_call": 2}
    assert "trigger" not in document["faults"][0]
    assert document["steps"][:-1] == STEPS
    assert document["steps"][-1]["fault"]["effect"] == {"answer": "CONCURRENT_TRANSACTIONS"}
    assert without["steps"][:-1] == [each for each in STEPS if "wait_for" not in each]


def recorded(act: Callable[[Cluster], object], **arguments: object) -> Recording:
    with Cluster(**arguments) as cluster:  # type: ignore[arg-type]
        act(cluster)
        return record(cluster)


def test_an_action_without_arguments_is_a_name() -> None:
    assert recorded(lambda cluster: cluster.flush()).document["steps"] == ["flush"]


def test_a_fault_that_was_altered_at_first_is_recorded_as_it_is_then() -> None:
    def alter(cluster: Cluster) -> None:
        first = cluster.fault(API.PRODUCE, name="a").observe()
        cluster.fault(name="b").latency("5ms")
        first.times(2)

    document = recorded(alter).document
    assert [each["id"] for each in document["faults"]] == ["b", "a"]
    assert document["faults"][0]["trigger"] == {"every_time": True}
    assert document["faults"][1]["trigger"] == {"times": 2}
    assert "steps" not in document


def test_a_fault_that_is_removed_after_a_hit_waits_for_it() -> None:
    def act(cluster: Cluster) -> None:
        fault = cluster.fault(API.INIT_PRODUCER_ID, name="seen").observe()
        with fault, WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()

    assert recorded(act).document["steps"] == [
        {"wait_for": {"fault": "seen", "hits": 1}},
        {"fault.remove": {"fault": "seen"}},
    ]


def test_what_a_file_has_no_form_for_is_named(tmp_path: Path) -> None:
    def act(cluster: Cluster) -> None:
        cluster.fault(API.PRODUCE, name="mine", when=lambda _call: True).observe()
        cluster.fault(API.PRODUCE, name="until").hold(until=at.condition(lambda _state: True))

    recording = recorded(act)
    assert [line.partition(":")[2] for line in recording.left_out] == [
        " fault 'mine', which has a predicate of Python",
        " fault 'until', which has a predicate of Python",
    ]
    recording.write(tmp_path / "a.yaml")
    assert "# Left out: fault 'mine'" in (tmp_path / "a.yaml").read_text("utf-8")


def test_topics_and_records_are_recorded_as_text(tmp_path: Path) -> None:
    def act(cluster: Cluster) -> None:
        cluster.create_topic("orders", 2, config={"retention.ms": 1000})
        time = datetime(2026, 1, 1, tzinfo=UTC)
        cluster.append("orders", b"paid", key="order-7", headers={"a": b"b"}, timestamp=time)
        cluster.append("orders", b"\xff", partition=1)

    recording = recorded(act)
    assert recording.document["steps"] == [
        {"create_topic": {"name": "orders", "partitions": 2, "config": {"retention.ms": 1000}}},
        {
            "append": {
                "topic": "orders",
                "value": "paid",
                "key": "order-7",
                "headers": {"a": "b"},
                "timestamp": 1_767_225_600_000,
            }
        },
    ]
    (left_out,) = recording.left_out
    assert left_out.startswith("Left out: append: 'utf-8' codec can't decode")
    recording.write(tmp_path / "a.yaml")
    scenario = read_scenario(tmp_path / "a.yaml")
    with Cluster(**scenario.cluster_arguments()) as cluster, running(cluster, scenario) as run:
        assert run.finish() is None
        (record,) = cluster.records("orders")
        assert (record.key, record.value) == (b"order-7", b"paid")


def test_features_proposals_and_topics_are_those_that_were_given() -> None:
    recording = recorded(
        lambda _cluster: None,
        topics=["a", "b"],
        features={"transaction.version": 1},
        proposals=["last-epoch"],
    )
    assert recording.document["cluster"] == {
        "brokers": 1,
        "kafka": "4.4",
        "topics": ["a", "b"],
        "features": {"transaction.version": 1},
        "proposals": ["last-epoch"],
    }


def test_a_recording_in_json_is_the_same_document(tmp_path: Path) -> None:
    recording = recorded(lambda cluster: cluster.flush())
    recording.write(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == recording.document


def test_a_recording_that_lacks_actions_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action_log, "ENTRIES_MAX", 0)
    recording = recorded(lambda cluster: cluster.flush())
    assert recording.left_out == ("more than 10000 actions: the later ones are left out",)
