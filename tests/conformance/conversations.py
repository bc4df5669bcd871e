"""Scripts and recordings as `mockbroker diff` uses them (`mockbroker.diff.conversations`)."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from mockbroker.diff.conversations import Conversation, Target
from tests.conformance import recordings
from tests.conformance.compare import Difference, compare_steps
from tests.conformance.differences import EXPLAINED
from tests.conformance.explained import Place
from tests.conformance.foreign import CannotBeAskedError, EnoughError, Foreign
from tests.conformance.releases import RELEASES, Release
from tests.conformance.replay import replay
from tests.conformance.script import EVERY_CLUSTER, Scenario
from tests.conformance.script import scenarios as all_scenarios
from tests.conformance.steps import Step
from tests.conformance.talk import Talk
from tests.conformance.walks.kinds import WALKS, scenario_of

PAUSE_S: Final = 0.05
WAITED_MAX_MS: Final = 60_000


def configs() -> Mapping[str, str]:
    """Return the configs that all recorded brokers have."""
    return EVERY_CLUSTER


def releases() -> Sequence[Release]:
    """Return the recorded releases, newest first."""
    return RELEASES


def scenarios(release: Release) -> Mapping[str, Scenario]:
    """Return the scenarios of a release by name."""
    return {name: each for name, each in all_scenarios().items() if each.applies_to(release)}


def walks() -> Sequence[str]:
    """Return the kinds of random walks."""
    return list(WALKS)


def walk(kind: str, seed: int) -> Scenario:
    """Return a random walk as a scenario."""
    return scenario_of(kind, seed)


def recorded(scenario: Scenario, release: Release) -> Sequence[Step]:
    """Return real Kafka's answers."""
    return recordings.read(scenario, release)


def replayed(scenario: Scenario, release: Release) -> Sequence[Step]:
    """Return mockbroker's answers."""
    return replay(scenario, release)


def compared(expected: Sequence[Step], given: Sequence[Step]) -> Iterator[Sequence[Difference]]:
    """Yield the differences of each step, until one script ends or goes another way."""
    return compare_steps(expected, given)


def explained(scenario: Scenario, release: Release) -> Sequence[Place]:
    """Return the explained places of a scenario."""
    return [
        place
        for each in EXPLAINED
        for place in each.places
        if place.scenario == scenario.name and (not place.presets or release.name in place.presets)
    ]


def converse(scenario: Scenario, release: Release, target: Target) -> Conversation:
    """Run a script on a foreign broker; if it cannot go on, return the answers so far."""
    foreign = Foreign(
        translator=target.translation,
        patience_s=target.answer_s,
        ends_at_s=time.monotonic() + target.conversation_s,
        last_step=target.last_step,
        served=target.served,
    )
    talking = Talk(
        [target.address],
        release,
        pause=partial(_sleep, PAUSE_S),
        let_time_pass=_let_time_pass,
        foreign=foreign,
    )
    with talking.closing() as talk:
        talk.names.learn_port(target.advertised_port)
        return _run(scenario.script, talk)


def _run(script: Callable[[Talk], None], talk: Talk) -> Conversation:
    try:
        script(talk)
    except EnoughError:
        return Conversation(talk.steps)
    except CannotBeAskedError as obstacle:
        return Conversation(talk.steps, obstacle=str(obstacle))
    except OSError:
        raise
    except AssertionError as failure:
        talk.give_up(failure)
    except Exception as error:  # noqa: BLE001 - an answer has not what the script reads from it
        talk.give_up(AssertionError(f"{type(error).__name__}: {error}"))
    else:
        return Conversation(talk.steps)
    return Conversation(talk.steps, stop=str(talk.steps[-1].answer))


def _sleep(duration_s: float) -> None:
    threading.Event().wait(duration_s)


def _let_time_pass(duration_ms: int) -> None:
    if duration_ms > WAITED_MAX_MS:
        raise CannotBeAskedError(f"waits for {duration_ms // 1000} s")
    _sleep(duration_ms / 1000)
