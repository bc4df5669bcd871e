"""The classes behind Kafka's scripts for topics, configs and records, unmodified."""

import json
import re
from pathlib import Path

import pytest

from tests.clients.support.command_line_tools import Tools
from tests.clients.support.java import programs, run_java
from tests.clients.support.stored_batches import stored_batches
from tests.clients.support.topics import create_topic

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]

RECORDS = 1_000


def details(line: str) -> dict[str, str]:
    """Return what a line of `kafka-topics --describe` says, by its names."""
    pairs = [pair.split(": ", maxsplit=1) for pair in line.split("\t") if ": " in pair]
    return {name.strip(): value.strip() for name, value in pairs}


def described(config: str, *synonyms: str) -> str:
    """Return the line of `kafka-configs --describe`."""
    return f"  {config} sensitive=false synonyms={{{', '.join(synonyms)}}}"


def test_topics_are_created_listed_described_altered_and_deleted(
    tools: Tools, bootstrap_servers: str, topic: str
) -> None:
    command = ("kafka-topics", "--bootstrap-server", bootstrap_servers)
    this = ("--topic", topic)
    configs = ("--config", "retention.ms=1000000", "--config", "cleanup.policy=compact,delete")
    shape = ("--partitions", "3", "--replication-factor", "1")
    created = tools.output_of(*command, "--create", *this, *shape, *configs)
    assert created.endswith(f"Created topic {topic}.\n")
    assert topic in tools.output_of(*command, "--list").splitlines()
    again = tools.run(*command, "--create", *this)
    assert again.status == 1
    assert f"Topic '{topic}' already exists." in again.output

    head, *partitions = map(details, tools.output_of(*command, "--describe", *this).splitlines())
    assert (head["PartitionCount"], head["ReplicationFactor"]) == ("3", "1")
    assert set(head["Configs"].split(",")) >= {"retention.ms=1000000", "cleanup.policy=compact"}
    assert [each["Partition"] for each in partitions] == ["0", "1", "2"]
    assert all(each["Leader"] == each["Replicas"] == each["Isr"] for each in partitions)
    for option in ("--unavailable-partitions", "--under-replicated-partitions"):
        assert tools.output_of(*command, "--describe", *this, option) == ""

    tools.output_of(*command, "--alter", *this, "--partitions", "5")
    assert len(tools.output_of(*command, "--describe", *this).splitlines()) == 1 + 5
    fewer = tools.run(*command, "--alter", *this, "--partitions", "2")
    assert fewer.status == 1
    assert (
        f"The topic {topic} currently has 5 partition(s); 2 would not be an increase."
        in fewer.output
    )

    tools.output_of(*command, "--delete", *this)
    assert topic not in tools.output_of(*command, "--list").splitlines()
    gone = tools.run(*command, "--describe", *this)
    assert gone.status == 1
    assert f"Topic '{topic}' does not exist as expected" in gone.output


def test_configs_of_a_topic_are_altered_and_described(
    tools: Tools, bootstrap_servers: str, topic: str
) -> None:
    create_topic(bootstrap_servers, topic)
    command = ("kafka-configs", "--bootstrap-server", bootstrap_servers, "--topic", topic)
    heading = f"Dynamic configs for topic {topic} are:"
    assert tools.output_of(*command, "--describe").splitlines() == [heading]
    added = "max.message.bytes=2000,retention.ms=5000000"
    assert tools.output_of(*command, "--alter", "--add-config", added) == (
        f"Completed updating config for topic {topic}.\n"
    )
    of_size = described(
        "max.message.bytes=2000",
        "DYNAMIC_TOPIC_CONFIG:max.message.bytes=2000",
        "DEFAULT_CONFIG:message.max.bytes=1048588",
    )
    assert tools.output_of(*command, "--describe").splitlines() == [
        heading,
        of_size,
        described("retention.ms=5000000", "DYNAMIC_TOPIC_CONFIG:retention.ms=5000000"),
    ]
    tools.output_of(*command, "--alter", "--delete-config", "retention.ms")
    assert tools.output_of(*command, "--describe").splitlines() == [heading, of_size]
    everything = tools.output_of(*command, "--describe", "--all").splitlines()
    assert described("retention.ms=604800000") in everything
    refused = tools.run(*command, "--alter", "--add-config", "retention.ms=soon")
    assert refused.status == 1
    assert "Invalid value soon for configuration retention.ms: Not a number of type LONG" in (
        refused.errors
    )
    assert tools.output_of(*command, "--describe").splitlines() == [heading, of_size]


def test_configs_of_a_broker_are_altered_and_described(
    tools: Tools, bootstrap_servers: str
) -> None:
    command = ("kafka-configs", "--bootstrap-server", bootstrap_servers, "--broker", "1")
    heading = "Dynamic configs for broker 1 are:"
    assert tools.output_of(*command, "--describe").splitlines() == [heading]
    tools.output_of(*command, "--alter", "--add-config", "log.retention.ms=900000000")
    assert tools.output_of(*command, "--describe").splitlines() == [
        heading,
        described(
            "log.retention.ms=900000000",
            "DYNAMIC_BROKER_CONFIG:log.retention.ms=900000000",
            "DEFAULT_CONFIG:log.retention.hours=168",
        ),
    ]
    tools.output_of(*command, "--alter", "--delete-config", "log.retention.ms")
    assert tools.output_of(*command, "--describe").splitlines() == [heading]
    read_only = tools.run(*command, "--alter", "--add-config", "log.dirs=elsewhere")
    assert read_only.status == 1
    assert "Cannot update these configs dynamically: [log.dirs]" in read_only.errors


def test_brokers_list_their_apis(tools: Tools, bootstrap_servers: str) -> None:
    printed = tools.output_of("kafka-broker-api-versions", "--bootstrap-server", bootstrap_servers)
    brokers = dict(
        re.findall(r"^(\S+) \(id: .*?\) -> \(\n(.*?)\n\)", printed, re.MULTILINE | re.DOTALL)
    )
    assert set(brokers) >= set(bootstrap_servers.split(","))
    assert len(set(brokers.values())) == 1
    apis = dict(re.findall(r"^\t(\w+)\(\d+\): (.*?),?$", brokers.popitem()[1], re.MULTILINE))
    assert apis["Produce"] == "0 to 13 [usable: 13]"
    assert apis["Fetch"] == "4 to 18 [usable: 18]"
    assert apis["ApiVersions"] == "0 to 5 [usable: 5]"
    assert apis["PushTelemetry"] == "UNSUPPORTED"


def test_a_topic_is_filled_by_a_load_and_its_offsets_are_listed_and_deleted(
    tools: Tools, bootstrap_servers: str, topic: str, tmp_path: Path
) -> None:
    create_topic(bootstrap_servers, topic, partitions=2)
    perf = ("kafka-producer-perf-test", "--bootstrap-server", bootstrap_servers, "--topic", topic)
    size = ("--num-records", str(RECORDS), "--record-size", "100", "--throughput", "-1")
    printed = tools.output_of(*perf, *size)
    assert re.search(rf"^{RECORDS} records sent, .* ms 99\.9th\.$", printed, re.MULTILINE)

    offsets = ("kafka-get-offsets", "--bootstrap-server", bootstrap_servers, "--topic", topic)

    def told(*options: str) -> list[int]:
        lines = tools.output_of(*offsets, *options).splitlines()
        names, partitions, numbers = zip(*(line.split(":") for line in lines), strict=True)
        assert (set(names), partitions) == ({topic}, ("0", "1"))
        return [int(number) for number in numbers]

    ends = told()
    assert sum(ends) == RECORDS
    assert told("--time", "latest") == ends
    assert told("--time", "earliest") == [0, 0]
    before = [{"topic": topic, "partition": 0, "offset": ends[0] // 2}]
    cut = tmp_path / "cut.json"
    cut.write_text(json.dumps({"partitions": before, "version": 1}))
    printed = tools.output_of(
        *("kafka-delete-records", "--bootstrap-server", bootstrap_servers),
        *("--offset-json-file", str(cut)),
    )
    assert f"partition: {topic}-0\tlow_watermark: {ends[0] // 2}" in printed.splitlines()
    assert told("--time", "earliest") == [ends[0] // 2, 0]


def test_a_topic_is_filled_by_a_load_in_transactions(
    tools: Tools, bootstrap_servers: str, topic: str
) -> None:
    create_topic(bootstrap_servers, topic)
    perf = ("kafka-producer-perf-test", "--bootstrap-server", bootstrap_servers, "--topic", topic)
    size = ("--num-records", str(RECORDS), "--record-size", "100", "--throughput", "-1")
    transactional = ("--transactional-id", f"id-of-{topic}", "--transaction-duration-ms", "50")
    printed = tools.output_of(*perf, *size, *transactional)
    assert re.search(rf"^{RECORDS} records sent, .* ms 99\.9th\.$", printed, re.MULTILINE)
    batches = stored_batches(bootstrap_servers, topic, 0)
    assert all(batch.is_transactional for batch in batches)
    assert sum(batch.record_count for batch in batches if not batch.is_control) == RECORDS
    assert batches[-1].is_control


def test_a_verifiable_producer_reports_acknowledgements(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic)
    # it says how much that was when its JVM ends
    printed = run_java(
        programs("tools-4.4.0"),
        "org.apache.kafka.tools.VerifiableProducer",
        *("--bootstrap-server", bootstrap_servers, "--topic", topic, "--max-messages", "5"),
    )
    events = [json.loads(line) for line in printed.splitlines()]
    assert events[0]["name"] == "startup_complete"
    assert [
        (event["value"], event["offset"])
        for event in events
        if event["name"] == "producer_send_success"
    ] == [(str(number), number) for number in range(5)]
    assert (events[-1]["name"], events[-1]["sent"], events[-1]["acked"]) == ("tool_data", 5, 5)
