"""A small world whose every history is searched: two producers, a coordinator, two partitions.

Anything that may happen next is an action. A producer sends the next request of its application; a
request that is on its way arrives; a broker does pending work, one marker at a time; or a fault
happens, of which there are few: an answer is lost, a request is late and repeated meanwhile, the
coordinator moves, a leader changes, an append to the transaction log fails, or a transaction times
out. Producers do what Kafka's own producer does with each answer.
"""

from collections.abc import Iterator
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.replication.leader_election import ProducerState
from mockbroker.state.topic.topic import TRANSACTION_STATE
from tests.model.checker.brokers import TOPIC, Brokers, written_by
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


class Action(NamedTuple):
    """One thing that may happen next."""

    name: str
    """The method of the world that does it."""
    arguments: tuple[object, ...] = ()
    faults: int = 0

    def __str__(self) -> str:
        """Name the action as in a list of steps."""
        return " ".join((self.name, *map(str, self.arguments)))


class World(Brokers):
    """Two brokers, two producers, and the network between them."""

    def __init__(self, case: Case) -> None:
        """Begin with nothing sent."""
        super().__init__(case)
        self.producers = [
            Producer(transactional_id, self.bumps, left)
            for transactional_id, left in zip(
                case.transactional_ids, case.transactions, strict=True
            )
        ]
        self.network: tuple[Message, ...] = ()
        self.faults_left = case.faults
        self.ended: tuple[Ended, ...] = ()
        self.commits_sent: frozenset[tuple[int, int]] = frozenset()
        """Sender and serial of the transactions for which a commit was sent."""
        self.origins: frozenset[tuple[Written, int, int]] = frozenset()
        """The transaction of each batch that was sent, which has offset -1 here."""
        self.stable_offsets: tuple[int, ...] = (0,) * PARTITIONS
        self.went: str = ""
        """How the last action went, for the counts."""

    # What may happen next

    def actions(self) -> Iterator[Action]:
        """Yield everything that may happen next."""
        for index, producer in enumerate(self.producers):
            yield from self._actions_of(index, producer)
        for index in range(len(self.network)):
            yield Action("deliver", (index,))
        for index in range(len(self.cluster.pending)):
            yield Action("work", (index,))
        for transactional_id in self.transactional_ids:
            if self.has_step(transactional_id):
                yield Action("step", (transactional_id,))
        if not self.has_enough_replicas:
            yield Action("replicas_return")
        if self.faults_left and self._is_busy():
            yield from self._faults()

    def _is_busy(self) -> bool:
        return bool(
            self.network
            or self.cluster.pending
            or any(map(self.has_step, self.transactional_ids))
            or not all(producer.is_done for producer in self.producers)
        )

    def _actions_of(self, index: int, producer: Producer) -> Iterator[Action]:
        if producer.is_done or producer.waits:
            return
        for request in _requests_of(producer):
            yield Action("send", (index, request))
            if self.faults_left:
                yield Action("send_without_answer", (index, request), 1)
                yield Action("send_late", (index, request), 1)
        if producer.unanswered is not None and producer.unanswered.api == "produce":
            yield Action("give_up", (index,))

    def _faults(self) -> Iterator[Action]:
        if self.has_enough_replicas:
            yield Action("move_coordinator", (), 1)
            yield Action("lose_replicas", (), 1)
        for partition in range(PARTITIONS):
            if self.log(partition).log_end_offset:
                yield Action("elect", (partition, "full"), 1)
                yield Action("elect", (partition, "from_log"), 1)
        if any(producer.has_begun for producer in self.producers):
            yield Action("time_out", (), 1)

    def act(self, action: Action) -> None:
        """Let something happen."""
        self.faults_left -= action.faults
        self.went = getattr(self, action.name)(*action.arguments)
        self.drop_held_work()

    # Producers

    def send(self, index: int, request: Request) -> str:
        """Send a request, which is answered at once, or later if its batch is verified."""
        before = self.commits_sent
        message = self._message_of(index, request)
        answer = self._arrive(message)
        if answer is not None and answer.code in REPEATED and request.api != "produce":
            self.commits_sent = before  # a broker did nothing: it is as if nothing was sent
        elif answer is not None:
            self._learn(index, request, answer)
        else:
            self.producers[index] = self.producers[index]._replace(waits=True, unanswered=None)
        return self.went

    def send_without_answer(self, index: int, request: Request) -> str:
        """Send a request whose answer is lost; the producer will repeat it."""
        message = self._message_of(index, request)
        self._arrive(message._replace(is_late=True))
        self.producers[index] = self.producers[index]._replace(unanswered=request)
        return self.went

    def send_late(self, index: int, request: Request) -> str:
        """Send a request that the network keeps for a while; the producer will repeat it."""
        message = self._message_of(index, request)
        self.network += (message._replace(is_late=True),)
        self.producers[index] = self.producers[index]._replace(unanswered=request)
        return f"{request.api} late"

    def give_up(self, index: int) -> str:
        """Let a batch expire that was not answered in time (delivery.timeout.ms)."""
        producer = self.producers[index]
        self.producers[index] = producer._replace(
            unanswered=None, must_abort=True, needs_epoch=not producer.bumps
        )
        return "gave up"

    def deliver(self, index: int) -> str:
        """Let a request arrive that was on its way."""
        message = self.network[index]
        self.network = self.network[:index] + self.network[index + 1 :]
        answer = self._arrive(message)
        if answer is not None and not message.is_late:
            self._learn(message.sender, message.request, answer)
        return self.went

    def _message_of(self, index: int, request: Request) -> Message:
        producer = self.producers[index]
        message = Message(
            index, producer.transactional_id, request, producer.identity, producer.serial
        )
        if request.api == "produce":
            sequence = producer.sequences[request.partition]
            sent = written_by(message._replace(sequence=sequence), -1)
            self.origins |= {(sent, index, producer.serial)}
            return message._replace(sequence=sequence)
        if request.api == "commit":
            self.commits_sent |= {(index, producer.serial)}
        if request.api == "init" and producer.needs_epoch:
            return message._replace(expected=producer.identity)
        return message

    def _learn(self, index: int, request: Request, answer: Answer) -> None:
        """Let a producer do what it does after an answer."""
        producer = self.producers[index]._replace(waits=False, unanswered=None)
        if answer.code in REPEATED:
            producer = producer._replace(unanswered=request)
        elif answer.code != ErrorCode.NONE:
            producer = self._after_error(index, producer, request, answer.code)
        elif request.api == "init":
            assert answer.identity is not None
            producer = producer._replace(
                identity=answer.identity, sequences=NO_SEQUENCES, needs_epoch=False
            )
        elif request.api == "add":
            producer = producer._replace(added=producer.added | {request.partition})
        elif request.api == "produce":
            assert answer.written is not None
            producer = producer._replace(
                sequences=_next(producer.sequences, request.partition),
                sent=producer.sent | {request.partition},
                written=(*producer.written, answer.written),
            )
        else:
            producer = self._after_end(index, producer, request, answer)
        self.producers[index] = producer

    def _after_error(
        self, index: int, producer: Producer, request: Request, code: ErrorCode
    ) -> Producer:
        if request.api == "produce" and code in ABORTABLE:
            return producer._replace(must_abort=True, needs_epoch=not producer.bumps)
        if producer.written:
            self.ended += (Ended(index, producer.serial, producer.written, None),)
        return producer._replace(is_over=True, written=())

    def _after_end(
        self, index: int, producer: Producer, request: Request, answer: Answer
    ) -> Producer:
        is_commit = request.api == "commit"
        self.ended += (Ended(index, producer.serial, producer.written, is_commit),)
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

    # The network

    def _arrive(self, message: Message) -> Answer | None:
        """Let brokers handle a request; None if they do not answer yet."""
        try:
            answer = self.handle(message)
        except ApiError as error:
            answer = Answer(error.code)
        is_on_its_way = answer.guard is not None
        if is_on_its_way:
            self.network += (message._replace(is_verified=True, guard=answer.guard),)
        code = "verified" if is_on_its_way else answer.code.name
        self.went = f"{message.request.api} {code}"
        return None if is_on_its_way else answer

    # Faults

    def move_coordinator(self) -> str:
        """Let the other broker coordinate, after it has read the log."""
        self.elect_other(self.partition(TRANSACTION_STATE, 0), "full")
        return "coordinator moved"

    def elect(self, partition: int, producer_state: ProducerState) -> str:
        """Let the other broker lead a partition, with all producer state or what its log shows."""
        self.elect_other(self.partition(TOPIC, partition), producer_state)
        for message in self.network:
            is_lost = message.is_verified and message.request.partition == partition
            if is_lost and not message.is_late:
                not_leader = Answer(ErrorCode.NOT_LEADER_OR_FOLLOWER)
                self._learn(message.sender, message.request, not_leader)
        self.network = tuple(
            message
            for message in self.network
            if not (message.is_verified and message.request.partition == partition)
        )
        return f"elected with {producer_state}"


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
