"""Settings of a scenario's cluster, below those of the command line and the environment."""

from typing import Any

from mockbroker.scenario.reading import read_scenario
from mockbroker.scenario.scenario import Scenario
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import COMMAND_LINE

_NAMES = {
    "brokers": "brokers",
    "features": "feature",
    "kafka": "release",
    "proposals": "proposal",
    "topics": "topic",
}
"""Options with the fields of `SettingNames` that name them in errors."""


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value != []


def under_options(options: ServeOptions) -> tuple[ServeOptions, dict[str, Any]]:
    """Return the options that a scenario completes, and the fields of `Given` that it sets.

    Raises:
        OSError: the file cannot be read.
        ScenarioError: the file is not valid.

    """
    assert options.scenario is not None
    scenario = read_scenario(options.scenario)
    filled = {
        name: value
        for name, value in _options_of(scenario).items()
        if _is_set(value) and not options.sets(name)
    }
    configs = dict(scenario.configs())
    if scenario.cluster.seed is not None:
        configs["mockbroker.seed"] = str(scenario.cluster.seed)
    own = {text.partition("=")[0].strip() for text in options.configs}
    names = {_NAMES[name]: f"{scenario.file}: {name}" for name in filled if name in _NAMES}
    return options._replace(**filled), {
        "scenario": configs,
        "names": COMMAND_LINE._replace(**names),
        "variables": {name: f"{scenario.file}: {name}" for name in configs if name not in own},
    }


def _options_of(scenario: Scenario) -> dict[str, Any]:
    cluster = scenario.cluster
    return {
        "brokers": cluster.brokers,
        "kafka": cluster.kafka,
        "topics": scenario.topic_texts(),
        "features": [f"{name}={level}" for name, level in (cluster.features or {}).items()],
        "proposals": cluster.proposals,
        "clock": cluster.clock,
        "tls": cluster.tls,
    }
