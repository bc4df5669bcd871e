"""Validation of the broker configs that a cluster is started with."""

from collections.abc import Mapping

from mockbroker.state.config.definition import broker_definitions
from mockbroker.state.config.validator import parse_config


def check_broker_configs(
    release: str, settings: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the settings that are broker configs of a release, and the names of the others.

    Raises:
        ApiError: INVALID_CONFIG for the first value that is not allowed.

    """
    definitions = broker_definitions(release)
    unknown = [name for name in settings if name not in definitions]
    known = {name: text for name, text in settings.items() if name in definitions}
    for name, text in known.items():
        parse_config(definitions[name], text)
    return known, unknown
