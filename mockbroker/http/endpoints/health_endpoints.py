"""Liveness, readiness and version, at root paths, where probes expect them."""

from typing import Final

from starlette.responses import Response

from mockbroker.faults.documents.strict import View
from mockbroker.http.endpoint import ApiRequest, Endpoint, Nothing
from mockbroker.http.importing import imported
from mockbroker.http.problem import Problem
from mockbroker.version import __version__

METRICS: Final = "text/plain; version=0.0.4"
"""The media type of Prometheus' text format."""


class HealthView(View):
    """A successful health check."""

    status: str


class VersionView(View):
    """Version of mockbroker, and the emulated release of Kafka."""

    version: str
    kafka: str


def get_liveness(_asked: ApiRequest[Nothing]) -> HealthView:
    """Report that the process is alive."""
    return HealthView(status="ok")


def get_readiness(request: ApiRequest[Nothing]) -> HealthView:
    """Report whether all brokers can be reached."""
    if request.host.is_stopping:
        raise Problem("not-running", "the cluster is stopping")
    request.cluster.look(lambda _cluster, _now_ms: None)
    return HealthView(status="ok")


def get_health(request: ApiRequest[Nothing]) -> HealthView:
    """Report the same as /readyz."""
    return get_readiness(request)


async def get_metrics(request: ApiRequest[Nothing]) -> Response:
    """Show metrics as Prometheus reads them; requests are counted from the first time on."""
    await imported("mockbroker.http.endpoints.metrics")  # slow: on a thread
    return Response(request.host.metrics_text(), media_type=METRICS)


def get_version(request: ApiRequest[Nothing]) -> VersionView:
    """Show the version of mockbroker, and the emulated release of Kafka."""
    release = request.cluster.look(lambda cluster, _now_ms: cluster.options.release)
    return VersionView(version=__version__, kafka=release)


HEALTH: Final = [
    Endpoint(method="GET", path="/livez", handle=get_liveness, answers=HealthView),
    Endpoint(
        method="GET",
        path="/readyz",
        handle=get_readiness,
        answers=HealthView,
        problems=("not-running",),
    ),
    Endpoint(
        method="GET",
        path="/healthz",
        handle=get_health,
        answers=HealthView,
        problems=("not-running",),
    ),
    Endpoint(method="GET", path="/metrics", handle=get_metrics, media_type=METRICS),
    Endpoint(method="GET", path="/version", handle=get_version, answers=VersionView),
]
