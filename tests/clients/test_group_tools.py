"""The classes behind Kafka's scripts for groups, and the consumers in groups, unmodified."""

import base64
import json
from contextlib import closing
from typing import Any

import pytest

from tests.clients.support.command_line_tools import Tools, rows
from tests.clients.support.group_tools import VALUES, GroupTools, Offsets

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def group_tools(tools: Tools, bootstrap_servers: str, topic: str) -> GroupTools:
    return GroupTools(tools, bootstrap_servers, topic)


def test_a_group_with_a_member_is_listed_and_described_but_not_deleted(
    group_tools: GroupTools,
) -> None:
    with closing(group_tools.joined()):
        assert group_tools.listed("kafka-consumer-groups") == [[group_tools.group]]
        stable = ("kafka-consumer-groups", "--state", "stable")
        assert group_tools.listed(*stable) == [[group_tools.group, "Stable"]]
        assert group_tools.listed("kafka-consumer-groups", "--state", "empty") == []
        assert group_tools.listed("kafka-groups") == [[group_tools.group, "Classic", "consumer"]]

        first, second = rows(group_tools.printed("--describe"))
        assert first[:6] == [group_tools.group, group_tools.topic, "0", "4", "4", "0"]
        assert second[:6] == [group_tools.group, group_tools.topic, "1", "2", "2", "0"]
        (member,) = rows(group_tools.printed("--describe", "--members", "--verbose"))
        assert first[6:] == second[6:] == member[1:4]
        assert member[2:6] == ["/127.0.0.1", "rdkafka", "2", "-"]
        assert member[6] == f"{group_tools.topic}:0,1"
        (state,) = rows(group_tools.printed("--describe", "--state"))
        assert state[3:] == ["range", "Stable", "1"]

        topic = ("--topic", group_tools.topic)
        assert "GroupNotEmptyException: The group is not empty." in group_tools.printed("--delete")
        assert "is inactive, but the current state is Stable." in group_tools.printed(
            "--reset-offsets", "--to-earliest", *topic, "--execute"
        )
        refused = group_tools.printed("--delete-offsets", *topic)
        assert refused.count("GroupSubscribedToTopicException: Deleting offsets of a topic") == 2
        assert rows(group_tools.printed("--describe")) == [first, second]


def test_offsets_of_an_empty_group_are_reset_and_deleted_and_it_is_deleted(
    group_tools: GroupTools,
) -> None:
    group_tools.joined().close()
    (state,) = rows(group_tools.printed("--describe", "--state"))
    assert state[3:] == ["-", "Empty", "0"]
    assert rows(group_tools.printed("--describe", "--members")) == []
    assert group_tools.offsets() == [Offsets("0", "4", "4", "0"), Offsets("1", "2", "2", "0")]

    assert group_tools.reset("--to-earliest") == {"0": "0", "1": "0"}
    assert group_tools.offsets() == [Offsets("0", "0", "4", "4"), Offsets("1", "0", "2", "2")]
    assert group_tools.reset("--shift-by", "1", partition=":0") == {"0": "1"}
    assert group_tools.reset("--to-offset", "9", partition=":1") == {"1": "2"}  # as far as it goes
    assert group_tools.offsets() == [Offsets("0", "1", "4", "3"), Offsets("1", "2", "2", "0")]
    deleted = group_tools.printed("--delete-offsets", "--topic", f"{group_tools.topic}:0")
    assert deleted.splitlines()[-1].split() == [group_tools.topic, "0", "Successful"]
    assert group_tools.offsets() == [Offsets("1", "2", "2", "0")]

    assert group_tools.printed("--delete") == (
        f"Deletion of requested consumer groups ('{group_tools.group}') was successful.\n"
    )
    assert group_tools.listed("kafka-consumer-groups") == []
    assert f"GroupIdNotFoundException: Group {group_tools.group} not found." in (
        group_tools.printed("--describe")
    )
    assert "GroupIdNotFoundException: The group id does not exist." in (
        group_tools.printed("--delete")
    )
    # a reset makes the group anew
    assert group_tools.reset("--to-latest") == {"0": "4", "1": "2"}
    assert group_tools.offsets() == [Offsets("0", "4", "4", "0"), Offsets("1", "2", "2", "0")]


def test_console_consumers_of_a_group_share_its_offsets(group_tools: GroupTools) -> None:
    options = ("--group", group_tools.group, "--from-beginning", "--timeout-ms", "20000")
    first = group_tools.consume("kafka-console-consumer", *options)
    second = group_tools.consume("kafka-console-consumer", *options)
    values = [value for values in VALUES for value in values]
    assert sorted(first.splitlines() + second.splitlines()) == values
    assert group_tools.offsets() == [Offsets("0", "4", "4", "0"), Offsets("1", "2", "2", "0")]


def test_a_verifiable_consumer_reports_assignments_reads_and_commits(
    group_tools: GroupTools,
) -> None:
    options = ("--group-id", group_tools.group, "--reset-policy", "earliest")
    printed = group_tools.consume("kafka-verifiable-consumer", *options)
    events: list[dict[str, Any]] = [json.loads(line) for line in printed.splitlines()]

    def of(name: str) -> list[dict[str, Any]]:
        return [event for event in events if event["name"] == name]

    names = [event["name"] for event in events]
    assert names[:2] == ["startup_complete", "partitions_assigned"]
    assert names[-2:] == ["partitions_revoked", "shutdown_complete"]
    both = [{"topic": group_tools.topic, "partition": number} for number in range(2)]
    assert events[1]["partitions"] == events[-2]["partitions"] == both
    consumed = of("records_consumed")
    assert sum(part["count"] for event in consumed for part in event["partitions"]) == 3
    assert all(event["success"] for event in of("offsets_committed"))
    assert sum(int(row.current) for row in group_tools.offsets() if row.current != "-") == 3


def test_kafkas_own_classes_read_the_log_of_a_group(group_tools: GroupTools) -> None:
    member = group_tools.joined()
    member.close()
    offsets = group_tools.logged("OffsetsMessageFormatter")
    where = [(each["key"]["type"], each["key"]["data"]["partition"]) for each in offsets]
    assert where == [(1, 0), (1, 1)]
    assert [each["value"]["version"] for each in offsets] == [4, 4]
    assert [each["value"]["data"]["offset"] for each in offsets] == [4, 2]
    assert {each["key"]["data"]["topic"] for each in offsets} == {group_tools.topic}

    metadata = group_tools.logged("GroupMetadataMessageFormatter")
    assert [(each["key"]["type"], each["value"]["version"]) for each in metadata] == [(2, 3)] * 3
    values = [each["value"]["data"] for each in metadata]
    assert [(value["generation"], value["protocol"]) for value in values] == [
        (0, None),
        (1, "range"),
        (2, None),
    ]
    assert [len(value["members"]) for value in values] == [0, 1, 0]
    (logged,) = values[1]["members"]
    assert logged["memberId"] == values[1]["leader"]
    assert (logged["clientId"], logged["clientHost"]) == ("rdkafka", "/127.0.0.1")
    assert group_tools.topic.encode() in base64.b64decode(logged["assignment"])
