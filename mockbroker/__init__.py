"""A Kafka cluster in one Python process, for testing what clients do when things get hard.

The names here are imported when they are first used: a tool that only wants the codec, or a test
run that starts no cluster, does not pay for the broker.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbroker.cluster import Cluster
    from mockbroker.settings import SettingsError
    from mockbroker.state.options import Options

__all__ = ["Cluster", "Options", "SettingsError", "__version__"]

__version__ = "0.1.0"

_HOMES = {
    "Cluster": "mockbroker.cluster",
    "Options": "mockbroker.state.options",
    "SettingsError": "mockbroker.settings",
}


def __getattr__(name: str) -> object:
    """Import a public name from where it lives (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
