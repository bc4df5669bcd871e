"""A small world whose every history is searched: two producers, a coordinator, two partitions.

Anything that may happen next is an action. A producer sends the next request of its application; a
request that is on its way arrives; a broker does pending work, one marker at a time; or a fault
happens, of which there are few: an answer is lost, a request is late and repeated meanwhile, the
coordinator moves, a leader changes, an append to the transaction log fails, or a transaction times
out. Producers do what Kafka's own producer does with each answer.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.transaction.producer_epochs import NO_PRODUCER
from tests.model.checker.brokers import written_by
from tests.model.checker.moments import Event, Moment, Moments, Outcome
from tests.model.checker.promises import Told
from tests.model.checker.values import (
    ABORTABLE,
    NO_SEQUENCES,
    PARTITIONS,
    REPEATED,
    Answer,
    Case,
    Ended,
    Message,
    Producer,
    Request,
)
from tests.model.transaction_clients import Written

_Value = TypeVar("_Value")


class Action(NamedTuple):
    """One thing that may happen next."""

    name: str
    """The method that does it, of `Doing` or of the brokers."""
    arguments: tuple[object, ...] = ()
    faults: int = 0

    def __str__(self) -> str:
        """Name the action as in a list of steps."""
        return " ".join((self.name, *map(str, self.arguments)))


def in_stable_order(values: Iterable[_Value]) -> tuple[_Value, ...]:
    """Return what has no order in the same one always, so that a state has one form."""
    found = tuple(values)
    return found if len(found) < 2 else tuple(sorted(found, key=repr))


class World(NamedTuple):
    """Brokers in a moment, two producers, and the network between them."""

    moment: Moment
    producers: tuple[Producer, ...]
    network: tuple[Message, ...] = ()
    ended: tuple[Ended, ...] = ()
    commits_sent: frozenset[tuple[int, int]] = frozenset()
    """Sender and serial of the transactions for which a commit was sent."""
    origins: frozenset[tuple[Written, int, int]] = frozenset()
    """The transaction of each batch that was sent, which has offset -1 here."""

    # What may happen next

    def actions(self, faults_left: int) -> Iterator[Action]:
        """Yield everything that may happen next."""
        moment = self.moment
        for index, producer in enumerate(self.producers):
            yield from _actions_of(index, producer, faults_left)
        for index in range(len(self.network)):
            yield Action("deliver", (index,))
        for index in moment.works:
            yield Action("work", (index,))
        for transactional_id in moment.steps:
            yield Action("step", (transactional_id,))
        if not moment.has_enough_replicas:
            yield Action("replicas_return")
        if faults_left and self._is_busy():
            yield from self._faults()

    def is_symmetric(self) -> bool:
        """Return whether nothing tells the producers apart: neither has sent anything."""
        first, second = self.producers
        return (
            not self.network
            and first.unanswered is None
            and first.identity == NO_PRODUCER
            and second == first._replace(transactional_id=second.transactional_id)
        )

    def _is_busy(self) -> bool:
        return bool(
            self.network
            or self.moment.works
            or self.moment.steps
            or not all(producer.is_done for producer in self.producers)
        )

    def _faults(self) -> Iterator[Action]:
        if self.moment.has_enough_replicas:
            yield Action("move_coordinator", (), 1)
            yield Action("lose_replicas", (), 1)
        for partition in self.moment.has_records:
            yield Action("elect", (partition, "full"), 1)
            yield Action("elect", (partition, "from_log"), 1)
        if any(producer.has_begun for producer in self.producers):
            yield Action("time_out", (), 1)

    def told(self, settled: Moment | None = None) -> Told:
        """Return what the promises to producers are about, perhaps after all has happened."""
        return Told(
            (settled or self.moment).fates,
            tuple(producer.written for producer in self.producers),
            self.ended,
            self.commits_sent,
            self.origins,
        )

    # Producers

    def with_producer(self, index: int, producer: Producer) -> "World":
        """Change a producer."""
        producers = (*self.producers[:index], producer, *self.producers[index + 1 :])
        return self._replace(producers=producers)

    def with_message(self, message: Message) -> "World":
        """Put a request on its way; the network keeps no order."""
        if not self.network:
            return self._replace(network=(message,))
        return self._replace(network=in_stable_order((*self.network, message)))

    def with_request(self, message: Message) -> "World":
        """Remember what a producer sent."""
        transaction = message.sender, message.serial
        if message.request.api == "produce":
            sent = written_by(message, -1)
            return self._replace(origins=self.origins | {(sent, *transaction)})
        if message.request.api == "commit":
            return self._replace(commits_sent=self.commits_sent | {transaction})
        return self

    def with_answer(self, index: int, request: Request, answer: Answer) -> "World":
        """Let a producer do what it does after an answer."""
        producer = self.producers[index]._replace(waits=False, unanswered=None)
        if answer.code in REPEATED:
            return self.with_producer(index, producer._replace(unanswered=request))
        if answer.code != ErrorCode.NONE:
            return self._with_error(index, producer, request, answer.code)
        if request.api in {"commit", "abort"}:
            is_commit = request.api == "commit"
            return self._with_end(index, producer, is_commit).with_producer(
                index, _after_end(producer, answer)
            )
        return self.with_producer(index, _after(producer, request, answer))

    def _with_error(
        self, index: int, producer: Producer, request: Request, code: ErrorCode
    ) -> "World":
        if request.api == "produce" and code in ABORTABLE:
            aborting = producer._replace(must_abort=True, needs_epoch=not producer.bumps)
            return self.with_producer(index, aborting)
        world = self._with_end(index, producer, None) if producer.written else self
        return world.with_producer(index, producer._replace(is_over=True, written=()))

    def _with_end(self, index: int, producer: Producer, is_commit: bool | None) -> "World":
        ended = Ended(index, producer.serial, producer.written, is_commit)
        return self._replace(ended=in_stable_order((*self.ended, ended)))


class Doing:
    """Does actions in a world, with the brokers of a case."""

    def __init__(self, case: Case) -> None:
        """Begin with nothing sent."""
        self.moments = Moments(case)
        bumps = self.moments.brokers.bumps
        self.first = World(
            self.moments.first,
            tuple(
                Producer(transactional_id, bumps, left)
                for transactional_id, left in zip(
                    case.transactional_ids, case.transactions, strict=True
                )
            ),
        )

    def done(self, world: World, action: Action) -> tuple[World, str]:
        """Return the world after an action, and how it went."""
        if (do := getattr(self, action.name, None)) is not None:
            return do(world, *action.arguments)  # type: ignore[no-any-return]
        outcome = self.moments.after(world.moment, Event(action.name, action.arguments))
        world = _reached(world, outcome)
        if action.name == "elect":
            world = _without_batches_for(world, action.arguments[0])
        return world, outcome.went

    def send(self, world: World, index: int, request: Request) -> tuple[World, str]:
        """Send a request, which is answered at once, or later if its batch is verified."""
        message = _message_of(world, index, request)
        after, outcome = self._arrived(world.with_request(message), message)
        answer = outcome.answer
        assert answer is not None
        if answer.is_on_its_way:
            producer = world.producers[index]._replace(waits=True, unanswered=None)
            return after.with_producer(index, producer), outcome.went
        if answer.code in REPEATED and request.api != "produce":
            # A broker did nothing: it is as if nothing was sent.
            return after._replace(commits_sent=world.commits_sent), outcome.went
        return after.with_answer(index, request, answer), outcome.went

    def send_without_answer(self, world: World, index: int, request: Request) -> tuple[World, str]:
        """Send a request whose answer is lost; the producer will repeat it."""
        message = _message_of(world, index, request)
        after, outcome = self._arrived(world.with_request(message), message._replace(is_late=True))
        repeating = world.producers[index]._replace(unanswered=request)
        return after.with_producer(index, repeating), outcome.went

    def send_late(self, world: World, index: int, request: Request) -> tuple[World, str]:
        """Send a request that the network keeps for a while; the producer will repeat it."""
        message = _message_of(world, index, request)
        repeating = world.producers[index]._replace(unanswered=request)
        after = world.with_request(message).with_message(message._replace(is_late=True))
        return after.with_producer(index, repeating), f"{request.api} late"

    def give_up(self, world: World, index: int) -> tuple[World, str]:
        """Let a batch expire that was not answered in time (delivery.timeout.ms)."""
        producer = world.producers[index]
        aborting = producer._replace(
            unanswered=None, must_abort=True, needs_epoch=not producer.bumps
        )
        return world.with_producer(index, aborting), "gave up"

    def deliver(self, world: World, index: int) -> tuple[World, str]:
        """Let a request arrive that was on its way."""
        message = world.network[index]
        network = world.network[:index] + world.network[index + 1 :]
        after, outcome = self._arrived(world._replace(network=network), message)
        answer = outcome.answer
        assert answer is not None
        if not answer.is_on_its_way and not message.is_late:
            after = after.with_answer(message.sender, message.request, answer)
        return after, outcome.went

    def _arrived(self, world: World, message: Message) -> tuple[World, Outcome]:
        """Let brokers handle a request; if they do not answer yet, its batch is on its way."""
        outcome = self.moments.handled(world.moment, message)
        after = _reached(world, outcome)
        if outcome.answer is not None and outcome.answer.is_on_its_way:
            after = after.with_message(message._replace(is_verified=True))
        return after, outcome


def _reached(world: World, outcome: Outcome) -> World:
    """Return the world with what came of something that happened to the brokers."""
    if outcome.revoked:
        network = (_after_revocation(message, outcome.revoked) for message in world.network)
        return world._replace(moment=outcome.moment, network=in_stable_order(network))
    return world._replace(moment=outcome.moment)


def _after_revocation(message: Message, revoked: frozenset[tuple[int, int]]) -> Message:
    key = message.request.partition, message.identity.producer_id
    return message._replace(is_revoked=True) if message.is_verified and key in revoked else message


def _without_batches_for(world: World, partition: object) -> World:
    """Tell producers that their verified batches met another leader."""
    lost = [
        message
        for message in world.network
        if message.is_verified and message.request.partition == partition
    ]
    if not lost:
        return world
    after = world._replace(network=tuple(each for each in world.network if each not in lost))
    for message in lost:
        if not message.is_late:
            not_leader = Answer(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            after = after.with_answer(message.sender, message.request, not_leader)
    return after


def _message_of(world: World, index: int, request: Request) -> Message:
    producer = world.producers[index]
    is_batch = request.api == "produce"
    continues = request.api == "init" and producer.needs_epoch
    return Message(
        index,
        producer.transactional_id,
        request,
        producer.identity,
        producer.serial,
        sequence=producer.sequences[request.partition] if is_batch else -1,
        expected=producer.identity if continues else None,
    )


def _after(producer: Producer, request: Request, answer: Answer) -> Producer:
    """Return a producer that got what it had asked for."""
    if request.api == "init":
        assert answer.identity is not None
        return producer._replace(
            identity=answer.identity, sequences=NO_SEQUENCES, needs_epoch=False
        )
    if request.api == "add":
        return producer._replace(added=producer.added | {request.partition})
    assert answer.written is not None
    return producer._replace(
        sequences=_next(producer.sequences, request.partition),
        sent=producer.sent | {request.partition},
        written=(*producer.written, answer.written),
    )


def _after_end(producer: Producer, answer: Answer) -> Producer:
    after = producer._replace(
        serial=producer.serial + 1,
        left=producer.left - 1,
        added=frozenset(),
        sent=frozenset(),
        written=(),
        must_abort=False,
    )
    if producer.bumps:
        assert answer.identity is not None
        return after._replace(identity=answer.identity, sequences=NO_SEQUENCES)
    return after


def _actions_of(index: int, producer: Producer, faults_left: int) -> Iterator[Action]:
    if producer.is_done or producer.waits:
        return
    for request in _requests_of(producer):
        yield Action("send", (index, request))
        if faults_left:
            yield Action("send_without_answer", (index, request), 1)
            yield Action("send_late", (index, request), 1)
    if producer.unanswered is not None and producer.unanswered.api == "produce":
        yield Action("give_up", (index,))


def _requests_of(producer: Producer) -> Iterator[Request]:
    """Yield what an application may ask its producer for next."""
    if producer.unanswered is not None:
        yield producer.unanswered
        return
    if producer.identity.producer_id < 0 or (producer.needs_epoch and not producer.must_abort):
        yield Request("init")
        return
    if producer.left and not producer.must_abort:
        # By symmetry, the first partition comes first.
        partition = next((p for p in range(PARTITIONS) if p not in producer.sent), None)
        if partition is not None:
            is_added = producer.bumps or partition in producer.added
            yield Request("produce" if is_added else "add", partition)
        if producer.sent:
            yield Request("commit")
    if producer.has_begun or producer.must_abort:
        yield Request("abort")


def _next(sequences: tuple[int, ...], partition: int) -> tuple[int, ...]:
    return tuple(n + (index == partition) for index, n in enumerate(sequences))
