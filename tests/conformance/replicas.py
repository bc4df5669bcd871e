"""Short forms for scripts about replicas: operations on brokers, and what each replica answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.answers import error_codes
from tests.conformance.batches import Item, Producer, batch
from tests.conformance.patience import ATTEMPTS
from tests.conformance.replica_control import ReplicaControl
from tests.conformance.requests import (
    Reading,
    Wanted,
    delete_records,
    fetch,
    list_offsets,
    produce,
)
from tests.conformance.scenarios.elections import PREFERRED, UNCLEAN, elect
from tests.conformance.scenarios.metadata import named
from tests.conformance.scenarios.offsets import leader_epochs
from tests.conformance.scenarios.reassignments import reassign
from tests.conformance.steps import Pending
from tests.conformance.talk import CONTROLLER, Condition, Talk
from tests.conformance.wire import Answer

ONE_COORDINATOR: Final = {
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}
"""Configs of a coordinator that waits for no replica."""
IN_SYNC_FOR_LONG: Final = {"replica.lag.time.max.ms": "600000", **ONE_COORDINATOR}
"""Configs with which a replica that is cut off stays in sync."""
SOON_OUT_OF_SYNC: Final = {"replica.lag.time.max.ms": "4000", **ONE_COORDINATOR}
"""Configs with which a replica that is cut off leaves the in-sync replicas soon."""
PATIENCE: Final = 2_000
"""Moments that an election or a change of the in-sync replicas may take."""
LAST: Final = 3
"""The broker that no script kills: with ZooKeeper it is the controller."""
DEBUGGING: Final = -2
"""The replica id with which every replica answers for its own log."""
NOT_LEADING: Final = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
)
EARLIEST, LATEST = -2, -1
QUIET_MS: Final = 2_000
DELETION_MS: Final = 400
"""The timeout of deletions that wait for a replica that is cut off."""


@dataclass(slots=True)
class Replicas:
    """The replicas of one partition, as a script sees and controls them."""

    talk: Talk
    topic: str

    def __post_init__(self) -> None:
        """Let the broker that is never killed name the controller."""
        self.talk.witness = LAST

    @property
    def control(self) -> ReplicaControl:
        """The control of the brokers."""
        assert self.talk.replicas is not None, "single brokers are not controlled here"
        return self.talk.replicas

    @property
    def part(self) -> tuple[str, int]:
        """The partition, by topic and number."""
        return self.topic, 0

    # Operations, each of which is a step.

    def cut_off(self, broker: int) -> None:
        """Stop a broker from following, once all replicas have all."""
        self.control.settle()
        self.control.cut_off(broker)
        self._note(f"broker {broker} stops following")

    def follow(self, broker: int) -> None:
        """Let a broker follow, and wait until its replicas have all and are in sync."""
        self.control.follow(broker)
        self.control.settle()
        self._note(f"broker {broker} follows")

    def kill(self, broker: int, *, leader: int | None = None) -> None:
        """Kill a broker, and wait for the new leader."""
        self.control.kill(broker)
        self.talk.disconnect(broker)
        self.await_leader(leader)
        self._note(f"broker {broker} is killed")

    def stop(self, broker: int, *, leader: int | None = None) -> None:
        """Stop a broker in a controlled way, and wait for the new leader."""
        self.control.stop(broker)
        self.talk.disconnect(broker)
        self.await_leader(leader)
        self._note(f"broker {broker} is stopped")

    def start(self, broker: int, *, leader: int | None = None) -> None:
        """Start a broker, and wait until it follows or leads."""
        self.control.start(broker)
        self.await_leader(leader)
        self.control.settle()
        self._note(f"broker {broker} starts")

    def lose_snapshots(self, broker: int) -> None:
        """Delete the producer snapshots of a broker that is away."""
        self.control.lose_snapshots(broker, self.topic)
        self._note(f"broker {broker} loses its snapshots")

    def restore_snapshots(self, broker: int) -> None:
        """Replace the producer snapshots of a broker that is away by older ones."""
        self.control.restore_snapshots(broker, self.topic)
        self._note(f"broker {broker} has older snapshots")

    def lead(self, broker: int, *, quietly: bool = False) -> None:
        """Elect an in-sync replica as the leader, by making it the preferred one.

        The response to the election is a step, unless it is done quietly: 2.4.1 has a race, which
        can make it miss the election's end.
        """
        others = [each for each in self.replicas() if each != broker]
        order = reassign((self.topic, 0, [broker, *others]))
        self.talk.quietly(order, 0, broker=self.talk.controller())
        self.await_order([broker, *others])
        timeout_ms = QUIET_MS if quietly else 30_000
        election = elect((self.topic, [0]), election_type=PREFERRED, timeout_ms=timeout_ms)
        version = self.talk.latest(ApiKey.ELECT_LEADERS)
        if quietly:
            self.talk.quietly(election, version, broker=self.talk.controller())
            self._note(f"{broker} leads")
        else:
            self.talk.ask(f"{broker} is to lead", election, version, broker=CONTROLLER)
        self.await_leader(broker)
        self.control.settle()

    def elect_unclean(self, leader: int) -> None:
        """Elect any replica that is alive, because none in sync is."""
        election = elect((self.topic, [0]), election_type=UNCLEAN)
        version = self.talk.latest(ApiKey.ELECT_LEADERS)
        self.talk.ask("elect anyone", election, version, broker=CONTROLLER)
        self.await_leader(leader)
        self.control.settle()

    # Requests.

    def write(
        self,
        title: str,
        who: Producer,
        sequence: int,
        *,
        broker: int,
        acks: int = -1,
        records: int = 1,
        timeout_ms: int | None = None,
    ) -> Answer:
        """Write one record; with a timeout, in vain."""
        pending = self.begin_write(
            title,
            who,
            sequence,
            broker=broker,
            acks=acks,
            records=records,
            timeout_ms=timeout_ms,
        )
        if timeout_ms is not None:
            self.talk.let_time_pass(timeout_ms)
        return self.talk.finish(pending)

    def begin_write(
        self,
        title: str,
        who: Producer,
        sequence: int,
        *,
        broker: int,
        acks: int = -1,
        records: int = 1,
        timeout_ms: int | None = None,
    ) -> Pending:
        """Send a record without waiting for the response."""
        data = batch(
            *(Item(value=b"%d" % (sequence + index)) for index in range(records)),
            at_ms=self.talk.at(sequence),
            producer=replace(who, base_sequence=sequence),
        )
        request = produce(self.talk, (self.topic, 0, data), acks=acks)
        request.timeout_ms = timeout_ms or request.timeout_ms
        version = self.talk.latest(ApiKey.PRODUCE, 11)
        said = f"{title}: {sequence}, acks {acks}"
        connection = "main" if timeout_ms is None else "waiting"
        return self.talk.begin(said, request, version, broker=broker, connection=connection)

    def delete(self, offset: int, *, broker: int) -> None:
        """Delete records; while a follower is cut off, the leader waits for it in vain."""
        self.control.await_checkpoints()
        request = delete_records((self.topic, 0, offset))
        if self.control.is_anybody_cut_off:
            request.timeout_ms = DELETION_MS
        version = self.talk.latest(ApiKey.DELETE_RECORDS)
        pending = self.talk.begin(f"delete up to {offset}", request, version, broker=broker)
        if self.control.is_anybody_cut_off:
            self.talk.let_time_pass(DELETION_MS)
        self.talk.finish(pending)

    def see(self, title: str, leader: int, *others: int) -> None:
        """Ask for everything that a leader tells of a partition, and for each replica's log."""
        self.control.settle()
        talk, part = self.talk, (self.topic, 0)
        version = min(4, talk.latest(ApiKey.LIST_OFFSETS))
        for said, timestamp, level in (
            ("start", EARLIEST, 0),
            ("high watermark", LATEST, 0),
            ("last stable offset", LATEST, 1),
        ):
            request = list_offsets((*part, timestamp), isolation_level=level)
            talk.ask(f"{title}: {said}", request, version, broker=leader)
        self.read(title, leader)
        if talk.versions(ApiKey.DESCRIBE_PRODUCERS):
            asked = [TopicRequest(name=self.topic, partition_indexes=[0])]
            describing = DescribeProducersRequest(topics=asked)
            talk.ask(f"{title}: producers", describing, 0, broker=leader)
        for broker in (leader, *others):
            self.see_own(title, broker)

    def read(self, title: str, broker: int, offset: int = 0, *, leader_epoch: int = -1) -> None:
        """Fetch all, including aborted records, with the list of aborted transactions."""
        version = self.talk.latest(ApiKey.FETCH, 11)
        wanted = Wanted(self.topic, 0, offset, current_leader_epoch=leader_epoch)
        request = fetch(self.talk, wanted, reading=Reading(isolation_level=1))
        self.talk.ask(f"{title}: fetch from {offset}", request, version, broker=broker)

    def see_own(self, title: str, broker: int) -> None:
        """Ask a replica for the bounds of its own log, which it tells even if it is a follower."""
        for said, timestamp in (("log start", EARLIEST), ("log end", LATEST)):
            request = list_offsets((self.topic, 0, timestamp))
            request.replica_id = DEBUGGING
            self.talk.ask(f"{title}: {said} of {broker}", request, 1, broker=broker)

    def see_epochs(self, title: str, broker: int, *epochs: int) -> None:
        """Ask for the ends of leader epochs."""
        version = self.talk.latest(ApiKey.OFFSET_FOR_LEADER_EPOCH, 3)
        for epoch in epochs:
            request = leader_epochs((self.topic, 0, epoch))
            self.talk.ask(f"{title}: end of epoch {epoch}", request, version, broker=broker)

    def _note(self, name: str) -> None:
        self.talk.note(name, "", None)

    # Conditions.

    def replicas(self) -> list[int]:
        """Return the replicas, the preferred one first."""
        version = self.talk.latest(ApiKey.METADATA, 9)
        answer = self.talk.quietly(named(self.topic), version, broker=LAST)
        topic = self.talk.expect(MetadataResponse, answer).topics[0]
        return list(topic.partitions[0].replica_nodes)

    def await_order(self, replicas: Sequence[int]) -> None:
        """Wait until all brokers know the order of the replicas."""
        self._await(lambda _, order, __: order == list(replicas))

    def await_leader(self, leader: int | None) -> None:
        """Wait until all brokers know the leader, which answers as such; None for any."""
        if leader is not None:
            self._await(lambda found, _, __: found == leader)
            if leader > 0:
                self._await_answers(leader)

    def leave(self, broker: int, *in_sync: int) -> None:
        """Wait until a broker that is cut off has left the in-sync replicas."""
        self.control.leave(broker)
        self.await_in_sync(*in_sync)

    def await_in_sync(self, *brokers: int) -> None:
        """Wait until all brokers know these in-sync replicas."""
        self._await(lambda _, __, in_sync: sorted(in_sync) == sorted(brokers))
        self._note(f"in sync: {', '.join(map(str, brokers))}")

    def await_end(self, broker: int, offset: int) -> None:
        """Wait until a replica's log has its end."""
        request = list_offsets((self.topic, 0, LATEST))
        request.replica_id = DEBUGGING
        self._until(request, 1, lambda answer: f"offset={offset}," in repr(answer), broker)

    def _await_answers(self, leader: int) -> None:
        def is_so(answer: Message) -> bool:
            return NOT_LEADING.isdisjoint(error_codes(answer))

        self._until(list_offsets((self.topic, 0, -1)), 1, is_so, leader)

    def _await(self, condition: Callable[[int, list[int], list[int]], bool]) -> None:
        """Wait until all brokers know a leader, replicas and in-sync replicas as wanted."""

        def is_so(answer: Message) -> bool:
            assert isinstance(answer, MetadataResponse)
            return any(
                condition(each.leader_id, list(each.replica_nodes), list(each.isr_nodes))
                for topic in answer.topics
                for each in topic.partitions
            )

        for broker in self.alive():
            self._until(named(self.topic), self.talk.latest(ApiKey.METADATA, 9), is_so, broker)

    def alive(self) -> list[int]:
        """Return the brokers that the last one lists."""
        answer = self.talk.quietly(named(self.topic), 1, broker=LAST)
        listed = self.talk.expect(MetadataResponse, answer).brokers
        return sorted(each.node_id for each in listed)

    def _until(self, request: Message, version: int, condition: Condition, broker: int) -> None:
        answer = None
        for _ in range(PATIENCE if self.talk.is_real else ATTEMPTS):
            answer = self.talk.quietly(request, version, broker=broker)
            if isinstance(answer, Message) and condition(answer):
                return
            self.talk.wait_a_moment()
        raise AssertionError(f"still {answer}")


def replicated(
    talk: Talk, name: str, replicas: Sequence[int], *, configs: Mapping[str, str] | None = None
) -> Replicas:
    """Create a topic with one partition, and a name of its own.

    A broker that starts again gives a topic the log start that it stored for a deleted one of the
    same name.
    """
    them = Replicas(talk, name)
    talk.topic(them.topic, assignments=[replicas], configs=configs)
    return them
