"""The classes behind kafka-topics, kafka-console-producer and kafka-console-consumer, unmodified.

They read and write lines of text, choose partitions by key, and use the present time as timestamps.
One topic has the records of every compression, one after the other, and is read partition by
partition.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from kafka.partitioner.default import murmur2

from tests.clients.support.command_line_tools import Tools
from tests.clients.support.java import jars, run_java
from tests.clients.support.records import COMPRESSIONS, PARTITION_COUNT, RECORD_COUNT
from tests.clients.support.stored_batches import stored_compressions

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@dataclass(frozen=True, kw_only=True)
class Release:
    """The names of classes and options in one release."""

    version: str
    classes: Mapping[str, str] | None = None
    """Of a JVM for each command; without them, one JVM runs all."""
    create_options: Sequence[str] = ()
    broker_option: str = "--bootstrap-server"
    reader_option: str = "--property"
    formatter_option: str = "--property"
    has_headers: bool = True

    def run(self, tools: Tools, script: str, *arguments: str, stdin: str = "") -> str:
        """Return what a script prints."""
        if self.classes is None:
            return tools.output_of(script, *arguments, stdin=stdin)
        libraries = [jars(f"tools-{self.version}") / "*"]
        return run_java(libraries, self.classes[script], *arguments, stdin=stdin)


RELEASES = [
    Release(
        version="4.4.0",
        reader_option="--reader-property",
        formatter_option="--formatter-property",
    ),
    Release(
        version="2.4.1",
        classes={
            "kafka-topics": "kafka.admin.TopicCommand",
            "kafka-console-producer": "kafka.tools.ConsoleProducer",
            "kafka-console-consumer": "kafka.tools.ConsoleConsumer",
        },
        create_options=["--replication-factor", "1"],
        broker_option="--broker-list",
        has_headers=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class TextRecord:
    """A record as a line of text, which has no nulls."""

    key: str
    value: str
    headers: str

    def partition(self) -> int:
        return int(murmur2(self.key.encode()) & 0x7FFFFFFF) % PARTITION_COUNT


def text_records(compression: str) -> list[TextRecord]:
    return [
        TextRecord(
            key=f"key-{index % 997}",
            value=f"{compression}-{index}-{'kafka' * (index % 40)}",
            headers=",".join(f"step:{index}/{step}" for step in range(index % 3)),
        )
        for index in range(RECORD_COUNT)
    ]


def option_pairs(option: str, **properties: str) -> list[str]:
    return [
        part
        for name, value in properties.items()
        for part in (option, f"{name.replace('_', '.')}={value}")
    ]


def create_topic(release: Release, tools: Tools, bootstrap_servers: str, topic: str) -> None:
    release.run(
        tools,
        "kafka-topics",
        *("--bootstrap-server", bootstrap_servers, "--create", "--topic", topic),
        *("--partitions", str(PARTITION_COUNT), *release.create_options),
    )


def produce(
    release: Release, tools: Tools, bootstrap_servers: str, topic: str, compression: str
) -> None:
    reader = option_pairs(release.reader_option, parse_key="true")
    if release.has_headers:
        reader += option_pairs(release.reader_option, parse_headers="true", null_marker="none")
    release.run(
        tools,
        "kafka-console-producer",
        *(release.broker_option, bootstrap_servers, "--topic", topic),
        *("--compression-codec", compression, *reader),
        stdin="".join(
            "\t".join(
                ([record.headers or "none"] if release.has_headers else [])
                + [record.key, record.value]
            )
            + "\n"
            for record in text_records(compression)
        ),
    )


def consume(
    release: Release, tools: Tools, bootstrap_servers: str, topic: str, partition: int, count: int
) -> list[str]:
    formatter = option_pairs(release.formatter_option, print_key="true", print_timestamp="true")
    if release.has_headers:
        formatter += option_pairs(
            release.formatter_option,
            print_headers="true",
            print_partition="true",
            print_offset="true",
        )
    printed = release.run(
        tools,
        "kafka-console-consumer",
        *("--bootstrap-server", bootstrap_servers, "--topic", topic),
        *("--partition", str(partition), "--offset", "earliest"),
        *("--max-messages", str(count), "--timeout-ms", "20000", *formatter),
    )
    return printed.splitlines()


def printed_line(release: Release, record: TextRecord, partition: int, offset: int) -> str:
    details = [f"Partition:{partition}", f"Offset:{offset}", record.headers or "NO_HEADERS"]
    return "\t".join([*(details if release.has_headers else []), record.key, record.value])


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.version)
def test_ten_thousand_lines_of_each_compression_come_back_equal(
    tools: Tools, bootstrap_servers: str, topic: str, release: Release
) -> None:
    started_ms = int(time.time() * 1000)
    create_topic(release, tools, bootstrap_servers, topic)
    sent: dict[int, list[TextRecord]] = {partition: [] for partition in range(PARTITION_COUNT)}
    for compression in COMPRESSIONS:
        produce(release, tools, bootstrap_servers, topic, compression)
        for record in text_records(compression):
            sent[record.partition()].append(record)
    for partition, records in sent.items():
        lines = consume(release, tools, bootstrap_servers, topic, partition, len(records))
        timestamps, rest = zip(*(line.split("\t", maxsplit=1) for line in lines), strict=True)
        assert list(rest) == [
            printed_line(release, record, partition, offset)
            for offset, record in enumerate(records)
        ]
        timestamps_ms = [int(text.removeprefix("CreateTime:")) for text in timestamps]
        assert started_ms <= min(timestamps_ms)
        assert max(timestamps_ms) <= time.time() * 1000
    assert stored_compressions(bootstrap_servers, topic) == dict.fromkeys(
        COMPRESSIONS, RECORD_COUNT
    )
