"""Random walk over replicas: lag, elections, deletions and restarts of three brokers.

Every step has one outcome: after each, the walk waits until all replicas that can follow have
followed. A replica that is cut off stays in sync, so that an election can choose it although it
lags. Transactions end only while their markers can be written.
"""

from collections.abc import Callable
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.list_offsets import ListOffsetsResponse
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.conformance.batches import Producer
from tests.conformance.moving_transactor import MovingTransactor, coordinator_on_last
from tests.conformance.replicas import (
    DEBUGGING,
    EARLIEST,
    LAST,
    LATEST,
    Replicas,
)
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets, new_producer
from tests.conformance.scenarios.metadata import named
from tests.conformance.scenarios.offsets import leader_epochs
from tests.conformance.talk import Talk
from tests.conformance.walks.walking import Walk

ORDERS: Final = {"on": 60, "again": 15, "older": 10, "a gap": 8, "zero": 7}
"""Choices of the first sequence of a batch, by weight."""
BROKERS: Final = (1, 2, 3)
IN_VAIN_MS: Final = 300
"""The timeout of writes that wait for a replica that is cut off."""
SURE_MS: Final = 10_000
"""The timeout of other writes of transactions."""


class ReplicasWalk(Walk):
    """One walk: its two topics, their replicas, and its possible steps."""

    def __init__(self, talk: Talk, name: str, seed: int, *, restarts: bool) -> None:
        """Choose the replicas at random."""
        super().__init__(talk, seed)
        self._name = name
        self._topics = [Replicas(talk, f"{name}-{letter}") for letter in "ab"]
        self._cut_off: set[int] = set()
        self._away: set[int] = set()
        self._producers: list[Producer] = []
        self._written: dict[tuple[int, str], list[tuple[int, int]]] = {}
        """By producer and topic: first sequence and number of records of each stored batch."""
        self._one = MovingTransactor(talk, f"{name}-x")
        self._is_open = False
        self._ways: dict[Callable[[], None], float] = {
            self._write: 34,
            self._delete: 5,
            self._cut: 7,
            self._follow: 8,
            self._lead: 12,
            self._list_offsets: 8,
            self._fetch: 8,
            self._see_producers: 8,
            self._ask_for_epochs: 5,
            self._see_own: 8,
            self._transact: 12,
        }
        if restarts:
            self._ways |= {self._end_broker: 3, self._start_broker: 5}

    def run(self) -> None:
        """Run the walk."""
        coordinator_on_last(self.talk, self._name)
        for them, count in zip(self._topics, (3, 2), strict=True):
            replicas = self.random.sample(BROKERS, count)
            self.talk.topic(them.topic, assignments=[replicas])
            self.talk.note(them.topic[-1], "replicas", list(replicas))
        self._producers = [new_producer(self.talk) for _ in range(3)]
        self._one.init("begin")
        self.go(self._ways)
        for broker in sorted(self._away):
            self._bring_back(broker)
        for broker in sorted(self._cut_off):
            self._restore(broker)
        for them in self._topics:
            them.see(them.topic[-1], self._leader(them), *self._followers(them))

    # What it may do.

    def _write(self) -> None:
        them = self.random.choice(self._topics)
        index = self.random.randrange(len(self._producers))
        order = self.drawn(ORDERS)
        first, records = self._sequence((index, them.topic), order)
        acks = self.random.choice((1, 1, -1))
        broker = self._asked(them)
        answer = them.write(
            f"{self.number}. {index} writes {order} to {them.topic[-1]}, {records} records",
            self._producers[index],
            first,
            records=records,
            broker=broker,
            acks=acks,
            timeout_ms=IN_VAIN_MS if acks < 0 and self._waits(them) else None,
        )
        them.control.settle()
        stored = (ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT)
        if isinstance(answer, ProduceResponse) and order in {"on", "a gap", "zero"}:
            [only] = answer.responses[0].partition_responses
            if only.error_code in stored:
                self._written.setdefault((index, them.topic), []).append((first, records))

    def _sequence(self, key: tuple[int, str], order: str) -> tuple[int, int]:
        records = self.random.choice((1, 1, 2, 3))
        earlier = self._written.get(key, [])
        last, size = earlier[-1] if earlier else (0, 0)
        if order == "again" and earlier:
            return last, size
        if order == "older" and len(earlier) > 1:
            return self.random.choice(earlier[:-1])
        if order == "zero":
            return 0, records
        if order == "a gap":
            return last + size + self.random.choice((1, 4)), records
        return last + size, records

    def _delete(self) -> None:
        them = self.random.choice(self._topics)
        start, end = self._bounds(them)
        offset = self.random.choice((-1, self.random.randint(start, max(start, end)), end))
        them.delete(offset, broker=self._asked(them))
        them.control.settle()

    def _cut(self) -> None:
        """Cut off a broker that runs."""
        able = [each for each in BROKERS if each not in self._cut_off | self._away]
        if len(self._cut_off) < 2 and able:
            broker = self.random.choice(able)
            self._topics[0].cut_off(broker)
            self._cut_off.add(broker)

    def _follow(self) -> None:
        """Let a broker follow again."""
        if self._cut_off:
            self._restore(self.random.choice(sorted(self._cut_off)))

    def _restore(self, broker: int) -> None:
        self._cut_off.discard(broker)
        self._topics[0].follow(broker)
        for them in self._topics:
            them.await_leader(None)

    def _lead(self) -> None:
        """Elect a replica that is in sync, whether it lags or not."""
        them = self.random.choice(self._topics)
        leader, in_sync = self._shape(them)
        able = sorted(set(in_sync) - self._away - {leader})
        if leader > 0 and able:
            them.lead(self.random.choice(able), quietly=True)

    def _end_broker(self) -> None:
        """Kill or stop a broker, unless a partition would lose its last replica in sync."""
        able = [each for each in (1, 2) if each not in self._away]
        if self._away or not able:
            return
        broker = self.random.choice(able)
        if broker in self._cut_off:
            self._restore(broker)
        for them in self._topics:
            _, in_sync = self._shape(them)
            if not set(in_sync) - {broker}:
                return
        self._away.add(broker)
        leaders = [self._leader_without(them, broker) for them in self._topics]
        end = self._topics[0].kill if self.happens(0.5) else self._topics[0].stop
        end(broker, leader=leaders[0])
        self._topics[1].await_leader(leaders[1])
        self._topics[0].control.settle()

    def _leader_without(self, them: Replicas, broker: int) -> int:
        leader, in_sync = self._shape(them)
        if leader != broker:
            return leader
        return next(each for each in them.replicas() if each in in_sync and each != broker)

    def _start_broker(self) -> None:
        if self._away:
            self._bring_back(min(self._away))

    def _bring_back(self, broker: int) -> None:
        self._away.discard(broker)
        self._topics[0].start(broker)

    def _list_offsets(self) -> None:
        them = self.random.choice(self._topics)
        title, timestamp = self.random.choice(
            (("the end", LATEST), ("the start", EARLIEST), ("T+3", self.talk.at(3)))
        )
        version = self._version(ApiKey.LIST_OFFSETS)
        level = self.random.choice((0, 1)) if version >= 2 else 0
        request = list_offsets((them.topic, 0, timestamp), isolation_level=level)
        said = f"{self.number}. {title} of {them.topic[-1]}, level {level}"
        self.talk.ask(said, request, version, broker=self._asked(them))

    def _fetch(self) -> None:
        them = self.random.choice(self._topics)
        start, end = self._bounds(them)
        offset = self.random.randint(max(0, start - 1), end + 1)
        version = self._version(ApiKey.FETCH)
        level = self.random.choice((0, 1)) if version >= 4 else 0
        wanted = Wanted(them.topic, 0, offset)
        request = fetch(self.talk, wanted, reading=Reading(isolation_level=level))
        said = f"{self.number}. fetch {them.topic[-1]} from {offset}, level {level}"
        self.talk.ask(said, request, version, broker=self._leader(them))

    def _see_producers(self) -> None:
        if self.talk.versions(ApiKey.DESCRIBE_PRODUCERS):
            them = self.random.choice(self._topics)
            asked = [TopicRequest(name=them.topic, partition_indexes=[0])]
            request = DescribeProducersRequest(topics=asked)
            said = f"{self.number}. producers of {them.topic[-1]}"
            self.talk.ask(said, request, 0, broker=self._asked(them))

    def _ask_for_epochs(self) -> None:
        them = self.random.choice(self._topics)
        epoch = self.random.randrange(8)
        request = leader_epochs((them.topic, 0, epoch))
        version = self._version(ApiKey.OFFSET_FOR_LEADER_EPOCH)
        said = f"{self.number}. the end of epoch {epoch} of {them.topic[-1]}"
        self.talk.ask(said, request, version, broker=self._asked(them))

    def _see_own(self) -> None:
        them = self.random.choice(self._topics)
        able = sorted(set(them.replicas()) - self._away)
        them.see_own(f"{self.number}. {them.topic[-1]}", self.random.choice(able))

    def _transact(self) -> None:
        """Begin, continue or end a transaction in the first topic that has a leader."""
        them = self._topics[0]
        leader = self._leader(them)
        if leader < 0:
            return
        self._one.leader = leader
        part = (them.topic, 0)
        title = f"{self.number}. transaction"
        if not self._is_open:
            self._one.add(f"{title} begins", part)
            self._is_open = True
        is_in_vain = self._waits(them)
        self._one.timeout_ms = IN_VAIN_MS if is_in_vain else SURE_MS
        if self.happens(0.6) or is_in_vain:
            self._one.write(f"{title} goes on", part, b"%d" % self.number)
            them.control.settle()
            return
        committed = self.happens(0.5)
        self._one.end(f"{title} ends: {committed}", committed=committed)
        self._one.await_complete(committed=committed)
        self._is_open = False
        them.control.settle()
        if self.happens(0.3):
            self._one.init(f"{title}: begin again")

    # What that takes.

    def _waits(self, them: Replicas) -> bool:
        """Return whether acks=all waits in vain: for a replica in sync that is cut off."""
        leader, in_sync = self._shape(them)
        return bool(set(in_sync) & self._cut_off - {leader})

    def _shape(self, them: Replicas) -> tuple[int, list[int]]:
        """Return leader and in-sync replicas."""
        version = self.talk.latest(ApiKey.METADATA, 9)
        answer = self.talk.quietly(named(them.topic), version, broker=LAST)
        [partition] = self.talk.expect(MetadataResponse, answer).topics[0].partitions
        return partition.leader_id, list(partition.isr_nodes)

    def _leader(self, them: Replicas) -> int:
        """Return the leader, or any broker if there is none."""
        leader, _ = self._shape(them)
        return leader if leader > 0 else LAST

    def _followers(self, them: Replicas) -> list[int]:
        return [each for each in them.replicas() if each != self._leader(them)]

    def _asked(self, them: Replicas) -> int:
        """Choose the broker to ask: nearly always the leader."""
        leader = self._leader(them)
        others = [each for each in BROKERS if each not in self._away | {leader}]
        return self.random.choice(others) if self.happens(0.04) else leader

    def _bounds(self, them: Replicas) -> tuple[int, int]:
        """Return log start and log end of the leader."""
        found: list[int] = []
        for timestamp in (EARLIEST, LATEST):
            request = list_offsets((them.topic, 0, timestamp))
            request.replica_id = DEBUGGING
            answer = self.talk.quietly(request, 1, broker=self._leader(them))
            found.append(
                self.talk.expect(ListOffsetsResponse, answer).topics[0].partitions[0].offset
            )
        return found[0], found[1]

    def _version(self, api_key: ApiKey) -> int:
        """Choose a version at random: the newest more often than others."""
        versions = self.talk.versions(api_key)
        return versions[-1] if self.happens(0.4) else self.random.choice(versions)


def walk_replicas(talk: Talk, seed: int) -> None:
    """Run a walk with a seed, in which no broker ends."""
    ReplicasWalk(talk, f"replicas-{seed}", seed, restarts=False).run()


def walk_restarted_replicas(talk: Talk, seed: int) -> None:
    """Run a walk with a seed, in which brokers are killed, stopped and started."""
    ReplicasWalk(talk, f"restarted-{seed}", seed, restarts=True).run()
