"""One situation: what happens to brokers and producer once, while the application bills orders."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from mockbroker import API
from mockbroker.protocol.api_keys import ApiKey
from tests.clients.kip_691.row import Moment, source_of
from tests.clients.kip_691.scene import Scene
from tests.clients.transactors.transactor import Setup

Recipe = Callable[[Scene], None]

USUAL: Final = Setup(call_timeout_ms=5_000, delivery_timeout_ms=4_000, request_timeout_ms=1_500)
IDEMPOTENT: Final = replace(USUAL, is_transactional=False)
OF_A_PRODUCER: Final = (
    API.FIND_COORDINATOR,
    API.INIT_PRODUCER_ID,
    API.ADD_PARTITIONS_TO_TXN,
    API.PRODUCE,
    API.ADD_OFFSETS_TO_TXN,
    API.TXN_OFFSET_COMMIT,
    API.END_TXN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One situation."""

    slug: str
    """Its name in links and commands."""
    recipe: Recipe
    moment: Moment
    title: str
    story: str | None = None
    """The page in docs/stories that explains it."""
    brokers: int = 1
    setup: Setup = USUAL
    topic: str | None = None
    apis: tuple[ApiKey, ...] = OF_A_PRODUCER

    def cause(self, scene: Scene) -> None:
        """Let it happen."""
        self.recipe(scene)

    @property
    def line(self) -> str:
        """The recipe as it is shown to readers."""
        return source_of(self.recipe)


class Situations:
    """Table of situations, in the order of their definitions."""

    def __init__(self) -> None:
        """Begin with none."""
        self.all: list[Situation] = []

    def __call__(
        self,
        title: str,
        moment: Moment,
        *,
        story: str | None = None,
        brokers: int = 1,
        setup: Setup = USUAL,
    ) -> Callable[[Recipe], Recipe]:
        """Return a decorator that adds a recipe; the name of the function is the slug."""

        def add(recipe: Recipe) -> Recipe:
            self.all.append(
                Situation(
                    slug=recipe.__name__.strip("_").replace("_", "-"),
                    recipe=recipe,
                    moment=moment,
                    title=title,
                    story=story,
                    brokers=brokers,
                    setup=setup,
                )
            )
            return recipe

        return add
