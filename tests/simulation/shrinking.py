"""Shrinking of a failure: the same promise is broken by fewer clients, mishaps and steps."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

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
    runs = 0
    progress = True
    while progress:
        progress = False
        for plan in list(_smaller(failure.world)):
            if runs == runs_max:
                return failure
            smaller = _merged(failure.world.plan, plan)
            if smaller == failure.world.plan:
                continue
            runs += 1
            found = fails(smaller)
            if found is not None and found.kind == failure.kind:
                failure, progress = found, True
    return failure


def _merged(current: Plan, proposed: Plan) -> Plan:
    """Return a plan with what both leave out: it was proposed before the current one was found."""
    without = current.without | proposed.without
    steps = {**proposed.steps, **current.steps} | _fewer(current, proposed)
    return current.changed(
        without=without,
        spared=current.spared | proposed.spared,
        steps={name: count for name, count in steps.items() if name not in without},
    )


def _fewer(current: Plan, proposed: Plan) -> dict[str, int]:
    return {
        name: steps
        for name, steps in proposed.steps.items()
        if steps < current.steps.get(name, steps + 1)
    }


def _smaller(world: World) -> Iterator[Plan]:
    """Yield plans that leave out more: half of the mishaps, each of them, clients, last steps."""
    plan = world.plan
    mishaps = [each for each in range(world.mishap_count) if each not in plan.spared]
    for spared in _parts(mishaps):
        yield plan.changed(spared=plan.spared | set(spared))
    for name in _droppable(world):
        yield plan.changed(without=plan.without | {name})
    for name, steps in world.client_steps.items():
        for fewer in (steps // 2, steps * 7 // 8):
            if 0 < fewer < steps:
                yield plan.changed(steps={**plan.steps, name: fewer})


def _parts(items: list[int]) -> Iterator[Iterable[int]]:
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
