"""Origin of each broker config of a cluster."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mockbroker.settings.java_properties import parse_properties
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import Given, resolve_settings
from mockbroker.state.config.definition import (
    base_config_name,
    base_definition,
    broker_definitions,
)
from mockbroker.state.config.own_configs import product_defaults


class ConfigOrigin(NamedTuple):
    """Config with its effective value and its origin."""

    name: str
    value: str | None
    """None if it has no value."""
    origin: str
    is_sensitive: bool


def config_origins(options: ServeOptions, given: Given) -> list[ConfigOrigin]:
    """Return the broker configs of a new cluster, including Kafka's defaults.

    Raises:
        SettingsError: the cluster would not start.

    """
    settings = resolve_settings(given)
    release = settings.options.release
    layers = list(_layers(options, given, release))
    found: list[ConfigOrigin] = []
    definitions = dict(broker_definitions(release))
    for name in sorted({name for _, configs in layers for name in configs}):
        definition = base_definition(release, name)
        if definition is not None and base_config_name(name) is not None:
            definitions[name] = definition._replace(default=None)
    for name, definition in definitions.items():
        value, origin = definition.default, "Kafka"
        for text, configs in layers:
            if name in configs:
                value = configs[name]
                origin = given.variables.get(name, text) if text == "environment" else text
        found.append(ConfigOrigin(name, value, origin, definition.is_sensitive))
    return found


def _layers(
    options: ServeOptions, given: Given, release: str
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the layers of configs; later ones override earlier ones."""
    yield "mockbroker", product_defaults(release, given.brokers)
    if given.properties:
        yield f"file {options.config_file}", parse_properties(given.properties)
    if given.scenario:
        yield f"scenario {options.scenario}", given.scenario
    yield "environment", given.environment
    pairs = (text.partition("=") for text in given.configs)
    yield "command line", {name.strip(): value.strip() for name, _, value in pairs}
