"""Reading of `Cluster(telemetry=...)`, with an error that says what is missing."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import SettingsError, install_hint
from mockbroker.settings.telemetry_options import Telemetry

if TYPE_CHECKING:
    from mockbroker.telemetry.cluster_telemetry import ClusterTelemetry

_SETTING: Final = "telemetry"
_OPTION: Final = "--otel"
_NEEDED: Final = frozenset({"opentelemetry", "requests", "google"})
"""Packages at the top of what the extra installs."""
_CLUSTER_TELEMETRY: Final = "mockbroker.telemetry.cluster_telemetry"
_EXPORTED: Final = "mockbroker.telemetry.exported_telemetry"
"""Loaded by name, as OpenTelemetry may not be installed."""
_MISSING: Final = f"it needs more packages: {install_hint('otel')}"


def telemetry_starter(setting: object) -> "Callable[[RunningCluster], ClusterTelemetry]":
    """Return what observes a cluster, with the global providers or those of the setting.

    Raises:
        SettingsError: the setting is neither a bool nor `Telemetry`, or OpenTelemetry is missing.

    """
    if setting is not True and not isinstance(setting, Telemetry):
        raise SettingsError(
            _SETTING, repr(setting), "allowed are True, False and mockbroker.Telemetry(...)"
        )
    observe = _imported(_CLUSTER_TELEMETRY, _SETTING, "True").ClusterTelemetry
    options = setting if isinstance(setting, Telemetry) else Telemetry()
    return partial(observe, options=options)


def export_telemetry(cluster: RunningCluster) -> None:
    """Observe a cluster, and export what is observed as the variables of OpenTelemetry say.

    Raises:
        SettingsError: a variable has a value that is not possible, or OpenTelemetry is missing.

    """
    _imported(_EXPORTED, _OPTION, "1").ExportedTelemetry(cluster)


def _imported(module: str, setting: str, value: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _NEEDED:
            raise
        raise SettingsError(setting, value, _MISSING) from None
