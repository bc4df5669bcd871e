"""A thousand simulations of a cluster with clients, faults, elections and clock jumps.

A seed determines each of them. `SIMULATE_FROM=5000` runs the thousand seeds from 5000 on.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

import pytest

from mockbroker import API
from mockbroker.events import logging
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.state.group import group_coordinator
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.log.partition_log import PartitionLog
from tests.simulation.mishaps import Mishap, any_mishap, isolate_or_rejoin
from tests.simulation.model_client import ModelClient
from tests.simulation.simulation import SimulationError, simulate
from tests.simulation.world import World
from tests.support.in_process import NOW_MS

SIMULATIONS: Final = 1_000
AT_ONCE: Final = 50
MANY_SEEDS: Final = 140
FIRST_SEED: Final = int(os.environ.get("SIMULATE_FROM", "0"))


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
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SIMULATIONS, AT_ONCE))
def test_no_mishap_breaks_a_promise_of_the_brokers(seed: int) -> None:
    simulate_all(range(seed, seed + AT_ONCE), any_mishap)


@pytest.mark.slow
def test_a_seed_gives_the_same_log_again() -> None:
    assert [simulate(seed).story for seed in range(20)] == [
        simulate(seed).story for seed in range(20)
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


def found_by(mishap: Mishap, *, seeds: int = 60) -> str:
    """Return the broken promises that the simulations report, without their logs."""
    found: list[str] = []
    for seed in range(seeds):
        try:
            simulate(seed, mishap)
        except SimulationError as error:
            found.append(str(error.__cause__))
    return "\n".join(found)


@pytest.mark.slow
def test_duplicate_records_are_detected() -> None:
    assert "written twice" in found_by(forget_producers)


@pytest.mark.slow
def test_lost_records_are_detected() -> None:
    found = found_by(delete_in_secret, seeds=MANY_SEEDS)
    assert "acknowledged and lost" in found
    assert "committed and lost" in found


@pytest.mark.slow
def test_losses_of_unreplicated_records_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for_all = ModelClient.produce_request

    def asks_for_little(self: ModelClient, *args: Any, **kwargs: Any) -> ProduceRequest:
        request = asked_for_all(self, *args, **kwargs)
        request.acks = 1
        return request

    assert not found_by(isolate_or_rejoin)
    monkeypatch.setattr(ModelClient, "produce_request", asks_for_little)
    assert "acknowledged and lost" in found_by(isolate_or_rejoin)


@pytest.mark.slow
def test_visible_aborted_records_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PartitionLog, "last_stable_offset", property(high_watermark_of))
    assert "was given" in found_by(any_mishap)


def accept(*_: object, **__: object) -> None:
    """Accept an offset commit, whoever commits."""


@pytest.mark.slow
def test_accepted_commits_of_old_generations_are_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for check in ("validate_consumer_commit", "validate_transactional_offset_commit"):
        with monkeypatch.context() as planted:
            planted.setattr(f"{group_coordinator.__name__}.{check}", accept)
            assert "visible twice: [b'out of work" in found_by(any_mishap, seeds=MANY_SEEDS)


@pytest.mark.slow
def test_partitions_with_two_owners_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConsumerGroup, "is_owned", lambda *_: False)
    assert "owned twice" in found_by(any_mishap)


def test_a_failure_names_its_seed_and_the_command_to_repeat_it() -> None:
    with pytest.raises(SimulationError) as failure:
        simulate_all(range(60), delete_in_secret)
    first, second, *_ = str(failure.value).splitlines()
    seed = first.split(":")[0].removeprefix("seed ")
    assert second == f"to see it again: python -m tests.simulation.simulation {seed}"
