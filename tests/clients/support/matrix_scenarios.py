"""The six scenarios that every client of the matrix runs.

A test file gives them a fixture `client`, and the names that the client has for two errors:

    class TestMatrix(MatrixScenarios):
        title, version = "Java", "4.4.0"
        fenced = "ProducerFencedException"
        non_empty_group = "GroupNotEmptyException"

Nothing waits but in a client's own poll: each is polled until what is awaited has come to be.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import pytest

from tests.clients.support.deadline import wait_until
from tests.clients.support.group_view import generation, group_view
from tests.clients.support.matrix import MatrixRow, Program
from tests.clients.support.matrix_client import (
    BATCH_MAX,
    NOT_OFFERED,
    GroupMember,
    GroupState,
    MatrixClient,
    Processor,
    Received,
)
from tests.clients.support.records import (
    COMPRESSIONS,
    PARTITION_COUNT,
    RECORD_COUNT,
    digest,
    sample_partitions,
)
from tests.clients.support.stored_batches import (
    committed_offset,
    last_stable_offset,
    stored_batches,
    stored_compressions,
)
from tests.clients.support.topics import create_topic
from tests.clients.support.transactional_client import ClientError
from tests.clients.support.written_batches import append

_GROUP_PARTITIONS: Final = 4
_SOURCE_PARTITIONS: Final = 2
_BATCH_RECORDS: Final = 5
_SOURCE_RECORDS: Final = 20
_LONG_TIMEOUT_MS: Final = 60_000


@dataclass(kw_only=True)
class Stage:
    """A topic of some partitions, which the test fills, and a group that reads it."""

    bootstrap_servers: str
    topic: str
    partitions: int
    _filled: int = 0

    def __post_init__(self) -> None:
        create_topic(self.bootstrap_servers, self.topic, partitions=self.partitions)

    @property
    def group(self) -> str:
        """The name of the group."""
        return f"group-of-{self.topic}"

    def fill(self, name: str, count: int = _BATCH_RECORDS) -> list[Received]:
        """Append this many records to each partition; return them, sorted."""
        first, self._filled = self._filled, self._filled + count
        added = [
            Received(partition, first + number, f"{name}-{partition}-{number}")
            for partition in range(self.partitions)
            for number in range(count)
        ]
        for partition in range(self.partitions):
            values = [each.value for each in added if each.partition == partition]
            assert append(self.bootstrap_servers, self.topic, partition, *values) == 0
        return added

    def is_stable(self, *shares: int) -> bool:
        """Tell whether the group is stable, with members that own this many partitions each."""
        view = group_view(self.bootstrap_servers, self.group)
        return view.state == "Stable" and sorted(map(len, view.partitions)) == sorted(shares)

    def generation(self) -> int:
        """Return the group's generation."""
        return generation(self.bootstrap_servers, self.group)

    def owned(self) -> set[frozenset[int]]:
        """Return what the coordinator says that the members own."""
        return set(group_view(self.bootstrap_servers, self.group).partitions)

    def committed(self) -> list[int]:
        """Return what the group has committed, by partition."""
        of_partition = partial(committed_offset, self.bootstrap_servers, self.group, self.topic)
        return [of_partition(partition) for partition in range(self.partitions)]


def poll_until(
    is_so: Callable[[int], bool], members: Mapping[str, GroupMember]
) -> dict[str, list[Received]]:
    """Poll the members in turn; return what each got, sorted.

    It ends when it is so; `is_so` is told how many records have come.
    """
    received: dict[str, list[Received]] = {name: [] for name in members}

    def polled() -> bool:
        for name, member in members.items():
            received[name].extend(member.poll())
        return is_so(sum(map(len, received.values())))

    wait_until(polled)
    return {name: sorted(records) for name, records in received.items()}


def poll_for(count: int, members: Mapping[str, GroupMember]) -> dict[str, list[Received]]:
    """Poll the members in turn until this many records have come; return what each got, sorted."""
    return poll_until(lambda received: received >= count, members)


def of(records: list[Received], member: GroupMember) -> list[Received]:
    """Return the records of the partitions that the member owns."""
    return [record for record in records if record.partition in member.assignment()]


class MatrixScenarios(MatrixRow):
    """The tests of each client, by release of the brokers."""

    releases: ClassVar[tuple[str, ...]] = ("4.4",)
    fenced: ClassVar[str]
    """What the client calls the error of a producer that another has replaced."""
    non_empty_group: ClassVar[str]
    """What the client calls the refusal to delete a group that has members."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Each program runs on each release that the client is tested with."""
        if "release" in metafunc.fixturenames:
            metafunc.parametrize("release", self.releases)

    @pytest.fixture
    def bootstrap_servers(self, brokers_of: Callable[[str], str], release: str) -> str:
        """Where brokers of that release are."""
        return brokers_of(release)

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

    def test_group_of_two(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        stage = Stage(
            bootstrap_servers=bootstrap_servers, topic=topic, partitions=_GROUP_PARTITIONS
        )
        alone = stage.fill("alone")
        with joined(client, stage) as first:
            assert poll_for(len(alone), {"first": first}) == {"first": alone}
            assert first.assignment() == [0, 1, 2, 3]
            first.commit()
            generations = [stage.generation()]
            with joined(client, stage) as second:
                members = {"first": first, "second": second}
                got = poll_until(lambda _: is_shared(stage, first, second), members)
                assert got == {"first": [], "second": []}
                generations.append(stage.generation())
                together = stage.fill("together")
                got = poll_for(len(together), members)
                assert got == {name: of(together, each) for name, each in members.items()}
                for member in members.values():
                    member.commit()
            got = poll_until(lambda _: is_taken_over(stage, first), {"first": first})
            assert got == {"first": []}
            generations.append(stage.generation())
            again = stage.fill("again")
            assert poll_for(len(again), {"first": first}) == {"first": again}
            first.commit()
        assert sorted(set(generations)) == generations
        assert stage.committed() == [3 * _BATCH_RECORDS] * _GROUP_PARTITIONS
        assert group_view(bootstrap_servers, stage.group).state == "Empty"

    def test_static_member(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        stage = Stage(
            bootstrap_servers=bootstrap_servers, topic=topic, partitions=_GROUP_PARTITIONS
        )
        with joined(client, stage, "other") as other:
            # it leads the group: franz-go may ask for another assignment when a leader restarts
            poll_until(lambda _: stage.is_stable(_GROUP_PARTITIONS), {"other": other})
            with joined(client, stage, "restarting") as before:
                members = {"before": before, "other": other}
                poll_until(lambda _: is_shared(stage, before, other), members)
                stable = generation(bootstrap_servers, stage.group)
                view = group_view(bootstrap_servers, stage.group)
                records = stage.fill("before")
                got = poll_for(len(records), members)
                assert got == {name: of(records, each) for name, each in members.items()}
                partitions = before.assignment(), other.assignment()
                for member in members.values():
                    member.commit()
            assert group_view(bootstrap_servers, stage.group) == view
            records = stage.fill("between")
            with joined(client, stage, "restarting") as after:
                members = {"after": after, "other": other}
                got = poll_for(len(records), members)
                assert (after.assignment(), other.assignment()) == partitions
                assert got == {name: of(records, each) for name, each in members.items()}
                assert stage.is_stable(2, 2)
                assert stage.generation() == stable
                restarted = group_view(bootstrap_servers, stage.group)
                assert len(set(restarted.member_ids) & set(view.member_ids)) == 1
                for member in members.values():
                    member.commit()
        assert stage.committed() == [2 * _BATCH_RECORDS] * _GROUP_PARTITIONS

    def test_read_process_write(
        self, client: MatrixClient, bootstrap_servers: str, topic: str
    ) -> None:
        stage = Stage(
            bootstrap_servers=bootstrap_servers, topic=topic, partitions=_SOURCE_PARTITIONS
        )
        target = f"{topic}-target"
        create_topic(bootstrap_servers, target, partitions=_SOURCE_PARTITIONS)
        records = stage.fill("a", _SOURCE_RECORDS)
        with processing(client, stage, target) as processor:
            committed = process_one(processor, commit=True)
            aborted = process_one(processor, commit=False)
        with processing(client, stage, target) as processor:
            while len(committed) < len(records):
                committed += process_one(processor, commit=True)
            assert processor.process(commit=True) == []
        assert sorted(committed) == records
        assert set(aborted) < set(records)
        for partition in range(_SOURCE_PARTITIONS):
            assert append(bootstrap_servers, target, partition, "end") == 0
            read = partial(client.read, bootstrap_servers, target, partition)
            once = [each.value.upper() for each in records if each.partition == partition]
            lost = [each.value.upper() for each in aborted if each.partition == partition]
            assert read("read_committed", "end") == [*once, "end"]
            assert sorted(read("read_uncommitted", "end")) == sorted([*once, *lost, "end"])
        wait_until(lambda: stage.committed() == [_SOURCE_RECORDS] * _SOURCE_PARTITIONS)

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


def is_shared(stage: Stage, first: GroupMember, second: GroupMember) -> bool:
    """Tell whether both own two partitions, and the coordinator says the same."""
    owned = {frozenset(first.assignment()), frozenset(second.assignment())}
    return stage.is_stable(2, 2) and owned == stage.owned()


def is_taken_over(stage: Stage, member: GroupMember) -> bool:
    """Tell whether the member owns all partitions, and the coordinator says the same."""
    return stage.is_stable(4) and member.assignment() == [0, 1, 2, 3]


@contextmanager
def joined(
    client: MatrixClient, stage: Stage, instance_id: str | None = None
) -> Generator[GroupMember]:
    """A member of the stage's group, which is closed at the end."""
    member = client.join(stage.bootstrap_servers, stage.group, stage.topic, instance_id)
    try:
        yield member
    finally:
        member.close()


@contextmanager
def processing(client: MatrixClient, stage: Stage, target: str) -> Generator[Processor]:
    """A processor of the stage's topic, which is closed at the end."""
    processor = client.processor(
        stage.bootstrap_servers,
        transactional_id=f"id-of-{stage.topic}",
        group=stage.group,
        source=stage.topic,
        target=target,
    )
    try:
        yield processor
    finally:
        processor.close()


def process_one(processor: Processor, *, commit: bool) -> list[Received]:
    """Poll until there is something to process; return what one transaction processed."""
    received: list[Received] = []

    def processed() -> bool:
        received.extend(processor.process(commit=commit))
        return bool(received)

    wait_until(processed)
    assert len(received) <= BATCH_MAX, received
    return received


def plain(group: GroupState) -> GroupState:
    """Return the group with its state as all clients could write it."""
    return group._replace(state=group.state.lower())
