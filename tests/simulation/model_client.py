"""Base of the model clients: finds leaders and coordinators, sends requests, and retries."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.schema.message import Message
from tests.simulation.steps import Lost, Pause, Receive, Send, Steps

if TYPE_CHECKING:
    from tests.simulation.world import World

MessageT = TypeVar("MessageT", bound=Message)

REQUEST_TIMEOUT_MS: Final = 2_000
PAUSE_MS: Final = 100
PATIENCE: Final = 12
"""Number of retries before a client gives up."""
LAST_EPOCH: Final = 32_766
"""The last epoch of a producer; the next one is for coordinators."""
RETRIABLE: Final = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.UNSTABLE_OFFSET_COMMIT,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_TOPIC_ID,
    }
)
TRANSACTIONS: Final = 1
GROUPS: Final = 0


class GaveUp(Exception):  # noqa: N818 - a client's decision
    """The client cannot continue; the error code says why."""

    def __init__(self, code: ErrorCode) -> None:
        super().__init__(code.name)
        self.code = code


class ModelClient(ABC):
    """A client that works step by step."""

    def __init__(self, world: "World", name: str) -> None:
        self.world = world
        self.name = name
        self.random = random.Random(f"{world.seed} {name}")
        self._jumps = world.jumps
        self._leaders: dict[tuple[str, int], int] = {}
        self._coordinators: dict[tuple[int, str], int] = {}

    @abstractmethod
    def run(self) -> Steps[None]:
        """Do the client's work."""

    def value(self) -> bytes:
        """Create a unique value."""
        return self.world.new_value(self.name)

    def is_out_of_time(self) -> bool:
        """Return, once, whether the time for retries is over."""
        had_patience, self._jumps = self._jumps, self.world.jumps
        return self._jumps != had_patience

    def keep_trying(self) -> None:
        """Continue, unless the time for retries is over.

        Raises:
            GaveUp: it has.

        """
        if self.is_out_of_time():
            raise GaveUp(ErrorCode.REQUEST_TIMED_OUT)

    def note(self, what: str) -> None:
        """Add a line to the log of the simulation."""
        self.world.note(f"{self.name}: {what}")

    # Asking

    def ask(
        self, broker_id: int, request: Message, version: int, kind: type[MessageT]
    ) -> Steps[MessageT]:
        """Send a request once. Raises `Lost`."""
        yield Send(broker_id, request, version)
        answer = yield Receive(broker_id, REQUEST_TIMEOUT_MS)
        assert isinstance(answer, kind), answer
        return answer

    def leader(self, topic: str, index: int) -> Steps[int]:
        """Return the leader of a partition, with a metadata request if it is unknown.

        Raises:
            GaveUp: none was found.

        """
        for _ in range(PATIENCE):
            known = self._leaders.get((topic, index))
            if known is not None:
                return known
            try:
                yield from self._ask_for_leaders(topic)
            except Lost:
                yield Pause(PAUSE_MS)
            if (topic, index) not in self._leaders:
                yield Pause(PAUSE_MS)
        raise GaveUp(ErrorCode.LEADER_NOT_AVAILABLE)

    def _ask_for_leaders(self, topic: str) -> Steps[None]:
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        anybody = self.random.choice(self.world.broker_ids)
        answer = yield from self.ask(anybody, request, 8, MetadataResponse)
        for found in answer.topics:
            for partition in found.partitions:
                if partition.leader_id >= 0:
                    self._leaders[topic, partition.partition_index] = partition.leader_id

    def forget_all_leaders(self) -> None:
        """Discard all leaders, because the network was disturbed."""
        self._leaders.clear()

    def forget_leader(self, topic: str, index: int) -> None:
        """Discard a partition's leader."""
        self._leaders.pop((topic, index), None)

    def coordinator(self, kind: int, key: str) -> Steps[int]:
        """Return a coordinator, with a lookup if it is unknown.

        Raises:
            GaveUp: none was found.

        """
        for _ in range(PATIENCE):
            known = self._coordinators.get((kind, key))
            if known is not None:
                return known
            request = FindCoordinatorRequest(key=key, key_type=kind)
            try:
                anybody = self.random.choice(self.world.broker_ids)
                answer = yield from self.ask(anybody, request, 3, FindCoordinatorResponse)
            except Lost:
                continue
            if answer.error_code == ErrorCode.NONE:
                self._coordinators[kind, key] = answer.node_id
            else:
                yield Pause(PAUSE_MS)
        raise GaveUp(ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def forget_coordinator(self, kind: int, key: str) -> None:
        """Discard a coordinator."""
        self._coordinators.pop((kind, key), None)

    def ask_coordinator(
        self,
        kind: int,
        key: str,
        request: Message,
        version: int,
        answer_kind: type[MessageT],
        code_of: Callable[[MessageT], int],
    ) -> Steps[MessageT]:
        """Send a request to a coordinator, and retry after retriable errors.

        Raises:
            GaveUp: it was refused, or cannot be known to be done.

        """
        for _ in range(PATIENCE):
            broker_id = yield from self.coordinator(kind, key)
            self.keep_trying()
            try:
                answer = yield from self.ask(broker_id, request, version, answer_kind)
            except Lost:
                self.forget_coordinator(kind, key)
                self.lost_an_answer()
                continue
            code = ErrorCode(code_of(answer))
            if code is ErrorCode.NONE:
                return answer
            if code not in RETRIABLE:
                raise GaveUp(code)
            self.forget_coordinator(kind, key)
            yield Pause(PAUSE_MS)
        raise GaveUp(ErrorCode.REQUEST_TIMED_OUT)

    def lost_an_answer(self) -> None:
        """Continue after a lost response, unless this kind of client must not.

        Raises:
            GaveUp: it must not.

        """
        self.forget_all_leaders()

    # Producing

    def init_producer_id(
        self, transactional_id: str | None, timeout_ms: int = 60_000
    ) -> Steps[tuple[int, int]]:
        """Get a producer id and an epoch.

        Raises:
            GaveUp: it was refused.

        """
        request = InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=timeout_ms
        )
        for _ in range(PATIENCE):
            if transactional_id is None:
                broker_id = self.random.choice(self.world.broker_ids)
            else:
                broker_id = yield from self.coordinator(TRANSACTIONS, transactional_id)
            try:
                answer = yield from self.ask(broker_id, request, 4, InitProducerIdResponse)
            except Lost:
                self.forget_coordinator(TRANSACTIONS, str(transactional_id))
                continue
            code = ErrorCode(answer.error_code)
            if code is ErrorCode.NONE:
                epoch = answer.producer_epoch
                assert epoch <= LAST_EPOCH, f"a producer has the epoch of fences, {epoch}"
                return answer.producer_id, epoch
            if code not in RETRIABLE:
                raise GaveUp(code)
            self.forget_coordinator(TRANSACTIONS, str(transactional_id))
            yield Pause(PAUSE_MS)
        raise GaveUp(ErrorCode.REQUEST_TIMED_OUT)

    def batch(
        self,
        values: list[bytes],
        producer: tuple[int, int],
        sequence: int,
        *,
        is_transactional: bool,
    ) -> bytes:
        """Build a batch."""
        now_ms = self.world.brokers.clock.now_ms()
        records = [Record(offset=n, timestamp=now_ms, value=v) for n, v in enumerate(values)]
        return build_batch(
            records,
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=sequence,
            is_transactional=is_transactional,
        )

    def produce_request(
        self, topic: str, index: int, records: bytes, *, transactional_id: str | None = None
    ) -> ProduceRequest:
        """Build a Produce request with one batch."""
        data = PartitionProduceData(index=index, records=records)
        return ProduceRequest(
            transactional_id=transactional_id,
            acks=-1,
            timeout_ms=REQUEST_TIMEOUT_MS,
            topic_data=[TopicProduceData(name=topic, partition_data=[data])],
        )


def answer_as(kind: type[MessageT], answer: Message | None) -> MessageT:
    """Check that a response has the expected type, and return it."""
    assert isinstance(answer, kind), answer
    return answer
