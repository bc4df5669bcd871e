"""The scenarios of groups, which each client of the matrix runs with each protocol that it has.

Nothing waits but in a client's own poll: each is polled until what is awaited has come to be.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final

import pytest

from tests.clients.support.deadline import wait_until
from tests.clients.support.group_view import GroupView, generation, group_view
from tests.clients.support.matrix_client import (
    BATCH_MAX,
    GroupMember,
    MatrixClient,
    Processor,
    Received,
)
from tests.clients.support.stored_batches import committed_offset
from tests.clients.support.topics import create_topic
from tests.clients.support.written_batches import append

_GROUP_PARTITIONS: Final = 4
_SOURCE_PARTITIONS: Final = 2
_BATCH_RECORDS: Final = 5
_SOURCE_RECORDS: Final = 20


@dataclass(kw_only=True)
class Stage:
    """A topic of some partitions, which the test fills, and a group that reads it."""

    bootstrap_servers: str
    topic: str
    partitions: int
    group_protocol: str = "classic"
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

    def view(self) -> GroupView:
        """Return the group as it is described."""
        return group_view(self.bootstrap_servers, self.group, self.group_protocol)

    def is_stable(self, *shares: int) -> bool:
        """Tell whether the group is stable, with members that own this many partitions each."""
        view = self.view()
        return view.state == "Stable" and sorted(map(len, view.partitions)) == sorted(shares)

    def generation(self) -> int:
        """Return the group's generation or epoch."""
        return generation(self.bootstrap_servers, self.group, self.group_protocol)

    def owned(self) -> set[frozenset[int]]:
        """Return what the coordinator says that the members own."""
        return set(self.view().partitions)

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


class GroupScenarios:
    """The tests of the members of a group, by release of the brokers."""

    releases: ClassVar[tuple[str, ...]] = ("4.4",)
    group_protocol: ClassVar[str] = "classic"
    state_without_static_member: ClassVar[str] = "Stable"
    """The state of a group while one of its static members restarts."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Each program runs on each release that the client is tested with."""
        if "release" in metafunc.fixturenames:
            metafunc.parametrize("release", self.releases)

    @pytest.fixture
    def bootstrap_servers(self, brokers_of: Callable[[str], str], release: str) -> str:
        """Where brokers of that release are."""
        return brokers_of(release)

    def stage(self, bootstrap_servers: str, topic: str, partitions: int) -> Stage:
        """Create the topic."""
        return Stage(
            bootstrap_servers=bootstrap_servers,
            topic=topic,
            partitions=partitions,
            group_protocol=self.group_protocol,
        )

    def test_group_of_two(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        stage = self.stage(bootstrap_servers, topic, _GROUP_PARTITIONS)
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
        assert stage.view().state == "Empty"

    def test_static_member(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        stage = self.stage(bootstrap_servers, topic, _GROUP_PARTITIONS)
        with joined(client, stage, "other") as other:
            # it leads the group: franz-go may ask for another assignment when a leader restarts
            poll_until(lambda _: stage.is_stable(_GROUP_PARTITIONS), {"other": other})
            with joined(client, stage, "restarting") as before:
                members = {"before": before, "other": other}
                poll_until(lambda _: is_shared(stage, before, other), members)
                stable, view = stage.generation(), stage.view()
                records = stage.fill("before")
                got = poll_for(len(records), members)
                assert got == {name: of(records, each) for name, each in members.items()}
                partitions = before.assignment(), other.assignment()
                for member in members.values():
                    member.commit()
            assert stage.view() == replace(view, state=self.state_without_static_member)
            records = stage.fill("between")
            with joined(client, stage, "restarting") as after:
                members = {"after": after, "other": other}
                got = poll_for(len(records), members)
                assert (after.assignment(), other.assignment()) == partitions
                assert got == {name: of(records, each) for name, each in members.items()}
                assert stage.is_stable(2, 2)
                restarted = stage.view()
                assert stage.generation() == stable
                assert len(set(restarted.member_ids) & set(view.member_ids)) == 1
                for member in members.values():
                    member.commit()
        assert stage.committed() == [2 * _BATCH_RECORDS] * _GROUP_PARTITIONS

    def test_read_process_write(
        self, client: MatrixClient, bootstrap_servers: str, topic: str
    ) -> None:
        stage = self.stage(bootstrap_servers, topic, _SOURCE_PARTITIONS)
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


class ConsumerProtocolScenarios(GroupScenarios):
    """The same for members of the consumer protocol (KIP-848)."""

    releases = ("4.4-soon",)
    group_protocol = "consumer"
    state_without_static_member = "Reconciling"
