"""The classes behind Kafka's scripts for brokers, replicas, users and features, unmodified."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.support.command_line_tools import Tools, rows
from tests.clients.support.deadline import wait_until
from tests.clients.support.written_batches import append

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def replicated(tools: Tools, bootstrap_servers: str, topic: str) -> str:
    """A topic of two partitions, each with a replica on both of two brokers."""
    tools.output_of(
        *("kafka-topics", "--bootstrap-server", bootstrap_servers, "--create"),
        *("--topic", topic, "--replica-assignment", "1:2,2:1"),
    )
    return topic


def partitions_of(tools: Tools, bootstrap_servers: str, topic: str) -> list[str]:
    """Return the line of each partition, without the topic's name."""
    printed = tools.output_of(
        *("kafka-topics", "--bootstrap-server", bootstrap_servers, "--describe", "--topic", topic)
    )
    return [line.split("\t", maxsplit=2)[2].rstrip() for line in printed.splitlines()[1:]]


def test_a_partition_is_moved_and_led_by_the_replica_that_is_named_first(
    tools: Tools, bootstrap_servers: str, replicated: str, tmp_path: Path
) -> None:
    def reassign(replicas: list[int], option: str) -> str:
        plan = tmp_path / "plan.json"
        moved = {"topic": replicated, "partition": 0, "replicas": replicas}
        plan.write_text(json.dumps({"version": 1, "partitions": [moved]}))
        return tools.output_of(
            *("kafka-reassign-partitions", "--bootstrap-server", bootstrap_servers),
            *(option, "--reassignment-json-file", str(plan)),
        )

    def move(*replicas: int) -> None:
        started = reassign([*replicas], "--execute")
        assert f"Successfully started partition reassignment for {replicated}-0" in started
        done = f"Reassignment of partition {replicated}-0 is completed."
        wait_until(lambda: done in reassign([*replicas], "--verify"))

    def elect() -> str:
        return tools.output_of(
            *("kafka-leader-election", "--bootstrap-server", bootstrap_servers),
            *("--election-type", "preferred", "--topic", replicated, "--partition", "0"),
        )

    assert partitions_of(tools, bootstrap_servers, replicated) == [
        "Partition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tElr: \tLastKnownElr:",
        "Partition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 2,1\tElr: \tLastKnownElr:",
    ]
    assert elect() == f"Valid replica already elected for partitions {replicated}-0\n"
    move(2, 1)
    line, _ = partitions_of(tools, bootstrap_servers, replicated)
    assert line.startswith("Partition: 0\tLeader: 1\tReplicas: 2,1\t")
    assert elect() == (
        f"Successfully completed leader election (PREFERRED) for partitions {replicated}-0\n"
    )
    line, _ = partitions_of(tools, bootstrap_servers, replicated)
    assert line.startswith("Partition: 0\tLeader: 2\tReplicas: 2,1\t")
    move(1)  # the leader is not among them: there is another at once
    line, _ = partitions_of(tools, bootstrap_servers, replicated)
    assert line.startswith("Partition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\t")


def test_a_reassignment_is_proposed(
    tools: Tools, bootstrap_servers: str, replicated: str, tmp_path: Path
) -> None:
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": replicated}]}))
    printed = tools.output_of(
        *("kafka-reassign-partitions", "--bootstrap-server", bootstrap_servers, "--generate"),
        *("--topics-to-move-json-file", str(topics), "--broker-list", "1,2"),
    )
    now, proposed = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert [each["replicas"] for each in now["partitions"]] == [[1, 2], [2, 1]]
    assert [set(each["replicas"]) for each in proposed["partitions"]] == [{1, 2}] * 2


def test_kafka_log_dirs_prints_the_size_of_each_replica(
    tools: Tools, bootstrap_servers: str, replicated: str
) -> None:
    assert append(bootstrap_servers, replicated, 1, "value") == 0

    def sizes() -> dict[str, list[int]]:
        printed = tools.output_of(
            *("kafka-log-dirs", "--bootstrap-server", bootstrap_servers, "--describe"),
            *("--topic-list", replicated, "--broker-list", "1,2"),
        )
        brokers: list[dict[str, Any]] = json.loads(printed.splitlines()[-1])["brokers"]
        assert [broker["broker"] for broker in brokers] == [1, 2]
        replicas = [
            replica
            for broker in brokers
            for folder in broker["logDirs"]
            for replica in folder["partitions"]
        ]
        of_partition: dict[str, list[int]] = {}
        for replica in replicas:
            assert not replica["isFuture"]
            of_partition.setdefault(replica["partition"], []).append(replica["size"])
        return of_partition

    def is_replicated() -> bool:
        sizes_now = sizes()
        assert sizes_now[f"{replicated}-0"] == [0, 0]
        first, second = sizes_now[f"{replicated}-1"]
        return first == second > 0

    wait_until(is_replicated)


def test_users_have_quotas_and_credentials(
    tools: Tools, bootstrap_servers: str, topic: str
) -> None:
    command = ("kafka-configs", "--bootstrap-server", bootstrap_servers)
    user = ("--entity-type", "users", "--entity-name", topic)
    assert tools.output_of(*command, *user, "--describe") == ""
    for config in ("producer_byte_rate=1000", "SCRAM-SHA-256=[iterations=8192,password=secret]"):
        assert tools.output_of(*command, *user, "--alter", "--add-config", config) == (
            f"Completed updating config for user {topic}.\n"
        )
    assert tools.output_of(*command, *user, "--describe").splitlines() == [
        f"Quota configs for user-principal '{topic}' are producer_byte_rate=1000.0",
        f"SCRAM credential configs for user-principal '{topic}' are SCRAM-SHA-256=iterations=8192",
    ]
    for name in ("producer_byte_rate", "SCRAM-SHA-256"):
        tools.output_of(*command, *user, "--alter", "--delete-config", name)
    assert tools.output_of(*command, *user, "--describe") == ""


def test_there_are_no_acls_without_an_authorizer(tools: Tools, bootstrap_servers: str) -> None:
    refused = tools.run("kafka-acls", "--bootstrap-server", bootstrap_servers, "--list")
    assert refused.status == 1
    assert "SecurityDisabledException: No Authorizer is configured" in refused.output


def test_client_metrics_are_configured(tools: Tools, bootstrap_servers: str, topic: str) -> None:
    command = ("kafka-configs", "--bootstrap-server", bootstrap_servers)
    metrics = ("--entity-type", "client-metrics", "--entity-name", topic)
    assert tools.output_of(*command, *metrics, "--alter", "--add-config", "interval.ms=1000") == (
        f"Completed updating config for client-metric {topic}.\n"
    )
    described = tools.output_of(*command, "--entity-type", "client-metrics", "--describe")
    of_this = described.splitlines().index(f"Dynamic configs for client-metric {topic} are:")
    assert described.splitlines()[of_this + 1] == (
        "  interval.ms=1000 sensitive=false "
        "synonyms={DYNAMIC_CLIENT_METRICS_CONFIG:interval.ms=1000}"
    )
    tools.output_of(*command, *metrics, "--alter", "--delete-config", "interval.ms")


def test_features_are_described_and_upgraded_to_the_highest_level(
    tools: Tools, bootstrap_servers: str
) -> None:
    command = ("kafka-features", "--bootstrap-server", bootstrap_servers)
    levels = {row[1]: row[7] for row in map(str.split, features(tools, *command))}
    assert levels["transaction.version"] == "2"
    assert tools.output_of(*command, "upgrade", "--feature", "transaction.version=2") == (
        "transaction.version was upgraded to 2.\n"
    )
    refused = tools.run(*command, "upgrade", "--feature", "transaction.version=9")
    assert refused.status == 1
    assert "Invalid update version 9 for feature transaction.version." in refused.output


def features(tools: Tools, *command: str) -> list[str]:
    return tools.output_of(*command, "describe").splitlines()


def test_the_quorum_has_a_leader_that_is_a_voter(tools: Tools, bootstrap_servers: str) -> None:
    command = ("kafka-metadata-quorum", "--bootstrap-server", bootstrap_servers, "describe")
    lines = tools.output_of(*command, "--status").splitlines()
    status = dict(line.split(":", maxsplit=1) for line in lines)
    voters = [voter["id"] for voter in json.loads(status["CurrentVoters"])]
    assert int(status["LeaderId"]) in voters
    replicas = {row[0]: row[-1] for row in rows(tools.output_of(*command, "--replication"))}
    assert replicas[status["LeaderId"].strip()] == "Leader"
    assert [int(each) for each in sorted(replicas) if replicas[each] != "Observer"] == voters
