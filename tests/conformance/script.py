"""Scenarios: named scripts, each for a cluster of some size and settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, TypeAlias

from mockbroker.state.release.options import Options
from tests.conformance.releases import GENERATIONS, Release
from tests.conformance.talk import Talk

Script: TypeAlias = Callable[[Talk], None]

EVERY_CLUSTER: Final[Mapping[str, str]] = {
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
    "group.initial.rebalance.delay.ms": "0",
}
"""Configs of the recorded clusters, and of mockbroker, that differ from Kafka's defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A script, and the cluster that it needs."""

    name: str
    script: Script
    brokers: int
    settings: Mapping[str, str]
    listeners: tuple[str, ...]
    """Names of listeners beside the main one; a connection of that name goes to it.

    A listener has the security protocol of its name, or else PLAINTEXT.
    """
    is_alone: bool
    """True if the script needs a cluster that has not received any request."""
    keeps_internal_topics: bool
    """True if this script creates the internal topics, which takes Kafka long."""
    is_slow: bool
    """True if the replay takes longer than a quarter of a second."""
    has_authorizer: bool
    """True if the release's authorizer decides."""
    presets: tuple[str, ...]
    """The releases, by `Release.name`, that support the scenario."""
    controls_replicas: bool = False
    """True if the script cuts off, kills and starts single brokers."""
    precedes_internal_topics: bool = False
    """True if the answers depend on the absence of internal topics."""

    @property
    def module(self) -> str:
        """The module of the script."""
        return self.script.__module__

    def settings_of(self, release: Release) -> Mapping[str, str]:
        """Return the script's settings, with the authorizer of a release if it has one."""
        if not self.has_authorizer:
            return self.settings
        (name, *_others) = Options.for_release(release.preset).security.authorizers
        return {"authorizer.class.name": name, **self.settings}

    def applies_to(self, release: Release) -> bool:
        """Return whether a release supports the scenario."""
        return release.name in self.presets


_SCENARIOS: Final[dict[str, Scenario]] = {}


def scenario(
    *,
    brokers: int = 1,
    settings: Mapping[str, str] | None = None,
    listeners: tuple[str, ...] = (),
    alone: bool = False,
    transactional: bool = False,
    authorizer: bool = False,
    slow: bool = False,
    replicas: bool = False,
    presets: tuple[str, ...] = GENERATIONS,
    before_internal_topics: bool = False,
) -> Callable[[Script], Script]:
    """Register a function as a scenario under its name.

    `transactional` scenarios share a cluster whose transaction log stays, so each needs its own
    transactional ids.
    """

    def register(script: Script) -> Script:
        name = script.__name__
        assert name not in _SCENARIOS, name
        _SCENARIOS[name] = Scenario(
            name=name,
            script=script,
            brokers=brokers,
            settings=settings or {},
            listeners=listeners,
            is_alone=alone,
            keeps_internal_topics=transactional,
            is_slow=slow,
            has_authorizer=authorizer,
            presets=presets,
            controls_replicas=replicas,
            precedes_internal_topics=before_internal_topics,
        )
        return script

    return register


@cache
def scenarios() -> Mapping[str, Scenario]:
    """Return all scenarios by name."""
    package = import_module(f"{__package__}.scenarios")
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_SCENARIOS.items()))
