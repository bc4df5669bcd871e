"""Simulations of a cluster with clients, faults, elections and clock jumps, and what they notice.

A seed determines each of them. `make simulate` runs others.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pytest

from mockbroker import API
from mockbroker.events import logging
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.state.group import group_coordinator
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.replicas.replica import Replica
from mockbroker.state.share import acknowledgement, acquisition
from mockbroker.state.share.dead_letters.dead_letter_queue import DeadLetterQueue
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import (
    STATE_OF_ACKNOWLEDGEMENT,
    AcknowledgeType,
    RecordState,
)
from mockbroker.state.share.share_log_record import ShareLogRecord, ShareSnapshot
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_partitions import SharePartitionManager
from mockbroker.state.share.topic_share_log import TopicShareLog
from tests.simulation import corpus
from tests.simulation.mishaps import (
    Mishap,
    any_mishap,
    elect,
    isolate_or_rejoin,
    kill_or_start,
    let_broker_lag,
    move_share_coordinator,
)
from tests.simulation.model_client import ModelClient
from tests.simulation.share_watch import ShareWatch
from tests.simulation.simulation import SHARE, SimulationError, run, simulate
from tests.simulation.world import World
from tests.support.in_process import NOW_MS

SEEDS: Final = range(48, 128)
"""The seeds before them are those of `test_audit.py`, which judges the same promises."""
AT_ONCE: Final = 40
MORE_SEEDS: Final = 60
MANY_RECORDS: Final = 1 << 40
FEW_SEEDS: Final = 6
"""One of each release and version of transactions."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Silence the brokers' log of refusals, which are intended."""
    logging.configure(level="error", log_format="json")
    yield
    logging.configure(level="info", log_format="json")


def simulate_all(seeds: Iterable[int], mishap: Mishap) -> None:
    """Run simulations until one fails."""
    for seed in seeds:
        simulate(seed, mishap)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[::AT_ONCE])
def test_no_mishap_breaks_a_promise_of_the_brokers(seed: int) -> None:
    simulate_all(range(seed, seed + AT_ONCE), any_mishap)


@pytest.mark.slow
def test_what_has_failed_once_does_not_fail_again() -> None:
    plans = list(corpus.plans())
    assert plans
    for plan in plans:
        run(plan)


@pytest.mark.slow
def test_a_seed_gives_the_same_log_again() -> None:
    assert [simulate(seed).story for seed in range(FEW_SEEDS)] == [
        simulate(seed).story for seed in range(FEW_SEEDS)
    ]


def forget_producers(world: World) -> None:
    """Lose a response, and elect a leader without producer state: the retry counts as new."""
    world.cluster.fault(API.PRODUCE).lose_response()
    index = world.random.randrange(world.partitions)
    world.cluster.partition("orders", index).elect(producer_state="none")


def delete_in_secret(world: World) -> None:
    """Delete records without telling the ledger."""
    index = world.random.randrange(world.partitions)
    log = world.brokers.state.log_of(world.brokers.partition("orders", index), NOW_MS)
    world.cluster.partition("orders", index).delete_records(log.last_stable_offset)


def high_watermark_of(log: PartitionLog) -> int:
    """Return the last stable offset of a broker that ignores open transactions."""
    return log.high_watermark


def broken_promises(
    mishap: Mishap, *, seeds: Iterable[int], sharing: str | None = None
) -> Iterator[str]:
    """Yield the broken promise of each simulation that fails, without its log."""
    for seed in seeds:
        try:
            simulate(seed, mishap, sharing=sharing)
        except SimulationError as error:
            yield str(error.__cause__)


def assert_reported(
    mishap: Mishap, wanted: str, *, seed: int = 0, sharing: str | None = None
) -> None:
    """Assert that a broken promise is reported: by this seed, or after a change by a later one."""
    seeds = range(seed, seed + MORE_SEEDS)
    promises = broken_promises(mishap, seeds=seeds, sharing=sharing)
    assert any(wanted in promise for promise in promises), f"none of {seeds} reports {wanted!r}"


@pytest.mark.slow
def test_duplicate_records_are_detected() -> None:
    assert_reported(forget_producers, "written twice")


@pytest.mark.parametrize(
    ("promise", "seed"), [("acknowledged and lost", 0), ("committed and lost", 177)]
)
def test_lost_records_are_detected(promise: str, seed: int) -> None:
    assert_reported(delete_in_secret, promise, seed=seed)


@pytest.mark.slow
def test_losses_of_unreplicated_records_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for_all = ModelClient.produce_request

    def asks_for_little(self: ModelClient, *args: Any, **kwargs: Any) -> ProduceRequest:
        request = asked_for_all(self, *args, **kwargs)
        request.acks = 1
        return request

    assert not list(broken_promises(isolate_or_rejoin, seeds=range(FEW_SEEDS)))
    monkeypatch.setattr(ModelClient, "produce_request", asks_for_little)
    assert_reported(isolate_or_rejoin, "acknowledged and lost")


def lag_or_go(world: World) -> None:
    """Let a broker lag or catch up, or kill or start one."""
    world.random.choice((let_broker_lag, kill_or_start))(world)


@pytest.mark.slow
def test_a_leader_that_ignores_a_lagging_replica_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not list(broken_promises(lag_or_go, seeds=range(FEW_SEEDS)))
    monkeypatch.setattr(Replica, "log_end_offset", property(lambda _: MANY_RECORDS))
    assert_reported(lag_or_go, "went back", seed=14)


@pytest.mark.slow
def test_visible_aborted_records_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PartitionLog, "last_stable_offset", property(high_watermark_of))
    assert_reported(any_mishap, "was given")


def accept(*_: object, **__: object) -> None:
    """Accept an offset commit, whoever commits."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sharing", "check", "seed"),
    [
        ("classic", "validate_transactional_offset_commit", 28),
        ("consumer", "validate_consumer_commit", 7),
        ("streams", "validate_streams_commit", 0),
    ],
)
def test_accepted_commits_of_old_generations_are_detected(
    monkeypatch: pytest.MonkeyPatch, sharing: str, check: str, seed: int
) -> None:
    monkeypatch.setattr(f"{group_coordinator.__name__}.{check}", accept)
    assert_reported(any_mishap, "visible twice: [b'out of work", seed=seed, sharing=sharing)


def returned_when_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make accepted records available again."""
    states = {**STATE_OF_ACKNOWLEDGEMENT, AcknowledgeType.ACCEPT: RecordState.AVAILABLE}
    monkeypatch.setattr(acknowledgement, "STATE_OF_ACKNOWLEDGEMENT", states)


def unseen_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make accepted records available again, while only their consumers look."""
    returned_when_accepted(monkeypatch)
    monkeypatch.setattr(ShareWatch, "look", lambda _: None)


def unlimited_deliveries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Release records however often they were delivered."""
    release = InFlightState.release
    monkeypatch.setattr(
        InFlightState, "release", lambda self, state, *_: release(self, state, 1_000)
    )


def endless_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no acquisition lock expire."""
    monkeypatch.setattr(SharePartition, "next_deadline_ms", lambda _: None)


def lost_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Archive the records whose locks expire, or whose member ends its session."""
    monkeypatch.setattr(SharePartition, "state_after_release", lambda *_: RecordState.ARCHIVED)


def unloaded_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a new share coordinator load the snapshots only."""
    read = TopicShareLog.read

    def read_some(self: TopicShareLog, index: int) -> Iterator[ShareLogRecord]:
        return (each for each in read(self, index) if isinstance(each, ShareSnapshot))

    monkeypatch.setattr(TopicShareLog, "read", read_some)


def former_leaders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let leaders deliver on after an election."""
    monkeypatch.setattr(SharePartitionManager, "_is_led", lambda *_: True)


def aborted_deliveries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliver the records of aborted transactions to groups of committed records."""
    monkeypatch.setattr(acquisition, "aborted_batches", lambda *_: [])


def move_states_and_leaders(world: World) -> None:
    """Move a share coordinator, and then the leader that reads from it."""
    move_share_coordinator(world)
    elect(world)


def lost_dead_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write no dead letters, whose records are archived afterwards."""
    monkeypatch.setattr(DeadLetterQueue, "enqueue", lambda *_: None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "mishap", "promise", "seed"),
    [
        (returned_when_accepted, any_mishap, "delivered after it was done", 0),
        (unlimited_deliveries, any_mishap, "delivered too often", 1),
        (endless_locks, any_mishap, "is not shared up to", 2),
        (lost_releases, any_mishap, "not done", 0),
        (unloaded_updates, move_states_and_leaders, "delivered after it was done", 18),
        (former_leaders, elect, "acquired by two", 1),
        (aborted_deliveries, any_mishap, "where None is", 3),
        (lost_dead_letters, any_mishap, "is not shared up to", 3),
        (unseen_returns, any_mishap, "accepted, and delivered again", 0),
    ],
)
def test_defects_of_share_groups_are_detected(
    monkeypatch: pytest.MonkeyPatch,
    plant: Callable[[pytest.MonkeyPatch], None],
    mishap: Mishap,
    promise: str,
    seed: int,
) -> None:
    plant(monkeypatch)
    assert_reported(mishap, promise, seed=seed, sharing=SHARE)


def test_a_failure_names_its_seed_and_the_command_to_repeat_it() -> None:
    with pytest.raises(SimulationError) as failure:
        simulate_all(range(60), delete_in_secret)
    first, second, *_ = str(failure.value).splitlines()
    seed = first.split(":")[0].removeprefix("seed ")
    assert second == f"to see it again: python -m tests.simulation '{seed}'"
