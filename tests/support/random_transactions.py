"""Random transactions of several applications, some of which write when they no longer may."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer

TOPICS: Final = {"a": 2, "b": 1}
_PLACES: Final = (("a", 0), ("a", 1), ("b", 0))
_APPLICATIONS: Final = 3


@dataclass(slots=True)
class _Application:
    transactional_id: str
    producer: WireProducer
    former: list[WireProducer] = field(default_factory=list[WireProducer])
    added: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    sequences: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])
    is_open: bool = False

    def begin_again(self) -> None:
        while self.producer.init_producer_id() is not ErrorCode.NONE:
            pass  # the coordinator ends the former transaction first
        self.added.clear()
        self.is_open = False

    def write(self, producer: WireProducer, topic: str, index: int) -> bool:
        key = topic, index, producer.producer_id, producer.producer_epoch
        sequence = self.sequences.get(key, 0)
        if producer.produce(topic, b"x", base_sequence=sequence, index=index).error:
            return False
        self.sequences[key] = sequence + 1
        return True


class RandomTransactions:
    """Applications that use a cluster with the topics of `TOPICS`."""

    def __init__(self, cluster: Cluster, seed: int, *, version: int, is_faulty: bool) -> None:
        """Connect; `version` is the transaction version of the clients."""
        self._cluster = cluster
        self._random = Random(seed)
        self._version = version
        self._is_faulty = is_faulty
        self._applications = [
            _Application(f"id-{number}", self._connected(f"id-{number}"))
            for number in range(_APPLICATIONS)
        ]
        for each in self._applications:
            each.begin_again()

    def run(self, steps: int) -> None:
        """Take so many steps, and close the connections."""
        for _ in range(steps):
            self._step(self._random.choice(self._applications), self._random.random())
        for each in self._applications:
            for producer in (each.producer, *each.former):
                producer.close()

    def _connected(self, transactional_id: str) -> WireProducer:
        servers = self._cluster.bootstrap_servers
        return WireProducer(servers, transactional_id, transaction_version=self._version)

    def _step(self, each: _Application, chance: float) -> None:
        if chance < 0.55:
            self._write(each)
        elif chance < 0.8:
            self._end(each)
        elif chance < 0.86:
            each.former.append(each.producer)
            each.producer = self._connected(each.transactional_id)
            each.begin_again()
        elif chance < 0.9:
            self._cluster.move_coordinator(each.transactional_id)
        elif chance < 0.93:
            self._cluster.clock.advance("70s")  # open transactions time out
            for other in self._applications:
                other.begin_again()
        elif self._is_faulty:
            self._write_late(each)

    def _write(self, each: _Application) -> None:
        place = self._random.choice(_PLACES)
        if self._version < 2 and place not in each.added:
            if each.producer.add_partition(*place):
                return each.begin_again()
            each.added.add(place)
        each.is_open = True
        return None if each.write(each.producer, *place) else each.begin_again()

    def _end(self, each: _Application) -> None:
        if each.is_open:
            is_commit = self._random.random() < 0.7
            error = each.producer.commit() if is_commit else each.producer.abort()
            each.is_open = False
            each.added.clear()
            if error:
                each.begin_again()

    def _write_late(self, each: _Application) -> None:
        producer = self._random.choice([each.producer, *each.former])
        if producer is not each.producer or not each.is_open:
            each.write(producer, *self._random.choice(_PLACES))
