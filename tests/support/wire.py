"""Connections to single brokers of a cluster that a test runs."""

from mockbroker import Cluster
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.wire import WireClient
from tests.support.requests import metadata


def address_of(cluster: Cluster, broker_id: int) -> str:
    """Return the address of a broker, even while it is down."""
    (found,) = [each for each in cluster.brokers if each.broker_id == broker_id]
    return f"{found.host}:{found.port}"


def broker_client(cluster: Cluster, broker_id: int) -> WireClient:
    """Connect to a broker."""
    return WireClient(address_of(cluster, broker_id))


def leader_client(cluster: Cluster) -> WireClient:
    """Connect to the leader of `orders-0`."""
    return broker_client(cluster, cluster.partition("orders", 0).leader)


def metadata_of(bootstrap_servers: str) -> MetadataResponse:
    """Request all brokers and topics from the first broker."""
    with WireClient(bootstrap_servers) as client:
        return client.ask_newest(metadata(), range(4, 13), MetadataResponse)
