"""Setup of nested test runs with the pytest plugin."""

from importlib.metadata import entry_points
from typing import Final

IS_INSTALLED: Final = any(point.name == "mockbroker" for point in entry_points(group="pytest11"))
PLUGIN: Final = (
    *(() if IS_INSTALLED else ("-p", "mockbroker.pytest_plugin")),
    *("-p", "tests.support.closed_clients"),
)
"""Options of pytest that load the plugins; an installed package registers its own."""
