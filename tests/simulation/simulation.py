"""One simulation, from its seed to its verdict.

`python -m tests.simulation.simulation 4711` prints the log of seed 4711.
"""

import random
import sys
from collections.abc import Sequence
from typing import Final

from tests.simulation.idempotent_producer import IdempotentProducer
from tests.simulation.mishaps import Mishap, any_mishap, heal
from tests.simulation.processor import Processor
from tests.simulation.reader import Reader
from tests.simulation.share_consumer import ShareConsumer
from tests.simulation.sharing_members import SHARERS
from tests.simulation.transactional_producer import TransactionalProducer
from tests.simulation.verdict import judge
from tests.simulation.world import World

_GENERATIONS: Final = (
    ("4.4", 2),
    ("4.4", 2),
    ("4.4", 2),
    ("4.4", 1),
    ("3.9", None),
    ("2.8", None),
)
_STORY_LINES: Final = 80
_SHARING: Final = 0.4
"""How often there are members that share work."""
_SHARE_GROUPS: Final = 0.4
"""How often there is a share group."""
SHARE: Final = "share"


class SimulationError(AssertionError):
    """A broken promise of the brokers, or a defect of the simulation."""

    def __init__(self, world: World, why: BaseException) -> None:
        story = "\n".join(world.story[-_STORY_LINES:])
        super().__init__(
            f"seed {world.seed}: {type(why).__name__}: {why}\n"
            f"to see it again: python -m tests.simulation.simulation {world.seed}\n{story}"
        )


def simulate(seed: int, mishap: Mishap = any_mishap, *, sharing: str | None = None) -> World:
    """Run the simulation of a seed, with mishaps of one kind or of all kinds.

    With `sharing` there is a group of this protocol, where the seed's release has it: `share` for a
    share group, else a group of sharers.

    Raises:
        SimulationError: it broke a promise; the text has the seed and the log.

    """
    world = new_world(seed)
    try:
        readers, consumers = _clients(world, sharing)
        world.run(mishap, mishaps=world.random.randint(2, 20))
        heal(world)
        world.rest()
        judge(world, readers, consumers)
    except Exception as why:
        raise SimulationError(world, why) from why
    return world


def new_world(seed: int) -> World:
    """Create the cluster of a seed."""
    release, transaction_version = _GENERATIONS[seed % len(_GENERATIONS)]
    return World(seed, release=release, transaction_version=transaction_version)


def _clients(world: World, sharing: str | None) -> tuple[Sequence[Reader], Sequence[ShareConsumer]]:
    """Add the clients."""
    world.add(IdempotentProducer(world, "idempotent"))
    for number in range(world.random.randint(1, 2)):
        # Now and then two have the same id, and fence each other.
        transactional_id = f"tx-{world.random.randrange(2)}"
        world.add(TransactionalProducer(world, f"producer {number}", transactional_id))
    if world.random.random() < 0.6:
        world.fill_input(world.random.randint(3, 10))
        for number in range(world.random.choice((1, 1, 2))):
            world.add(Processor(world, f"processor {number}"))
    _add_sharers(world, sharing)
    readers = [
        Reader(world, f"reader {index} {is_committed}", index, is_committed=is_committed)
        for index in range(world.partitions)
        for is_committed in (False, True)
    ]
    for reader in readers:
        world.add(reader)
    return readers, _add_share_consumers(world, sharing)


def _add_sharers(world: World, sharing: str | None) -> None:
    """Add the members of a group, in some of the simulations or with this protocol in each."""
    lots = random.Random(f"{world.seed} sharers")
    if sharing == SHARE or (lots.random() >= _SHARING and sharing is None):
        return
    world.fill_work(lots)
    if world.release == "4.4":
        world.sharing = sharing or lots.choice(list(SHARERS))
    else:
        world.sharing = "classic"
    for number in range(lots.randint(2, 3)):
        world.add(SHARERS[world.sharing](world, f"sharer {number}"))


def _add_share_consumers(world: World, sharing: str | None) -> list[ShareConsumer]:
    """Add the members of a share group, in some of the simulations or in each."""
    lots = random.Random(f"{world.seed} share group")
    is_shared = sharing == SHARE or (lots.random() < _SHARE_GROUPS and sharing is None)
    if world.release != "4.4" or not is_shared:
        return []
    watch = world.begin_to_share(lots)
    consumers = [
        ShareConsumer(world, f"share consumer {number}", watch)
        for number in range(lots.randint(2, 3))
    ]
    for consumer in consumers:
        world.add(consumer)
    return consumers


if __name__ == "__main__":
    sys.stdout.write("\n".join([*simulate(int(sys.argv[1])).story, ""]))
