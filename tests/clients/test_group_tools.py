"""The classes behind Kafka's scripts for groups, and the consumers in groups, unmodified."""

import base64
import json
from contextlib import closing
from functools import reduce
from typing import Any, NamedTuple

import pytest

from mockbroker.wire.cluster import WireCluster
from tests.clients.python.confluent_client import ConfluentClient
from tests.clients.support.command_line_tools import Tools, rows
from tests.clients.support.deadline import wait_until
from tests.clients.support.matrix_client import GroupMember
from tests.clients.support.stored_batches import stored_batches
from tests.clients.support.topics import create_topic
from tests.clients.support.written_batches import append

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]

VALUES = (("a", "b", "c", "d"), ("e", "f"))
"""What is in the two partitions of each topic."""


OFFSETS_TOPIC = "__consumer_offsets"


class Offsets(NamedTuple):
    """A partition in `kafka-consumer-groups --describe`."""

    partition: str
    current: str
    end: str
    lag: str


class GroupTools:
    """The commands for one group and the topic that it reads."""

    def __init__(self, tools: Tools, bootstrap_servers: str, topic: str) -> None:
        self._tools = tools
        self._bootstrap_servers = bootstrap_servers
        self.topic = topic
        self.group = f"group-of-{topic}"
        create_topic(bootstrap_servers, topic, partitions=len(VALUES))
        for partition, values in enumerate(VALUES):
            assert append(bootstrap_servers, topic, partition, *values) == 0

    def joined(self) -> GroupMember:
        """Return a member that has read and committed everything."""
        member = ConfluentClient().join(self._bootstrap_servers, self.group, self.topic)
        read: list[object] = []

        def polled() -> bool:
            read.extend(member.poll())
            return len(read) == sum(map(len, VALUES))

        wait_until(polled)
        member.commit()
        return member

    def printed(self, *options: str) -> str:
        """Return what `kafka-consumer-groups` prints of the group."""
        return self._tools.output_of(
            *("kafka-consumer-groups", "--bootstrap-server", self._bootstrap_servers),
            *("--group", self.group, *options),
        )

    def consume(self, script: str, *options: str) -> str:
        """Return what a consumer prints that reads three records of the topic."""
        return self._tools.output_of(
            *(script, "--bootstrap-server", self._bootstrap_servers),
            *("--topic", self.topic, "--max-messages", "3", *options),
        )

    def logged(self, formatter: str) -> list[dict[str, Any]]:
        """Return what Kafka's formatter reads of the group in `__consumer_offsets`."""
        with WireCluster(self._bootstrap_servers) as cluster:
            partitions = cluster.topic(OFFSETS_TOPIC).leaders
        partition = str(partition_of(self.group, len(partitions)))
        batches = stored_batches(self._bootstrap_servers, OFFSETS_TOPIC, int(partition))
        count = sum(batch.record_count for batch in batches if not batch.is_control)
        printed = self._tools.output_of(
            *("kafka-console-consumer", "--bootstrap-server", self._bootstrap_servers),
            *("--topic", OFFSETS_TOPIC, "--partition", partition, "--offset", "earliest"),
            *("--max-messages", str(count), "--timeout-ms", "20000"),
            *("--formatter", f"org.apache.kafka.tools.consumer.{formatter}"),
        )
        records = [json.loads(f'{{"key":{text}') for text in printed.split('{"key":')[1:]]
        return [record for record in records if record["key"]["data"]["group"] == self.group]

    def listed(self, script: str, *options: str) -> list[list[str]]:
        """Return the rows that are about the group."""
        printed = self._tools.output_of(
            script, "--bootstrap-server", self._bootstrap_servers, "--list", *options
        )
        return [row for row in map(str.split, printed.splitlines()) if self.group in row]

    def offsets(self) -> list[Offsets]:
        """Return how far the group is in each partition, where nobody is a member."""
        described = rows(self.printed("--describe"))
        assert all(row[:2] == [self.group, self.topic] for row in described)
        assert all(row[6:] == ["-", "-", "-"] for row in described)
        return [Offsets(*row[2:6]) for row in described]

    def reset(self, *options: str, partition: str = "") -> dict[str, str]:
        """Return the offsets that the reset answers, by partition."""
        where = ("--topic", self.topic + partition, "--execute")
        return {row[2]: row[3] for row in rows(self.printed("--reset-offsets", *options, *where))}


def partition_of(group: str, count: int) -> int:
    """Return the partition of `__consumer_offsets` that has the group, by Java's hash of it."""
    unsigned = reduce(lambda total, letter: 31 * total + ord(letter), group, 0) % 2**32
    return min(unsigned, 2**32 - unsigned) % count  # the absolute value of the signed number


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
