"""Registry of the kinds of effects, toxics and triggers."""

from functools import cache

from mockbroker.faults import effects as effect_modules
from mockbroker.faults import network
from mockbroker.faults.effect import Effect
from mockbroker.faults.network.toxic import Toxic
from mockbroker.faults.tagged import Tagged, discover
from mockbroker.faults.trigger import Trigger


def effects() -> dict[str, type[Tagged]]:
    """Return the effects and toxics by name: the keys under `effect` in JSON."""
    _discover()
    return {**dict(sorted(Effect.KINDS.items())), **dict(sorted(Toxic.KINDS.items()))}


def verbs() -> dict[str, type[Tagged]]:
    """Return the effects, toxics and triggers by name: the methods of `Fault`."""
    return {**effects(), **Trigger.KINDS}


@cache
def _discover() -> None:
    """Import the modules that define the kinds, so that a new file needs no other line."""
    discover(effect_modules)
    discover(network)
