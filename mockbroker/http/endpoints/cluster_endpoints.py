"""The cluster as a whole over HTTP."""

from typing import Final

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.fault_view import fault_view
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.cluster_view import (
    StateView,
    brokers_view,
    clock_view,
    cluster_view,
)
from mockbroker.http.documents.topic_view import topics_view
from mockbroker.http.documents.transaction_view import hangings_view, transactions_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import missing
from mockbroker.http.problem import Problem
from mockbroker.state.cluster_state import ClusterState

CLUSTER: Final = Endpoints()


class ListenerDocument(Document, kw_only=True):
    """The advertised address, `host:port`; each next broker has the next port."""

    advertised: str
    broker: int | None = None
    """Id of the only broker to change; then the port is that broker's."""


class AdvertisedView(View):
    """Advertised address of a broker."""

    broker: int
    host: str
    port: int


class ListenerView(View):
    """A listener of all brokers."""

    name: str
    advertised: list[AdvertisedView]


class ListenersView(View):
    """All listeners."""

    listeners: list[ListenerView]


class SeedDocument(Document):
    """The seed of all random choices."""

    seed: int


class SeedView(View):
    """The seed of all random choices from now on."""

    seed: int


class TlsView(View):
    """Certificate of the authority that clients have to trust."""

    ca_pem: str


class StoppingView(View):
    """Confirmation that the process stops."""

    status: str


@CLUSTER.add("GET", "/state", reads=Nothing, answers=StateView)
def get_state(request: ApiRequest[Nothing]) -> StateView:
    """Show the state of the cluster in one document."""
    cluster = request.cluster
    faults = [fault_view(fault) for fault in cluster.faults]

    clock, brokers = clock_view(cluster.clock), cluster.brokers

    def look(state: ClusterState, _now_ms: int) -> StateView:
        return StateView(
            cluster=cluster_view(state, clock, cluster.bootstrap_servers),
            brokers=brokers_view(brokers, state).brokers,
            topics=topics_view(state).topics,
            transactions=transactions_view(state).transactions,
            hanging=hangings_view(state).hanging,
            faults=faults,
        )

    return cluster.look(look)


@CLUSTER.add("POST", "/reset", reads=Nothing)
def reset(request: ApiRequest[Nothing]) -> None:
    """Reset the cluster to its initial state, on the same ports and with the same topics."""
    request.cluster.reset()


@CLUSTER.add("POST", "/seed", reads=SeedDocument, answers=SeedView)
def sow(request: ApiRequest[SeedDocument]) -> SeedView:
    """Set the seed of all later random choices."""
    request.cluster.seed(request.document.seed)
    return SeedView(seed=request.document.seed)


@CLUSTER.add(
    "POST", "/shutdown", reads=Nothing, answers=StoppingView, status=202, problems=("conflict",)
)
def shut_down(request: ApiRequest[Nothing]) -> StoppingView:
    """Stop the process that serves the cluster."""
    if not request.host.shut_down():
        raise Problem("conflict", "only the program that started this cluster can stop it")
    return StoppingView(status="stopping")


@CLUSTER.add("GET", "/tls", reads=Nothing, answers=TlsView, problems=("not-found",))
def get_tls(request: ApiRequest[Nothing]) -> TlsView:
    """Show the authority of a cluster that issues certificates, in PEM."""
    try:
        return TlsView(ca_pem=request.cluster.ca_pem)
    except RuntimeError as error:
        raise Problem("not-found", str(error)) from None


@CLUSTER.add("GET", "/listeners", reads=Nothing, answers=ListenersView)
def list_listeners(request: ApiRequest[Nothing]) -> ListenersView:
    """List the listeners, and the addresses that they advertise."""
    names = dict.fromkeys(each.name for each in request.cluster.listeners)
    return ListenersView(listeners=[_listener_view(request.cluster, name) for name in names])


@CLUSTER.add("GET", "/listeners/{name}", reads=Nothing, answers=ListenerView)
def get_listener(request: ApiRequest[Nothing]) -> ListenerView:
    """Show the addresses that a listener advertises."""
    return _listener_view(request.cluster, request.names["name"])


@CLUSTER.add("PUT", "/listeners/{name}", reads=ListenerDocument, answers=ListenerView)
def put_listener(request: ApiRequest[ListenerDocument]) -> ListenerView:
    """Set the address that a listener advertises, such as that of a mapped port."""
    name, document = request.names["name"], request.document
    _listener_view(request.cluster, name)
    request.cluster.advertise(document.advertised, listener=name, broker=document.broker)
    return _listener_view(request.cluster, name)


def _listener_view(cluster: ClusterHandle, name: str) -> ListenerView:
    listeners = cluster.listeners
    advertised = [
        AdvertisedView(broker=each.broker_id, host=each.advertised_host, port=each.advertised_port)
        for each in listeners
        if each.name == name
    ]
    if not advertised:
        raise missing("listener", name, sorted({each.name for each in listeners}))
    return ListenerView(name=name, advertised=advertised)
