"""All situations, in the order of the page."""

from typing import Final

from tests.clients.kip_691.row import Moment
from tests.clients.kip_691.scene import Scene
from tests.clients.situations.answers_get_lost import ANSWERS_GET_LOST
from tests.clients.situations.brokers_fail import BROKERS_FAIL
from tests.clients.situations.producers_meet import PRODUCERS_MEET
from tests.clients.situations.situation import IDEMPOTENT, Situation, Situations
from tests.clients.situations.time_passes import TIME_PASSES

_BASE: Final = Situations()


@_BASE("Nothing happens: the transactional application by itself.", Moment.BEGIN)
def _nothing(scene: Scene) -> None:
    pass


@_BASE("Nothing happens: the idempotent application.", Moment.FIRST_SEND, setup=IDEMPOTENT)
def _nothing_idempotent(scene: Scene) -> None:
    pass


SITUATIONS: Final[tuple[Situation, ...]] = (
    *_BASE.all,
    *ANSWERS_GET_LOST.all,
    *TIME_PASSES.all,
    *PRODUCERS_MEET.all,
    *BROKERS_FAIL.all,
)
BASELINES: Final = {True: _BASE.all[0].slug, False: _BASE.all[1].slug}
"""The situation without an event, for an application with transactions or without."""


def situation(slug: str) -> Situation:
    """Return the situation of a name.

    Raises: LookupError if there is none.
    """
    for each in SITUATIONS:
        if each.slug == slug:
            return each
    raise LookupError(f"there is no situation {slug}")
