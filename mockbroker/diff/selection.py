"""Choice of the scenarios that can be asked of a foreign broker, with a reason for all others."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from mockbroker.diff.conversations import ConversationStep, RecordedScenario
from mockbroker.diff.survey import BrokerFacts
from mockbroker.protocol.api_keys import ApiKey

AUTHORIZER: Final = "authorizer.class.name"
SEVERAL: Final = "(several)"
_TITLES: Final = {str(int(each)): each.title for each in ApiKey}
_WITHOUT_AUTHORIZER: Final = "scenarios.security"
"""The module of scripts about rights on a broker that has no authorizer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """A scenario that cannot be asked of the broker, and the reason."""

    scenario: str
    reason: str


def select(
    candidates: Collection[RecordedScenario], facts: BrokerFacts
) -> tuple[list[RecordedScenario], list[NotAsked]]:
    """Return the scenarios that a broker can be asked, in their order, and the others."""
    asked: list[RecordedScenario] = []
    not_asked: list[NotAsked] = []
    for scenario in candidates:
        reason = obstacle(scenario, facts)
        if reason is None:
            asked.append(scenario)
        else:
            not_asked.append(NotAsked(scenario=scenario.name, reason=reason))
    asked.sort(key=_order)
    return asked, not_asked


def _order(scenario: RecordedScenario) -> tuple[bool, bool, str]:
    """Put what was recorded without internal topics first, and what makes them last."""
    return not scenario.precedes_internal_topics, scenario.keeps_internal_topics, scenario.name


def obstacle(scenario: RecordedScenario, facts: BrokerFacts) -> str | None:
    """Return the reason why a scenario cannot be asked; None if it can."""
    return _obstacle_of_cluster(scenario, facts) or _obstacle_of_configs(scenario, facts.configs)


def _obstacle_of_cluster(scenario: RecordedScenario, facts: BrokerFacts) -> str | None:
    if scenario.brokers > 1:
        return f"needs {scenario.brokers} brokers"
    if scenario.listeners:
        return f"needs listeners of its own: {', '.join(scenario.listeners)}"
    if scenario.has_authorizer:
        return "needs an authorizer, with rights of its own"
    if scenario.is_alone:
        return "needs a cluster that has received no request, or changes the cluster itself"
    if scenario.precedes_internal_topics and facts.has_internal_topics:
        return "needs a broker without internal topics"
    return None


def _obstacle_of_configs(
    scenario: RecordedScenario, configs: Mapping[str, str | None] | None
) -> str | None:
    if scenario.module.endswith(_WITHOUT_AUTHORIZER) and (configs or {}).get(AUTHORIZER):
        return "would change the rights that the broker's authorizer has"
    for name, value in scenario.settings.items():
        if configs is None:
            return f"needs {name}={value}, and the broker does not describe its configs"
        if configs.get(name) != value:
            return f"needs {name}={value}; the broker has {configs.get(name)}"
    return None


def matching(
    known: Mapping[str, RecordedScenario], patterns: Sequence[str]
) -> list[RecordedScenario]:
    """Return the scenarios with these names or patterns; all without any.

    Raises:
        LookupError: no scenario matches a pattern.

    """
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise LookupError(f"no conversation is named {pattern!r}")
    return [
        scenario
        for name, scenario in known.items()
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
    ]


def api_of(step: ConversationStep) -> str:
    """Return the name of the API of a step; of several requests, a text that says so."""
    api, _, rest = step.asked.partition(" v")
    if not rest.removeprefix("-")[:1].isdigit():
        return SEVERAL
    key = api.removeprefix("API ")  # of a request that is bytes
    return _TITLES.get(key, api)


def version_of(step: ConversationStep) -> int | None:
    """Return the version of the request of a step."""
    digits = step.asked.partition(" v")[2].partition(" ")[0].rstrip(",")
    return int(digits) if digits.isdigit() else None


def other_configs(
    recorded: Mapping[str, str], configs: Mapping[str, str | None] | None
) -> Iterator[str]:
    """Describe the configs in which a broker differs from the recorded ones."""
    for name, value in recorded.items():
        if configs is not None and configs.get(name) != value:
            yield f"{name} is {configs.get(name)}; the recorded brokers had {value}"
