"""Instruments of OpenTelemetry: one set for each meter provider, for all clusters that use it.

A provider keeps an instrument as long as it lives, and warns about a second one of the same name.
So clusters come and go, and the instruments ask those that run.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, Protocol
from weakref import WeakKeyDictionary, WeakSet

from opentelemetry.metrics import CallbackOptions, Histogram, MeterProvider, Observation

from mockbroker.telemetry import attributes as names
from mockbroker.telemetry.measurements import INSTRUMENTS, Instrument, Measurement
from mockbroker.version import __version__

SCOPE: Final = "mockbroker"
DURATION: Final = "rpc.server.call.duration"
"""Name by the semantic conventions for RPC."""
BUCKETS_S: Final = (
    *(0.0001, 0.00025, 0.0005, 0.001, 0.0025),
    *(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10),
)
"""Those of the conventions, and smaller ones: most requests take less than a millisecond."""


class MeasuredCluster(Protocol):
    """A cluster that instruments ask for its measurements."""

    @property
    def cluster_id(self) -> str:
        """The id of the cluster."""
        ...

    def measure(self) -> Sequence[Measurement]:
        """Measure the cluster; nothing once it has stopped."""
        ...


class Instruments:
    """Instruments of one meter provider."""

    def __init__(self, provider: MeterProvider) -> None:
        """Create the instruments, without clusters."""
        meter = provider.get_meter(SCOPE, __version__)
        self.clusters: Final[WeakSet[MeasuredCluster]] = WeakSet()
        """Clusters that run."""
        self._measured: dict[str, list[Observation]] = {}
        self.durations: Final[Histogram] = meter.create_histogram(
            DURATION,
            "s",
            "Time between a request and its response",
            explicit_bucket_boundaries_advisory=BUCKETS_S,
        )
        for instrument in INSTRUMENTS:
            create: Callable[..., object] = (
                meter.create_observable_counter
                if instrument.is_counter
                else meter.create_observable_gauge
            )
            callback = partial(self._observe, instrument)
            create(instrument.name, [callback], instrument.unit, instrument.about)

    def _observe(self, instrument: Instrument, _options: CallbackOptions) -> Iterable[Observation]:
        """Return the values of an instrument; all are measured when one is asked again.

        Readers on several threads may take values of one measurement, but none waits for another.
        """
        points = self._measured.pop(instrument.name, None)
        if points is None:
            measured = self._measure()
            points = measured.pop(instrument.name)
            self._measured = measured
        return points

    def _measure(self) -> dict[str, list[Observation]]:
        found: dict[str, list[Observation]] = {each.name: [] for each in INSTRUMENTS}
        for cluster in list(self.clusters):
            for instrument, points in cluster.measure():
                found[instrument.name] += [
                    Observation(
                        value,
                        {
                            **dict(zip(instrument.labels, labels, strict=True)),
                            names.CLUSTER_ID: cluster.cluster_id,
                        },
                    )
                    for labels, value in points
                ]
        return found


_OF_PROVIDERS: Final[WeakKeyDictionary[MeterProvider, Instruments]] = WeakKeyDictionary()


def instruments_of(provider: MeterProvider) -> Instruments:
    """Return the instruments of a provider, which are created once."""
    known = _OF_PROVIDERS.get(provider)
    if known is None:
        known = _OF_PROVIDERS[provider] = Instruments(provider)
    return known
