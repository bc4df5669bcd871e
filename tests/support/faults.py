"""Faults at brokers without sockets, with two partitions so that effects can be compared."""

from typing import Final

from mockbroker.faults.effect import Effect
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.network.toxic import Toxic
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import EveryTime, Trigger
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.support.in_process import NOW_MS, Brokers, Peer
from tests.support.requests import batch_of

VERSION: Final = 9
"""A version of Produce that names topics."""


class Plan:
    """Brokers with the topic `orders` of two partitions, and a plan of faults."""

    def __init__(self, *, brokers: int = 1, configs: dict[str, str] | None = None) -> None:
        topics = {"orders": 2, "payments": 1}
        self.brokers = Brokers(brokers=brokers, topics=topics, configs=configs)
        self.plan = FaultPlan(self.brokers.service)

    def fault(
        self, effect: Effect, trigger: Trigger | None = None, **selectors: object
    ) -> FaultState:
        """Add a fault, which by default fires every time."""
        fault = self.plan.add(Selectors(selectors))
        fault.effect = effect
        fault.trigger = EveryTime() if trigger is None else trigger
        self.plan.faults_changed()
        return fault

    def toxic(
        self, toxic: Toxic, trigger: Trigger | None = None, **selectors: object
    ) -> FaultState:
        """Add a fault with a toxic, which by default is on every connection."""
        fault = self.plan.add(Selectors(selectors))
        fault.toxic = toxic
        fault.trigger = EveryTime() if trigger is None else trigger
        self.plan.fault_changed(fault)
        return fault

    def ends(self) -> list[int]:
        """Return the log end offsets of the partitions of `orders`."""
        log_of = self.brokers.state.log_of
        return [log_of(p, NOW_MS).log_end_offset for p in self.brokers.topic("orders").partitions]


def produce_to(*indexes: int, acks: int = -1, topic: str = "orders") -> ProduceRequest:
    """Produce a record to each of some partitions of a topic."""
    data = [PartitionProduceData(index=index, records=batch_of()) for index in indexes]
    return ProduceRequest(
        transactional_id=None,
        acks=acks,
        timeout_ms=1000,
        topic_data=[TopicProduceData(name=topic, partition_data=data)],
    )


def codes(response: ProduceResponse) -> dict[tuple[str, int], int]:
    """Return the error codes of an answer by topic and partition."""
    return {
        (topic.name, partition.index): partition.error_code
        for topic in response.responses
        for partition in topic.partition_responses
    }


def produced(peer: Peer, *indexes: int) -> dict[tuple[str, int], int]:
    """Produce to partitions of `orders`, and return the error codes of the answer."""
    return codes(peer.ask(produce_to(*indexes), VERSION, ProduceResponse))
