"""kcat from Debian's package, with a librdkafka of 2023."""

import json

import pytest

from tests.clients.support.kcat import run_kcat
from tests.clients.support.stored_batches import stored_batches, stored_compressions
from tests.clients.support.topics import create_topic

pytestmark = [pytest.mark.kcat, pytest.mark.slow, pytest.mark.timeout(300)]

LINES = "key-1:one\nkey-2:two\n"
READ = ["key-1 one", "key-2 two"]
FORMAT = ("-f", "%k %s\n")


def test_brokers_and_partitions_are_listed(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic, partitions=3)
    listed = json.loads(run_kcat("-b", bootstrap_servers, "-L", "-J", "-t", topic))
    names = {broker["name"] for broker in listed["brokers"]}
    assert names >= set(bootstrap_servers.split(","))
    ids = {broker["id"] for broker in listed["brokers"]}
    (described,) = listed["topics"]
    assert [each["partition"] for each in described["partitions"]] == [0, 1, 2]
    assert {each["leader"] for each in described["partitions"]} <= ids


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_produced_records_are_consumed(
    bootstrap_servers: str, topic: str, compression: str
) -> None:
    create_topic(bootstrap_servers, topic)
    where = ("-b", bootstrap_servers, "-t", topic)
    value = "kafka" * 100
    run_kcat(*where, "-P", "-K:", "-z", compression, "-H", "step=1", stdin=f"key:{value}\n")
    consumed = json.loads(run_kcat(*where, "-C", "-e", "-q", "-J"))
    assert (consumed["offset"], consumed["key"], consumed["payload"]) == (0, "key", value)
    assert consumed["headers"] == ["step", "1"]
    assert stored_compressions(bootstrap_servers, topic) == {compression: 1}
    assert run_kcat("-b", bootstrap_servers, "-Q", "-t", f"{topic}:0:-1") == (
        f"{topic} [0] offset 1\n"
    )


def test_a_transaction_is_committed(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic)
    where = ("-b", bootstrap_servers, "-t", topic)
    run_kcat(*where, "-P", "-K:", "-X", f"transactional.id=id-of-{topic}", stdin=LINES)
    consumed = run_kcat(*where, "-C", "-e", "-q", *FORMAT, "-X", "isolation.level=read_committed")
    assert consumed.splitlines() == READ
    batches = stored_batches(bootstrap_servers, topic, 0)
    assert all(batch.is_transactional for batch in batches)
    assert batches[-1].is_control


def test_a_group_continues_at_its_committed_offsets(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic)
    where = ("-b", bootstrap_servers, "-t", topic)
    as_member = ("-b", bootstrap_servers, "-G", f"group-of-{topic}", "-q", *FORMAT)
    earliest = ("-X", "auto.offset.reset=earliest")
    for lines in (LINES, LINES.replace("key", "other")):
        run_kcat(*where, "-P", "-K:", stdin=lines)
        consumed = run_kcat(*as_member, *earliest, "-c", "2", topic)
        assert consumed.splitlines() == [line.replace(":", " ") for line in lines.splitlines()]
