"""A cluster and its clients on one thread; a seed determines their order and all mishaps."""

import random
from collections.abc import Callable
from typing import Final

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.schema.message import Message
from mockbroker.state.config.named_configs import GROUP as GROUP_CONFIGS
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.conformance.batches import plain
from tests.simulation.ledger import Ledger
from tests.simulation.links import Links
from tests.simulation.model_client import ModelClient
from tests.simulation.plan import Plan
from tests.simulation.refusals import Refusals
from tests.simulation.request_budget import RequestBudget
from tests.simulation.share_session import SHARE_GROUP
from tests.simulation.share_watch import ShareWatch
from tests.simulation.sightings import Sightings
from tests.simulation.simulated_cluster import (
    WORK_PARTITIONS,
    SimulatedCluster,
    make_brokers,
)
from tests.simulation.steps import Lost, Pause, Receive, Send, Step, Steps
from tests.simulation.watch import Watch
from tests.simulation.window_watch import WindowWatch
from tests.support.in_process import NOW_MS
from tests.support.requests import produce

STEPS_MAX: Final = 160_000
_WORK_MAX: Final = 4
_LEAST_MS: Final = 1
_MISHAP_SHARE: Final = 0.08
"""The share of turns with a mishap, while there are any left."""


class _Running:
    """A client, its generator of steps, and the event that it waits for."""

    def __init__(self, client: ModelClient, steps_left: int | None) -> None:
        self.client = client
        self.links = Links(client.world.brokers)
        self.steps_left = steps_left
        """After how many steps it dies; None if it lives on."""
        self.steps: Steps[None] = client.run()
        self.step: Step | None = next(self.steps, None)
        self.until_s = 0.0
        self.jumps = client.world.jumps
        """How often the time had jumped when it began its step."""
        self.steps_done = 0

    @property
    def is_done(self) -> bool:
        return self.step is None

    def is_ready(self, now_s: float) -> bool:
        """Return whether the client's next step can be done."""
        step = self.step
        if step is None or now_s >= self.until_s:
            return step is not None
        return isinstance(step, Receive) and self.links.has_news(step.broker_id)


class World:
    """One simulation, determined by its plan."""

    def __init__(
        self, plan: Plan, *, release: str = "4.4", transaction_version: int | None = None
    ) -> None:
        self.plan = plan
        self.seed = seed = plan.seed
        self.release = release
        self.random = random.Random(seed)
        self.is_transaction_version_2 = transaction_version == 2
        self.transaction_timeout_ms = 60_000
        self.partitions = self.random.randint(1, 3)
        self.brokers = make_brokers(
            seed,
            count=self.random.choice((1, 3, 3)),
            partitions=self.partitions,
            fast=self.random.random() < 0.7,
            release=release,
            transaction_version=transaction_version,
        )
        self.broker_ids = sorted(self.brokers.state.brokers)
        self.cluster = ClusterHandle(SimulatedCluster(self.brokers))
        self.ledger = Ledger()
        self.watch = Watch(self.brokers)
        self.window_watch = WindowWatch(self.brokers)
        self.sightings = Sightings(self.brokers)
        self.refusals = Refusals(self.brokers.state, self.sightings.counts)
        self.budget = RequestBudget(is_on=seed % RequestBudget.EVERY == 0)
        self.story: list[str] = []
        self.is_at_rest = False
        self.input_values: list[bytes] = []
        self.sharing = ""  # the protocol of the group of sharers, if there is one
        self.share_watch: ShareWatch | None = None
        self.is_shared_committed = False  # whether the share group gets committed records only
        self.work_values: list[list[bytes]] = []
        """What sharers are to process, by partition."""
        self.may_be_gone: set[bytes] = set()
        """Values of `orders` that a mishap has deleted."""
        self.jumps = 0
        """How often so much time was let pass that no client goes on trying what it tried."""
        self.first_sequence = 0
        """The first sequence of each idempotent producer."""
        self.is_always_full = False
        """True if idempotent producers always have five batches in flight."""
        self.commits_alone = False  # sharers commit without transactions, and write nothing
        self.commits_late = False  # most of these commits are late, some of members that left
        self.mishap_count = 0
        """The number of mishaps so far, spared ones included."""
        self._has_changed = True
        """True if the brokers may have changed since the watches looked."""
        self._values = 0
        self._running: list[_Running] = []

    # What clients and mishaps use

    @property
    def produce_version(self) -> int:
        """The version of Produce of transactional producers."""
        return 12 if self.is_transaction_version_2 else 9

    @property
    def end_version(self) -> int:
        """The version of EndTxn of transactional producers."""
        return 5 if self.is_transaction_version_2 else 3

    def add(self, client: ModelClient) -> bool:
        """Add a client, unless the plan leaves it out; return whether it was added."""
        if client.name in self.plan.without:
            return False
        self._running.append(_Running(client, self.plan.steps.get(client.name)))
        return True

    @property
    def client_names(self) -> list[str]:
        """The names of all clients."""
        return [running.client.name for running in self._running]

    @property
    def client_steps(self) -> dict[str, int]:
        """The number of steps of each client that comes to an end by itself."""
        return {
            running.client.name: running.steps_done
            for running in self._running
            if not hasattr(running.client, "seen")
        }

    def fill_input(self, count: int) -> None:
        """Write the input of processors."""
        self.input_values = [b"in-%d" % n for n in range(count)]
        peer = self.brokers.connect(self.brokers.partition("input").leader_id)
        for value in self.input_values:
            peer.send(produce("input", 0, plain(value, at_ms=NOW_MS)), 9)
        self.brokers.loop.run()

    def fill_work(self, lots: random.Random) -> None:
        """Name what sharers are to process."""
        self.work_values = [
            [b"work-%d-%d" % (index, number) for number in range(lots.randint(1, _WORK_MAX))]
            for index in range(WORK_PARTITIONS)
        ]

    def begin_to_share(self, lots: random.Random) -> ShareWatch:
        """Set the configs of the share group, and watch it."""
        lock_ms, delivery_count_max = lots.choice((2_000, 5_000)), lots.randint(2, 5)
        self.is_shared_committed = lots.random() < 0.5
        own = {
            "share.auto.offset.reset": "earliest",
            "share.record.lock.duration.ms": str(lock_ms),
            "share.delivery.count.limit": str(delivery_count_max),
            "share.isolation.level": (
                "read_committed" if self.is_shared_committed else "read_uncommitted"
            ),
        }
        if lots.random() < 0.4:
            own["errors.deadletterqueue.topic.name"] = "dlq.orders"
        self.brokers.state.configs.set_named_overrides(GROUP_CONFIGS, SHARE_GROUP, own)
        self.share_watch = ShareWatch(
            self.brokers, delivery_count_max=delivery_count_max, lock_ms=lock_ms
        )
        return self.share_watch

    def new_value(self, client: str) -> bytes:
        """Create a unique value."""
        self._values += 1
        return f"{client} {self._values}".encode()

    def note(self, what: str) -> None:
        """Add a line to the log."""
        self.story.append(f"{self.brokers.loop.time():9.3f} {what}")

    def is_replaced(self, client: ModelClient) -> bool:
        """Return whether another client of its kind continues its work."""
        return any(
            type(other.client) is type(client) and other.client is not client and not other.is_done
            for other in self._running
        )

    def committed(self, group: str, topic: str, index: int = 0) -> int:
        """Return the committed offset of a group."""
        home = coordinator_partition(CONSUMER_OFFSETS, group, self.brokers.state.configs)
        request = OffsetFetchRequest(
            group_id=group,
            topics=[OffsetFetchRequestTopic(name=topic, partition_indexes=[index])],
            require_stable=True,
        )
        leader_id = self.brokers.partition(CONSUMER_OFFSETS, home).leader_id
        answer = self.brokers.ask(request, 7, OffsetFetchResponse, broker_id=leader_id)
        assert not answer.error_code
        assert not answer.topics[0].partitions[0].error_code
        return max(0, answer.topics[0].partitions[0].committed_offset)

    def lets_go_of_values(self, index: int, before_offset: int) -> None:
        """Record the values that a mishap will delete from a partition of `orders`."""
        log = self.brokers.state.log_of(self.brokers.partition("orders", index), NOW_MS)
        for data in batches_of(log):
            if not parse_batch_header(data).is_control:
                self.may_be_gone.update(
                    bytes(record.value)
                    for record in records_of(data)
                    if record.offset < before_offset and record.value is not None
                )

    def earliest_offset(self, index: int, position: int) -> int:
        """Return the offset at which a reader continues whose position was deleted."""
        log = self.brokers.state.log_of(self.brokers.partition("orders", index), NOW_MS)
        return max(log.log_start_offset, min(position, log.log_end_offset))

    def catch_up(self) -> None:
        """Let all replicas catch up, because acks=all waits for them without a limit."""
        for index in range(self.partitions):
            self.cluster.partition("orders", index).catch_up()

    def cut_somebody_off(self) -> None:
        """Close all connections of one client."""
        running = self.random.choice(self._running)
        running.links.break_all()
        self.note(f"the connections of {running.client.name} are cut")

    # The course of things

    def run(self, mishap: Callable[["World"], None], *, mishaps: int) -> None:
        """Run until all clients except the readers have finished, with this many mishaps."""
        lots = random.Random(f"{self.seed} turns")
        for _ in range(STEPS_MAX):
            if not any(self._is_busy(running) for running in self._running):
                return
            if self.mishap_count < mishaps and lots.random() < _MISHAP_SHARE:
                self._befall(mishap)
                if self.mishap_count == mishaps:
                    self.catch_up()
            self._turn()
        raise AssertionError("the clients never come to an end")

    def _befall(self, mishap: Callable[["World"], None]) -> None:
        """Cause a mishap, whose lots depend on its number only, unless the plan spares it."""
        number = self.mishap_count
        self.mishap_count += 1
        if number in self.plan.spared:
            return
        self._has_changed = True
        kept, self.random = self.random, random.Random(f"{self.seed} mishap {number}")
        try:
            mishap(self)
        finally:
            self.random = kept

    def rest(self) -> None:
        """Run all clients to their end, without further mishaps."""
        self.is_at_rest = True
        for _ in range(STEPS_MAX):
            if all(running.is_done for running in self._running):
                return
            self._turn()
        raise AssertionError("the readers never come to an end")

    def _is_busy(self, running: _Running) -> bool:
        return not running.is_done and not hasattr(running.client, "seen")

    def _turn(self) -> None:
        now_s = self._now_s
        ready = [running for running in self._running if running.is_ready(now_s)]
        if ready:
            self._step(self.random.choice(ready))
        if (not ready or self.random.random() < 0.7) and self.brokers.loop.has_work:
            self.budget.keep(self.brokers.loop.run)
            self._has_changed = True
        if not ready:
            self._pass_time()
        if self._has_changed or not ready:
            self._look()

    def _look(self) -> None:
        """Check what must hold at every moment."""
        self._has_changed = False
        self.watch.look()
        self.window_watch.look()
        if self.share_watch is not None:
            self.share_watch.look()

    @property
    def _now_s(self) -> float:
        return self.brokers.loop.time()

    def _pass_time(self) -> None:
        """Advance to the next time limit of a client, or by a little."""
        waiting = [running.until_s for running in self._running if not running.is_done]
        now_s = self._now_s
        if any(running.is_ready(now_s) for running in self._running) or not waiting:
            return
        left_ms = (min(waiting) - now_s) * 1000
        self.brokers.pass_time(max(_LEAST_MS, min(round(left_ms), 500)))

    def _step(self, running: _Running) -> None:
        try:
            given = self._do(running)
        except Lost:
            self._next(running, lambda: running.steps.throw(Lost()))
        else:
            self._next(running, lambda: running.steps.send(given))

    def _do(self, running: _Running) -> Message | None:
        match running.step:
            case Send(broker_id, request, version):
                if running.jumps != self.jumps:
                    running.links.give_up(broker_id)
                    raise Lost  # nobody sends a request hours after he has thought of it
                self._has_changed = True
                self.budget.keep(
                    lambda: running.links.send(broker_id, request, version), request.API
                )
                return None
            case Receive(broker_id=broker_id):
                return running.links.receive(broker_id)
            case _:
                return None

    def _next(self, running: _Running, go_on: Callable[[], Step]) -> None:
        running.steps_done += 1
        if running.steps_done == running.steps_left:
            running.steps.close()
            running.links.break_all()
            running.step = None
            return
        try:
            running.step = go_on()
        except StopIteration:
            running.step = None
            return
        running.jumps = self.jumps
        match running.step:
            case Receive(timeout_ms=timeout_ms):
                running.until_s = self._now_s + timeout_ms / 1000
            case Pause(ms=ms):
                running.until_s = self._now_s + ms / 1000
            case _:
                running.until_s = self._now_s
