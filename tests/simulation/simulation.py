"""One simulation, from its plan to its verdict."""

import random
import re
from collections.abc import Sequence
from typing import Final

from mockbroker.exploration.outcome import without_numbers
from tests.simulation.edges import begin_at_edges
from tests.simulation.idempotent_producer import IdempotentProducer
from tests.simulation.mishaps import Mishap, any_mishap, heal
from tests.simulation.plan import Plan
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
_PROCESSORS: Final = 0.6
"""How often there are processors."""
_SHARING: Final = 0.4
"""How often there are members that share work."""
_SHARE_GROUPS: Final = 0.4
"""How often there is a share group."""
SHARE: Final = "share"


class SimulationError(AssertionError):
    """A broken promise of the brokers, or a defect of the simulation."""

    def __init__(self, world: World, why: BaseException) -> None:
        self.world = world
        story = "\n".join(world.story[-_STORY_LINES:])
        super().__init__(
            f"seed {world.seed}: {type(why).__name__}: {why}\n"
            f"to see it again: python -m tests.simulation '{world.plan}'\n{story}"
        )

    @property
    def kind(self) -> str:
        """The broken promise without names, numbers and values."""
        return kind_of(self.__cause__)


def kind_of(why: BaseException | None) -> str:
    """Return what an error says, without names, numbers and values."""
    text, *_ = re.split(r"[:\[({'\"]", str(why), maxsplit=1)
    return f"{type(why).__name__}: {without_numbers(text).strip()}"


def simulate(seed: int, mishap: Mishap = any_mishap, *, sharing: str | None = None) -> World:
    """Run the simulation of a seed, with mishaps of one kind or of all kinds.

    With `sharing` there is a group of this protocol, where the seed's release has it: `share` for a
    share group, else a group of sharers.

    Raises:
        SimulationError: it broke a promise; the text has the seed and the log.

    """
    return run(Plan(seed=seed, sharing=sharing), mishap)


def run(plan: Plan, mishap: Mishap = any_mishap) -> World:
    """Run the simulation of a plan.

    Raises:
        SimulationError: it broke a promise; the text has the seed and the log.

    """
    world = new_world(plan)
    try:
        readers, consumers = _clients(world, plan.sharing)
        world.run(mishap, mishaps=world.random.randint(2, 20))
        heal(world)
        world.rest()
        judge(world, readers, consumers)
    except Exception as why:
        raise SimulationError(world, why) from why
    return world


def new_world(plan: Plan) -> World:
    """Create the cluster of a plan."""
    release, transaction_version = _GENERATIONS[plan.seed % len(_GENERATIONS)]
    world = World(plan, release=release, transaction_version=transaction_version)
    begin_at_edges(world)
    return world


def _clients(world: World, sharing: str | None) -> tuple[Sequence[Reader], Sequence[ShareConsumer]]:
    """Add the clients."""
    has = world.plan.has
    if has("idempotent producers", True):
        world.add(IdempotentProducer(world, "idempotent"))
    for number in range(world.random.randint(1, 2)):
        # Now and then two have the same id, and fence each other.
        transactional_id = f"tx-{world.random.randrange(2)}"
        if has("transactional producers", True):
            world.add(TransactionalProducer(world, f"producer {number}", transactional_id))
    if has("processors", world.random.random() < _PROCESSORS):
        world.fill_input(world.random.randint(3, 10))
        for number in range(world.random.choice((1, 1, 2))):
            world.add(Processor(world, f"processor {number}"))
    _add_sharers(world, sharing)
    readers = [
        Reader(world, f"reader {index} {is_committed}", index, is_committed=is_committed)
        for index in range(world.partitions)
        for is_committed in ((False, True) if has("all readers", True) else (True,))
    ]
    readers = [reader for reader in readers if world.add(reader)]
    return readers, _add_share_consumers(world, sharing)


def _add_sharers(world: World, sharing: str | None) -> None:
    """Add the members of a group, in some of the simulations or with this protocol in each."""
    lots = random.Random(f"{world.seed} sharers")
    is_chosen = lots.random() < _SHARING or world.plan.features is not None
    if sharing == SHARE or not (is_chosen or sharing):
        return
    protocols = [sharing] if sharing else [each for each in SHARERS if world.plan.has(each, True)]
    if world.release != "4.4":
        protocols = ["classic"] if sharing or "classic" in protocols else []
    if not protocols:
        return
    world.fill_work(lots)
    world.sharing = lots.choice(protocols)
    world.sightings.sharing = world.sharing
    for number in range(lots.randint(2, 3)):
        world.add(SHARERS[world.sharing](world, f"sharer {number}"))


def _add_share_consumers(world: World, sharing: str | None) -> list[ShareConsumer]:
    """Add the members of a share group, in some of the simulations or in each."""
    lots = random.Random(f"{world.seed} share group")
    is_chosen = world.plan.has(SHARE, lots.random() < _SHARE_GROUPS)
    is_shared = sharing == SHARE or (is_chosen and sharing is None)
    if world.release != "4.4" or not is_shared:
        return []
    watch = world.begin_to_share(lots)
    consumers = [
        ShareConsumer(world, f"share consumer {number}", watch)
        for number in range(lots.randint(2, 3))
    ]
    return [consumer for consumer in consumers if world.add(consumer)]
