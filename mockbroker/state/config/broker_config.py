"""Validation of the broker configs that a cluster is started with."""

from collections.abc import Mapping

from mockbroker.state.config.definition import base_definition
from mockbroker.state.config.validator import parse_config


def check_broker_configs(
    release: str, settings: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the settings that are broker configs of a release, and the names of the others.

    Raises:
        ApiError: INVALID_CONFIG for the first value that is not allowed.

    """
    unknown: list[str] = []
    known: dict[str, str] = {}
    for name, text in settings.items():
        definition = base_definition(release, name)
        if definition is None:
            unknown.append(name)
        else:
            parse_config(definition, text)
            known[name] = text
    return known, unknown
