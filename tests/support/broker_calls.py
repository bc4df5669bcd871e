"""Brokers of which one asks another about a transaction, while a fault affects the question."""

from collections.abc import Mapping
from typing import Final

from mockbroker.faults.effect import Effect
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import Once
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import NOW_MS, Peer
from tests.support.transactions import ABORTABLE, BUMPING, Transactor, new_brokers

TIMEOUT_S: Final = 30.0
"""The default of request.timeout.ms."""
RETRY: Final = ErrorCode.NOT_ENOUGH_REPLICAS
UNVERIFIED: Final = (
    "Unable to verify the partition has been added to the transaction. "
    "Underlying error: NETWORK_EXCEPTION"
)


class Scene:
    """Brokers with a producer in a transaction, of which a fault affects the question about it."""

    def __init__(
        self,
        effect: Effect | None = None,
        versions: tuple[int, int] = ABORTABLE,
        configs: Mapping[str, str] | None = None,
    ) -> None:
        self.brokers = new_brokers(brokers=3, configs=dict(configs or {}))
        self.plan = FaultPlan(self.brokers.service)
        self.producer = Transactor(self.brokers, versions=versions)
        self.producer.init()
        if versions is not BUMPING:
            self.producer.add(0)
        self.peer: Peer | None = None
        if effect is not None:
            self.fault = self.affect(effect, between_brokers=True)

    def affect(self, effect: Effect, **selectors: object) -> FaultState:
        """Add a fault that fires once."""
        fault = self.plan.add(Selectors({"api": ApiKey.ADD_PARTITIONS_TO_TXN, **selectors}))
        fault.effect, fault.trigger = effect, effect.usual_trigger or Once()
        self.plan.faults_changed()
        return fault

    @property
    def leader_id(self) -> int:
        return self.brokers.partition("orders").leader_id

    def send(self, *, acks: int = -1) -> Peer:
        """Send the first batch of the transaction."""
        request = self.producer.request(0, self.producer.batch())
        request.acks = acks
        peer = self.peer = self.brokers.connect(self.leader_id)
        peer.send(request, self.producer.produce_version)
        self.brokers.loop.run()
        return peer

    def outcome(self) -> tuple[ErrorCode, str | None] | None:
        """Return the error code and message of the response, or None as long as there is none."""
        assert self.peer is not None
        if len(self.peer.transport.written) == 0:
            return None
        answer = self.peer.receive(ApiKey.PRODUCE, self.producer.produce_version, ProduceResponse)
        found = answer.responses[0].partition_responses[0]
        return ErrorCode(found.error_code), found.error_message

    def code(self) -> ErrorCode | None:
        outcome = self.outcome()
        return None if outcome is None else outcome[0]

    @property
    def end(self) -> int:
        return self.brokers.state.log_of(self.brokers.partition("orders"), NOW_MS).log_end_offset

    def release(self) -> None:
        assert self.plan.release(self.fault) == 1
        self.brokers.loop.run()


def other_producer(scene: Scene) -> Transactor:
    """Return a producer in a transaction that has the same coordinator."""
    for number in range(100):
        other = Transactor(scene.brokers, f"other-{number}", versions=ABORTABLE)
        if other.coordinator_id == scene.producer.coordinator_id:
            other.init()
            other.add(0)
            return other
    raise AssertionError("there are few partitions of the transaction log")


def sent(producer: Transactor) -> Peer:
    """Send the first batch of a producer, and return its connection."""
    peer = producer.brokers.connect(producer.brokers.partition("orders").leader_id)
    peer.send(producer.request(0, producer.batch()), producer.produce_version)
    producer.brokers.loop.run()
    return peer


def code_in(peer: Peer, version: int = ABORTABLE[0]) -> ErrorCode:
    answer = peer.receive(ApiKey.PRODUCE, version, ProduceResponse)
    return ErrorCode(answer.responses[0].partition_responses[0].error_code)
