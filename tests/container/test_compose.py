"""All variables of the compose file are settings."""

import re
from pathlib import Path
from typing import Final

from mockbroker.cli.serve import with_environment
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import resolve_settings

COMPOSE: Final = Path(__file__).parents[2] / "examples" / "compose.yaml"


def test_the_variables_of_the_compose_file_are_settings_with_its_addresses() -> None:
    ours = COMPOSE.read_text("utf-8").partition("  ui:")[0]
    found = re.findall(r'^      ((?:KAFKA|MOCKBROKER)_\w+): "?(.*?)"?$', ours, re.MULTILINE)
    variables: dict[str, str] = dict(found)
    assert variables["MOCKBROKER_STRICT_CONFIG"] == "1"
    _, given = with_environment(ServeOptions(), variables)
    settings = resolve_settings(given)
    outside, inside = settings.endpoints[0].listeners
    assert (outside.port, outside.advertised_host, outside.advertised_port) == (
        9092,
        "localhost",
        9092,
    )
    assert (inside.port, inside.advertised_host, inside.advertised_port) == (29092, "kafka", 29092)
    assert [topic.name for topic in settings.topics] == ["orders", "payments"]
