"""KafkaShareConsumer of 4.4.0 (KIP-932)."""

import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from mockbroker import Cluster
from tests.clients.support.command_line_tools import Tools, rows
from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.java import java_command, programs, run_java

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(180)]

TOPIC = "shared-records"
SOON = {
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "100",
    "group.share.assignment.interval.ms": "0",
    "group.share.min.record.lock.duration.ms": "1000",
}
"""Configs with which members hear of changes, and lose their locks, sooner."""
GUARDED = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, config=SOON) as running:
        admin = AdminClient({"bootstrap.servers": running.bootstrap_servers})
        made = admin.create_topics([NewTopic(TOPIC, num_partitions=1)])
        made[TOPIC].result(TIMEOUT_S)
        producer = Producer({"bootstrap.servers": running.bootstrap_servers})
        for number in range(4):
            producer.produce(TOPIC, b"value %d" % number, partition=0)
        producer.flush(TIMEOUT_S)
        yield running


def set_up(tools: Tools, cluster: Cluster, group: str, *, lock_ms: int = 30_000) -> None:
    """Have a group begin at the first record, and hold its locks for a while."""
    configs = f"share.auto.offset.reset=earliest,share.record.lock.duration.ms={lock_ms}"
    tools.output_of(
        *("kafka-configs", "--bootstrap-server", cluster.bootstrap_servers),
        *("--entity-type", "groups", "--entity-name", group, "--alter", "--add-config", configs),
    )


def run(cluster: Cluster, mode: str, group: str, *more: str) -> list[str]:
    """Run a member, and return what it prints."""
    words = (mode, cluster.bootstrap_servers, group, TOPIC, *more)
    return run_java(programs("clients-4.4.0"), "ShareGroups", *words).splitlines()


def taken(cluster: Cluster, group: str) -> dict[str, str]:
    """Have a member accept the four records, and return their deliveries by offset.

    A client may fetch ahead: what it has acquired so is delivered once more later.
    """
    (printed,) = run(cluster, "take", group, "4")
    found = dict(each.split(":") for each in printed.removeprefix("took ").split())
    assert list(found) == ["0", "1", "2", "3"]
    return found


@contextmanager
def holding(cluster: Cluster, group: str) -> Generator["subprocess.Popen[str]"]:
    """Run a member that has acquired the first record, and does nothing with it."""
    words = ("hold", cluster.bootstrap_servers, group, TOPIC)
    command = java_command(programs("clients-4.4.0"), "ShareGroups", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "holds 0:1"
            yield process
        finally:
            process.kill()


def test_records_are_shared_and_acknowledged(tools: Tools, cluster: Cluster) -> None:
    set_up(tools, cluster, "acknowledging")
    shared, again, renewed, took = run(cluster, "acknowledge", "acknowledging")
    (released, once), (accepted, _) = deliveries(shared, "share")
    assert released != accepted
    assert once == 1
    # A client may fetch ahead: then it has another record before the one that it released.
    ((next_offset, count),) = deliveries(again, "released")
    assert count == 2 if next_offset == released else next_offset != accepted
    assert deliveries(renewed, "renewed") == [(next_offset, count)]
    left = dict(deliveries(took, "took"))
    assert set(left) == {0, 1, 2, 3} - {accepted, next_offset}
    assert left.get(released, 2) >= 2


@pytest.mark.parametrize(
    ("topic", "group", "refusal"),
    [
        (
            "orders",
            None,
            "TopicAuthorizationException: Not authorized to access topics: [orders]",
        ),
        (
            None,
            "sharing",
            "GroupAuthorizationException: Not authorized to access group: sharing",
        ),
    ],
)
def test_a_member_that_may_not_read_is_refused(
    topic: str | None, group: str | None, refusal: str
) -> None:
    with Cluster(topics={"orders": 1}, config={**SOON, **GUARDED}) as cluster:
        cluster.acls.allow("describe", topic=topic, group=group)
        cluster.acls.deny("read", topic=topic, group=group)
        words = ("refused", cluster.bootstrap_servers, "sharing", "orders")
        (printed,) = run_java(programs("clients-4.4.0"), "ShareGroups", *words).splitlines()
        assert printed == refusal


def deliveries(printed: str, title: str) -> list[tuple[int, int]]:
    """Return the offsets, with how often each was delivered, in a line of the program."""
    words = printed.removeprefix(f"{title} ").split()
    return [(int(offset), int(count)) for offset, count in (each.split(":") for each in words)]


def test_a_rejected_record_is_a_dead_letter(tools: Tools, cluster: Cluster) -> None:
    queue, group = "dlq.shared", "rejecting"
    set_up(tools, cluster, group)
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    enabled = {"errors.deadletterqueue.group.enable": "true"}
    admin.create_topics([NewTopic(queue, num_partitions=1, config=enabled)])[queue].result(
        TIMEOUT_S
    )
    configs = (
        f"errors.deadletterqueue.topic.name={queue},errors.deadletterqueue.copy.record.enable=true"
    )
    tools.output_of(
        *("kafka-configs", "--bootstrap-server", cluster.bootstrap_servers),
        *("--entity-type", "groups", "--entity-name", group, "--alter", "--add-config", configs),
    )
    handle = cluster.group(group)
    handle.hold_dead_letters()
    renewed = run(cluster, "acknowledge", group)[2]
    rejected, deliveries = renewed.removeprefix("renewed ").split(":")
    assert cluster.records(queue) == []
    assert handle.step_dead_letters() == f"WriteDeadLetters {group} {TOPIC}-0 {rejected}-{rejected}"
    (letter,) = cluster.records(queue)
    assert letter.value == b"value %d" % int(rejected)
    assert dict(letter.headers) == {
        "__dlq.errors.topic": TOPIC.encode(),
        "__dlq.errors.partition": b"0",
        "__dlq.errors.offset": rejected.encode(),
        "__dlq.errors.group": group.encode(),
        "__dlq.errors.delivery.count": deliveries.encode(),
        "__dlq.errors.message": b"Offset rejected by client.",
    }
    handle.release_dead_letters()
    offsets = {dict(each.headers)["__dlq.errors.offset"] for each in cluster.records(queue)}
    assert offsets == {rejected.encode()}, "once more if the share partition was loaded again"


def test_a_killed_member_releases_what_it_has_acquired(tools: Tools, cluster: Cluster) -> None:
    set_up(tools, cluster, "killed")
    with holding(cluster, "killed") as process:
        process.kill()
        process.wait(TIMEOUT_S)
    assert taken(cluster, "killed")["0"] == "2"


def test_a_lock_expires_while_its_member_is_idle(tools: Tools, cluster: Cluster) -> None:
    set_up(tools, cluster, "idle", lock_ms=1000)
    with holding(cluster, "idle"):
        assert taken(cluster, "idle")["0"] == "2"


def test_the_command_line_describes_resets_and_deletes(tools: Tools, cluster: Cluster) -> None:
    group = "tooled"
    set_up(tools, cluster, group)
    command = ("kafka-share-groups", "--bootstrap-server", cluster.bootstrap_servers)
    of_group = (*command, "--group", group)
    with holding(cluster, group):
        assert rows(tools.output_of(*command, "--list", "--state"))[0][:2] == [group, "Stable"]
        (member,) = rows(tools.output_of(*of_group, "--describe", "--members"))
        assert member[-1] == f"{TOPIC}:0"
        assert "is not EMPTY" in tools.output_of(*of_group, "--delete")
    cluster.clock.advance("1m", keep_sessions=False)
    assert taken(cluster, group)["0"] == "2"
    (offsets,) = rows(tools.output_of(*of_group, "--describe"))
    assert (offsets[:3], offsets[-1]) == ([group, TOPIC, "0"], "0")
    tools.output_of(*of_group, "--reset-offsets", "--to-earliest", "--topic", TOPIC, "--execute")
    assert taken(cluster, group) == dict.fromkeys("0123", "1")
    tools.output_of(*of_group, "--delete-offsets", "--topic", TOPIC)
    assert rows(tools.output_of(*of_group, "--describe")) == []
    tools.output_of(*of_group, "--delete")
    assert group not in tools.output_of(*command, "--list")
