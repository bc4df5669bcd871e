"""The six scenarios that every client of the matrix runs.

A test file gives them a fixture `client`, and the names that the client has for two errors:

    class TestMatrix(MatrixScenarios):
        title, version = "Java", "4.4.0"
        fenced = "ProducerFencedException"
        non_empty_group = "GroupNotEmptyException"

Those of groups are in `group_scenarios.py`.
"""

from functools import partial
from typing import ClassVar, Final

import pytest

from tests.clients.support.deadline import wait_until
from tests.clients.support.group_scenarios import GroupScenarios, Stage, joined, poll_until
from tests.clients.support.matrix import MatrixRow, Program
from tests.clients.support.matrix_client import NOT_OFFERED, GroupState, MatrixClient
from tests.clients.support.records import (
    COMPRESSIONS,
    PARTITION_COUNT,
    RECORD_COUNT,
    digest,
    sample_partitions,
)
from tests.clients.support.stored_batches import (
    last_stable_offset,
    stored_batches,
    stored_compressions,
)
from tests.clients.support.topics import create_topic
from tests.clients.support.transactional_client import ClientError
from tests.clients.support.written_batches import append

_BATCH_RECORDS: Final = 5
_LONG_TIMEOUT_MS: Final = 60_000


class MatrixScenarios(GroupScenarios, MatrixRow):
    """The tests of each client, by release of the brokers."""

    fenced: ClassVar[str]
    """What the client calls the error of a producer that another has replaced."""
    non_empty_group: ClassVar[str]
    """What the client calls the refusal to delete a group that has members."""

    def test_all_codecs(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        digests = [digest(records) for records in sample_partitions().values()]
        assert len(digests) == PARTITION_COUNT
        for compression in COMPRESSIONS:
            name = f"{topic}-{compression}"
            assert client.round_trip(bootstrap_servers, name, compression) == digests
            stored = stored_compressions(bootstrap_servers, name)
            assert sum(stored.values()) == RECORD_COUNT
            # librdkafka leaves a batch as it is when compression would not make it smaller
            assert stored[compression] > 0.99 * RECORD_COUNT

    def test_admin_round(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        admin = client.admin(bootstrap_servers)
        admin.create_topic(topic, 2, {"retention.ms": "3600000"})
        wait_until(lambda: topic in admin.topics())
        assert admin.topic_config(topic, "retention.ms") == "3600000"
        admin.alter_topic_config(topic, "retention.ms", "7200000")
        wait_until(lambda: admin.topic_config(topic, "retention.ms") == "7200000")
        assert admin.partition_count(topic) == 2
        admin.create_partitions(topic, 3)
        wait_until(lambda: admin.partition_count(topic) == 3)
        values = [f"value-{number}" for number in range(_BATCH_RECORDS)]
        assert append(bootstrap_servers, topic, 2, *values) == 0
        assert admin.delete_records(topic, 2, 3) == 3
        assert client.read(bootstrap_servers, topic, 2, "read_committed", values[-1]) == values[3:]
        self.remove_group(client, bootstrap_servers, f"{topic}-read")
        admin.delete_topic(topic)
        wait_until(lambda: topic not in admin.topics())

    def remove_group(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        """List, describe and delete a group, which is refused while it has a member."""
        stage = Stage(bootstrap_servers=bootstrap_servers, topic=topic, partitions=1)
        admin = client.admin(bootstrap_servers)
        with joined(client, stage) as member:
            poll_until(lambda _: stage.is_stable(1), {"member": member})
            assert stage.group in admin.groups()
            assert plain(admin.group_state(stage.group)) == GroupState("stable", 1)
            with pytest.raises(ClientError) as refusal:
                admin.delete_group(stage.group)
            left_out = refusal.value.name == NOT_OFFERED
            assert left_out == (Program.ADMIN_ROUND in self.remarks)
            assert left_out or refusal.value.name == self.non_empty_group, refusal.value
        assert plain(admin.group_state(stage.group)) == GroupState("empty", 0)
        if not left_out:
            admin.delete_group(stage.group)
            assert stage.group not in admin.groups()

    def test_fenced_producer(
        self, client: MatrixClient, bootstrap_servers: str, topic: str
    ) -> None:
        create_topic(bootstrap_servers, topic)
        open_producer = partial(client.open, bootstrap_servers, f"id-of-{topic}", _LONG_TIMEOUT_MS)
        first = open_producer()
        first.begin()
        first.send(topic, 0, "lost")
        second = open_producer()
        second.begin()
        second.send(topic, 0, "kept")
        with pytest.raises(ClientError) as refusal:
            first.commit()
        assert refusal.value.name == self.fenced, refusal.value
        second.commit()
        first.close()
        second.close()
        wait_until(lambda: last_stable_offset(bootstrap_servers, topic, 0) == 4)
        assert append(bootstrap_servers, topic, 0, "end") == 0
        read = partial(client.read, bootstrap_servers, topic, 0)
        assert read("read_committed", "end") == ["kept", "end"]
        assert read("read_uncommitted", "end") == ["lost", "kept", "end"]
        batches = stored_batches(bootstrap_servers, topic, 0)
        assert [each.is_control for each in batches] == [False, True, False, True, False]


def plain(group: GroupState) -> GroupState:
    """Return the group with its state as all clients could write it."""
    return group._replace(state=group.state.lower())
