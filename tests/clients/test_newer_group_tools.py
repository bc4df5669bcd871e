"""The classes behind Kafka's scripts for groups of the consumer and the streams protocol."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.clients.support.command_line_tools import Ended, Tools, rows
from tests.clients.support.deadline import wait_until
from tests.clients.support.group_tools import VALUES, GroupTools, Offsets
from tests.clients.support.stored_batches import committed_offset
from tests.clients.support.topics import create_topic
from tests.clients.support.word_count import WordCount

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def bootstrap_servers(brokers_of: Callable[[str], str]) -> str:
    return brokers_of("4.4-soon")


@pytest.fixture
def consumers(tools: Tools, bootstrap_servers: str, topic: str) -> GroupTools:
    return GroupTools(tools, bootstrap_servers, topic, "consumer")


def test_a_consumer_group_with_a_member_is_listed_and_described_but_not_deleted(
    consumers: GroupTools,
) -> None:
    group, topic = consumers.group, consumers.topic
    with closing(consumers.joined("first")):
        assert consumers.listed("kafka-groups") == [[group, "Consumer", "consumer"]]
        assert consumers.listed("kafka-groups", "--consumer") == [[group, "Consumer", "consumer"]]
        assert consumers.listed("kafka-groups", "--group-type", "classic") == []
        listed = ("kafka-consumer-groups", "--type")
        assert consumers.listed(*listed, "consumer") == [[group, "Consumer"]]
        assert consumers.listed(*listed, "classic") == []
        of_state = (*listed, "consumer", "--state")
        assert consumers.listed(*of_state, "stable") == [[group, "Consumer", "Stable"]]
        assert consumers.listed(*of_state, "assigning,reconciling") == []

        first, second = rows(consumers.printed("--describe"))
        assert first[:6] == [group, topic, "0", "4", "4", "0"]
        assert second[:6] == [group, topic, "1", "2", "2", "0"]
        (member,) = rows(consumers.printed("--describe", "--members", "--verbose"))
        assert first[6:] == second[6:] == [member[1], *member[3:5]]
        epoch, assigned = member[6], f"{topic}:0,1"
        assert member[2:] == [
            *("first", "/127.0.0.1", "rdkafka", "2"),
            *(epoch, assigned, epoch, assigned),
        ]
        (state,) = rows(consumers.printed("--describe", "--state", "--verbose"))
        assert state[3:] == ["uniform", "Stable", epoch, epoch, "1"]

        where = ("--topic", topic)
        assert "GroupNotEmptyException: The group is not empty." in consumers.printed("--delete")
        assert "is inactive, but the current state is Stable." in consumers.printed(
            "--reset-offsets", "--to-earliest", *where, "--execute"
        )
        refused = consumers.printed("--delete-offsets", *where)
        assert refused.count("GroupSubscribedToTopicException: Deleting offsets of a topic") == 2
        assert rows(consumers.printed("--describe")) == [first, second]


def test_a_consumer_group_without_members_is_reset_and_deleted(consumers: GroupTools) -> None:
    consumers.joined().close()
    (state,) = rows(consumers.printed("--describe", "--state"))
    assert state[3:] == ["uniform", "Empty", "0"]
    assert rows(consumers.printed("--describe", "--members")) == []
    assert consumers.offsets() == [Offsets("0", "4", "4", "0"), Offsets("1", "2", "2", "0")]
    assert consumers.reset("--to-earliest") == {"0": "0", "1": "0"}
    assert consumers.reset("--to-offset", "9", partition=":1") == {"1": "2"}  # as far as it goes
    assert consumers.offsets() == [Offsets("0", "0", "4", "4"), Offsets("1", "2", "2", "0")]
    deleted = consumers.printed("--delete-offsets", "--topic", f"{consumers.topic}:0")
    assert deleted.splitlines()[-1].split() == [consumers.topic, "0", "Successful"]
    assert consumers.offsets() == [Offsets("1", "2", "2", "0")]
    assert consumers.printed("--delete") == (
        f"Deletion of requested consumer groups ('{consumers.group}') was successful.\n"
    )
    assert consumers.listed("kafka-groups") == []
    # a reset makes a group of the other protocol
    assert consumers.reset("--to-latest") == {"0": "4", "1": "2"}
    assert consumers.listed("kafka-groups") == [[consumers.group, "Classic"]]


def test_a_regular_expression_is_validated(consumers: GroupTools) -> None:
    said = "The regular expression `orders-{}` is {}.\n".format
    assert consumers.validated("orders-.*") == said(".*", "valid")
    assert consumers.validated("orders-(") == said("(", "invalid: missing closing )")


def test_console_consumers_of_a_consumer_group_share_its_offsets(consumers: GroupTools) -> None:
    options = (
        *("--group", consumers.group, "--from-beginning", "--timeout-ms", "20000"),
        *("--command-property", "group.protocol=consumer"),
    )
    first = consumers.consume("kafka-console-consumer", *options)
    assert consumers.listed("kafka-groups") == [[consumers.group, "Consumer", "consumer"]]
    second = consumers.consume("kafka-console-consumer", *options)
    values = [value for values in VALUES for value in values]
    assert sorted(first.splitlines() + second.splitlines()) == values
    assert consumers.offsets() == [Offsets("0", "4", "4", "0"), Offsets("1", "2", "2", "0")]


class StreamsTools:
    """The commands for a word count and its group."""

    def __init__(self, tools: Tools, bootstrap_servers: str, topic: str) -> None:
        self._tools = tools
        self._bootstrap_servers = bootstrap_servers
        self.source = GroupTools(tools, bootstrap_servers, topic)
        self.group = self.source.group
        self.application = WordCount(
            bootstrap_servers=bootstrap_servers,
            application_id=self.group,
            input=topic,
            output=f"{topic}-counts",
        )
        create_topic(bootstrap_servers, self.application.output, partitions=len(VALUES))
        self.repartition = f"{self.group}-words-repartition"

    def run(self, script: str, *options: str) -> Ended:
        """Return what came of a command for the group."""
        servers = ("--bootstrap-server", self._bootstrap_servers)
        return self._tools.run(script, *servers, "--group", self.group, *options)

    def printed(self, *options: str) -> str:
        """Return what `kafka-streams-groups` prints of the group."""
        ended = self.run("kafka-streams-groups", *options)
        assert ended.status == 0, ended
        return ended.output

    def described(self, *options: str) -> list[list[str]]:
        """Return what is described of the group, sorted."""
        described = rows(self.printed("--describe", *options))
        assert all(row[0] == self.group for row in described)
        return sorted(row[1:] for row in described)

    def reset(self, *options: str) -> dict[str, str]:
        """Return the offsets that the reset answers, by partition of the input."""
        changed = rows(self.printed("--reset-offsets", *options))
        assert all(row[:2] == [self.group, self.application.input] for row in changed)
        return {row[2]: row[3] for row in changed}

    def topics(self) -> set[str]:
        """Return the names of the topics that the application uses."""
        printed = self._tools.output_of(
            "kafka-topics", "--bootstrap-server", self._bootstrap_servers, "--list"
        )
        return {name for name in printed.split() if self.application.input in name}

    def committed(self) -> list[int]:
        """Return how far the group is in each partition of the input."""
        of_partition = partial(
            committed_offset, self._bootstrap_servers, self.group, self.application.input
        )
        return [of_partition(partition) for partition in range(len(VALUES))]


@pytest.fixture
def streams(tools: Tools, bootstrap_servers: str, topic: str) -> StreamsTools:
    return StreamsTools(tools, bootstrap_servers, topic)


def test_a_streams_group_is_described_and_then_reset_and_deleted(
    streams: StreamsTools, tmp_path: Path
) -> None:
    ends = [len(values) for values in VALUES]
    configs = {"group.protocol": "streams", "client.id": "counter"}
    with streams.application.running(tmp_path / "state", configs):
        wait_until(lambda: streams.committed() == ends)
        a_running_group_is_described(streams)
        a_running_group_is_not_changed(streams)
    an_empty_group_is_reset(streams, ends)
    an_empty_group_is_deleted(streams)


def a_running_group_is_described(streams: StreamsTools) -> None:
    group, source = streams.group, streams.application.input
    listed = streams.source.listed
    assert listed("kafka-groups") == [[group, "Streams", "streams"]]
    assert listed("kafka-groups", "--streams") == [[group, "Streams", "streams"]]
    assert listed("kafka-groups", "--consumer") == []
    assert listed("kafka-streams-groups") == [[group]]
    assert listed("kafka-streams-groups", "--state", "stable") == [[group, "Stable"]]
    assert listed("kafka-streams-groups", "--state", "empty,notready") == []
    refused = streams.run("kafka-consumer-groups", "--describe").output
    assert f"GroupIdNotFoundException: Group {group} is not a consumer group." in refused

    # What it reads again from the repartition topic is committed later than the source.
    parts = sorted([streams.repartition, source])
    lags = [[topic, partition, "0"] for topic in parts for partition in ("0", "1")]
    wait_until(lambda: streams.described() == lags)
    of_source = [row for row in streams.described("--offsets", "--verbose") if row[0] == source]
    assert of_source == [[source, "0", "4", "0", "4", "0"], [source, "1", "2", "0", "2", "0"]]
    (member,) = streams.described("--members")
    tasks = ["ACTIVE:", "0:[0,1];", "1:[0,1];"]
    assert member[2:] == ["counter-StreamThread-1-consumer", *tasks]
    (verbose,) = streams.described("--members", "--verbose")
    epoch = verbose[0]
    assert verbose[1:] == [
        *("0", member[0], "streams", epoch, *member[1:]),
        *("TARGET-ACTIVE:", *tasks[1:]),
    ]
    (state,) = streams.described("--state", "--verbose")
    assert state[2:] == ["sticky", "Stable", epoch, epoch, "1"]


def a_running_group_is_not_changed(streams: StreamsTools) -> None:
    source = ("--input-topic", streams.application.input)
    refused = f"GroupNotEmptyException: Streams group '{streams.group}' is not EMPTY."
    assert refused in streams.printed("--delete")
    assert "is inactive, but the current state is Stable." in streams.printed(
        "--reset-offsets", "--to-earliest", *source, "--execute"
    )
    refused = streams.printed("--delete-offsets", *source)
    assert refused.count("GroupSubscribedToTopicException: Deleting offsets of a topic") == 2


def an_empty_group_is_reset(streams: StreamsTools, ends: list[int]) -> None:
    source, output = streams.application.input, streams.application.output
    assert streams.described() == streams.described("--members") == []
    heading, row = streams.printed("--describe", "--state").splitlines()[-2:]
    assert heading.split()[0] == "GROUP"
    assert row.split()[3:] == ["sticky", "Empty", "0"]

    everything = ("--to-earliest", "--all-input-topics")
    assert streams.reset(*everything, "--dry-run") == {"0": "0", "1": "0"}
    assert streams.committed() == ends
    first = ("--to-earliest", "--input-topic", f"{source}:0", "--execute")
    assert streams.reset(*first) == {"0": "0"}
    assert streams.committed() == [0, 2]
    back = ("--shift-by", "-1", "--all-input-topics", "--execute")
    assert streams.reset(*back) == {"0": "0", "1": "1"}
    assert streams.committed() == [0, 1]
    assert streams.topics() == {
        *(source, output, streams.repartition, streams.application.changelog)
    }
    assert streams.reset(*everything, "--delete-all-internal-topics", "--execute") == {
        "0": "0",
        "1": "0",
    }
    assert streams.topics() == {source, output}


def an_empty_group_is_deleted(streams: StreamsTools) -> None:
    source = streams.application.input
    deleted = rows(streams.printed("--delete-offsets", "--input-topic", f"{source}:0"))
    assert deleted[-1] == [source, "0", "Successful"]
    assert streams.committed() == [-1, 0]
    assert streams.printed("--delete") == (
        f"Deletion of requested streams groups ('{streams.group}') was successful.\n"
    )
    assert streams.source.listed("kafka-groups") == []
    assert f"'{streams.group}' does not exist or is not a streams group." in (
        streams.printed("--delete")
    )
    ended = streams.run("kafka-streams-groups", "--describe")
    assert ended.status == 1
    assert f"GroupIdNotFoundException: Group {streams.group} not found." in ended.output
