"""Walks at random whose answers are recorded; `tests.conformance.explore` takes any others."""

from collections.abc import Callable
from typing import Final

from tests.conformance.releases import EVERYWHERE
from tests.conformance.script import Script, scenario
from tests.conformance.talk import Talk
from tests.conformance.walks.log import walk_log
from tests.conformance.walks.transactions import walk_transactions

SEEDS: Final = range(1, 6)


def seeded(walk: Callable[[Talk, int], None], seed: int) -> Script:
    """Make a walk with this seed a script, named after both."""

    def script(talk: Talk) -> None:
        walk(talk, seed)

    script.__name__ = f"{walk.__name__}_{seed}"
    return script


for _seed in SEEDS:
    scenario(transactional=True, presets=EVERYWHERE)(seeded(walk_transactions, _seed))
    scenario()(seeded(walk_log, _seed))
