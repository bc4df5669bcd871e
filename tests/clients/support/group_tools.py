"""Kafka's commands for one group, with members that have read its topic."""

import json
from functools import reduce
from typing import Any, Final, NamedTuple

from mockbroker.wire.cluster import WireCluster
from tests.clients.python.confluent_client import ConfluentClient
from tests.clients.support.command_line_tools import Tools, rows
from tests.clients.support.deadline import wait_until
from tests.clients.support.matrix_client import GroupMember
from tests.clients.support.stored_batches import stored_batches
from tests.clients.support.topics import create_topic
from tests.clients.support.written_batches import append

VALUES: Final = (("a", "b", "c", "d"), ("e", "f"))
"""What is in the two partitions of each topic."""

OFFSETS_TOPIC: Final = "__consumer_offsets"


class Offsets(NamedTuple):
    """A partition in `kafka-consumer-groups --describe`."""

    partition: str
    current: str
    end: str
    lag: str


class GroupTools:
    """The commands for one group and the topic that it reads."""

    def __init__(
        self, tools: Tools, bootstrap_servers: str, topic: str, group_protocol: str = "classic"
    ) -> None:
        self._tools = tools
        self._bootstrap_servers = bootstrap_servers
        self.topic = topic
        self.group_protocol = group_protocol
        self.group = f"group-of-{topic}"
        create_topic(bootstrap_servers, topic, partitions=len(VALUES))
        for partition, values in enumerate(VALUES):
            assert append(bootstrap_servers, topic, partition, *values) == 0

    def joined(self, instance_id: str | None = None) -> GroupMember:
        """Return a member that has read and committed everything."""
        client = ConfluentClient(self.group_protocol)
        member = client.join(self._bootstrap_servers, self.group, self.topic, instance_id)
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

    def validated(self, expression: str) -> str:
        """Return what `kafka-consumer-groups` says of a regular expression."""
        return self._tools.output_of(
            *("kafka-consumer-groups", "--bootstrap-server", self._bootstrap_servers),
            *("--validate-regex", expression),
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
