"""Shrinking of a failure: the same promise is broken by fewer clients, mishaps and steps."""

from collections.abc import Callable, Iterator
from typing import Final

from mockbroker.exploration.search.reduction import Reduced, smallest
from tests.simulation.plan import Plan
from tests.simulation.simulation import SimulationError, run
from tests.simulation.world import World

RUNS_MAX: Final = 150
"""How many simulations it takes at most."""
_SHARE_CONSUMER: Final = "share consumer"


def failure_of(plan: Plan) -> SimulationError | None:
    """Run a plan, and return its failure."""
    try:
        run(plan)
    except SimulationError as failure:
        return failure
    return None


def shrunk(
    failure: SimulationError,
    runs_max: int = RUNS_MAX,
    fails: Callable[[Plan], SimulationError | None] = failure_of,
) -> SimulationError:
    """Return the failure of the smallest plan that breaks the same promise."""

    def run_again(plan: Plan) -> SimulationError | None:
        found = fails(plan)
        return found if found is not None and found.kind == failure.kind else None

    return smallest(failure, _reduced, run_again, runs_max=runs_max)


def _reduced(failure: SimulationError) -> Iterator[Reduced[Plan]]:
    """Yield plans that leave out more: half of the mishaps, each of them, clients, last steps."""
    world = failure.world
    plan = world.plan
    mishaps = [each for each in range(world.mishap_count) if each not in plan.spared]
    for spared in _parts(mishaps):
        yield _step(("spared", *spared), plan.changed(spared=plan.spared | set(spared)))
    for name in _droppable(world):
        left = {other: count for other, count in plan.steps.items() if other != name}
        without = plan.without | {name}
        yield _step(("without", name), plan.changed(without=without, steps=left))
    for name, steps in world.client_steps.items():
        for fewer in (steps // 2, steps * 7 // 8):
            if 0 < fewer < steps:
                ends = {**plan.steps, name: fewer}
                yield _step(("ends", name, fewer), plan.changed(steps=ends))


def _step(step: tuple[object, ...], plan: Plan) -> Reduced[Plan]:
    return Reduced(step, str(plan), plan)


def _parts(items: list[int]) -> Iterator[list[int]]:
    if len(items) > 2:
        half = len(items) // 2
        yield items[:half]
        yield items[half:]
    yield from ([each] for each in items)


def _droppable(world: World) -> list[str]:
    """Return the clients that may be missing: without share consumers nothing would be shared."""
    names = world.client_names
    sharing = [name for name in names if name.startswith(_SHARE_CONSUMER)]
    return [name for name in names if name not in sharing[:1]]
