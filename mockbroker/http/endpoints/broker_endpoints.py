"""Brokers and coordinators over HTTP."""

from collections.abc import Callable
from typing import Any, Final

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.cluster_view import BrokersView, brokers_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.problem import Problem
from mockbroker.state.producer.producer_recovery import KeptSnapshot

BROKERS: Final = Endpoints()


class CrashDocument(Document):
    """The broker to crash; default: all."""

    broker: int | None = None


class StartDocument(Document):
    """The producer snapshot that the broker loads; default: as it was stopped or killed."""

    producer_snapshot: KeptSnapshot | None = None


class MoveDocument(Document):
    """The transactional id or the group whose coordinator moves."""

    transactional_id: str | None = None
    group: str | None = None
    to: int | None = None


class CoordinatorQuery(Document):
    """The transactional id or the group whose coordinator is shown."""

    transactional_id: str | None = None
    group: str | None = None


class CoordinatorView(View):
    """The coordinator."""

    broker: int


@BROKERS.add("GET", "/brokers", reads=Nothing, answers=BrokersView)
def list_brokers(request: ApiRequest[Nothing]) -> BrokersView:
    """List all brokers."""
    return _shown(request.cluster)


@BROKERS.add(
    "POST", "/brokers/{broker}/kill", reads=Nothing, answers=BrokersView, problems=("conflict",)
)
def kill_broker(request: ApiRequest[Nothing]) -> BrokersView:
    """Kill a broker as `kill -9` does: connections break, and its port refuses new ones."""
    return _happened(request, request.cluster.kill)


@BROKERS.add(
    "POST", "/brokers/{broker}/stop", reads=Nothing, answers=BrokersView, problems=("conflict",)
)
def stop_broker(request: ApiRequest[Nothing]) -> BrokersView:
    """Stop a broker in a controlled way, after it wrote its checkpoints and snapshots."""
    return _happened(request, request.cluster.stop_broker)


@BROKERS.add(
    "POST",
    "/brokers/{broker}/start",
    reads=StartDocument,
    answers=BrokersView,
    problems=("conflict",),
)
def start_broker(request: ApiRequest[StartDocument]) -> BrokersView:
    """Start a killed or stopped broker at the same port, with the logs that it had."""
    snapshot = request.document.producer_snapshot
    return _happened(
        request, lambda broker: request.cluster.start(broker, producer_snapshot=snapshot)
    )


@BROKERS.add("POST", "/brokers/{broker}/lag", reads=Nothing, answers=BrokersView)
def let_broker_lag(request: ApiRequest[Nothing]) -> BrokersView:
    """Stop a broker's fetches from all leaders, while its replicas stay in sync for a time."""
    return _happened(request, request.cluster.lag)


@BROKERS.add("POST", "/brokers/{broker}/catch-up", reads=Nothing, answers=BrokersView)
def let_broker_catch_up(request: ApiRequest[Nothing]) -> BrokersView:
    """Let a broker fetch from all leaders again, and its replicas be in sync."""
    return _happened(request, request.cluster.catch_up)


@BROKERS.add(
    "POST", "/brokers/{broker}/isolate", reads=Nothing, answers=BrokersView, problems=("conflict",)
)
def isolate_broker(request: ApiRequest[Nothing]) -> BrokersView:
    """Isolate a broker from all others; clients still reach it, and it uses its last metadata."""
    return _happened(request, request.cluster.isolate)


@BROKERS.add(
    "POST", "/brokers/{broker}/rejoin", reads=Nothing, answers=BrokersView, problems=("conflict",)
)
def rejoin_broker(request: ApiRequest[Nothing]) -> BrokersView:
    """Reconnect an isolated broker to the cluster."""
    return _happened(request, request.cluster.rejoin)


@BROKERS.add("POST", "/crash", reads=CrashDocument, answers=BrokersView, problems=("conflict",))
def crash(request: ApiRequest[CrashDocument]) -> BrokersView:
    """Simulate a power failure of one broker or all of them: unflushed records are lost."""
    _tried(lambda: request.cluster.crash(request.document.broker))
    return _shown(request.cluster)


@BROKERS.add("POST", "/flush", reads=Nothing)
def flush(request: ApiRequest[Nothing]) -> None:
    """Flush all logs to disk, so that a crash loses nothing that was written before."""
    request.cluster.flush()


def _happened(request: ApiRequest[Any], event: Callable[[int], None]) -> BrokersView:
    """Apply an action to a broker."""
    broker = request.number("broker")
    _tried(lambda: event(broker))
    return _shown(request.cluster)


def _tried(event: Callable[[], None]) -> None:
    """Apply an action.

    Raises:
        Problem: the state of a broker does not allow it.

    """
    try:
        event()
    except (ValueError, OSError) as error:
        raise Problem("conflict", str(error)) from None


def _shown(cluster: ClusterHandle) -> BrokersView:
    brokers = cluster.brokers
    return cluster.look(lambda state, _now_ms: brokers_view(brokers, state))


@BROKERS.add(
    "GET",
    "/coordinators",
    reads=CoordinatorQuery,
    answers=CoordinatorView,
    problems=("not-found",),
)
def get_coordinator(request: ApiRequest[CoordinatorQuery]) -> CoordinatorView:
    """Show the coordinator of a transactional id or a group."""
    document = request.document
    broker = request.cluster.coordinator_of(document.transactional_id, group=document.group)
    return CoordinatorView(broker=broker)


@BROKERS.add("POST", "/coordinators/move", reads=MoveDocument, answers=CoordinatorView)
def move_coordinator(request: ApiRequest[MoveDocument]) -> CoordinatorView:
    """Move the coordinator of a transactional id or a group to another broker."""
    document = request.document
    broker = request.cluster.move_coordinator(
        document.transactional_id, document.to, group=document.group
    )
    return CoordinatorView(broker=broker)
