"""Faults as they are shown."""

import msgspec

from mockbroker import API, Cluster
from mockbroker.faults.documents.fault_view import fault_view
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.wire import WireClient
from tests.support.requests import metadata


def test_a_fault_shows_its_hits_and_its_closest_call() -> None:
    with Cluster() as cluster:
        fault = cluster.fault(API.METADATA, name="seen").observe()
        missed = cluster.fault(API.PRODUCE, name="missed").duplicate()
        with WireClient(cluster.bootstrap_servers) as client:
            client.ask(metadata(), 12, MetadataResponse)
        fault.wait()
        shown, other = fault_view(fault), fault_view(missed)
        begun = fault_view(cluster.fault(name="begun"))
        cluster.faults.clear()
    assert (shown.id, shown.calls, shown.hits, shown.held, shown.released) == ("seen", 1, 1, 0, 0)
    assert shown.effect == {"observe": True}
    assert not shown.is_over
    assert shown.nearest is None
    assert other.nearest is not None
    assert (other.nearest.api, other.nearest.version) == ("Metadata", 12)
    assert other.nearest.miss == "api was Metadata, the fault wants Produce"
    assert other.story.startswith("missed: fault(api=Produce).duplicate().once() matched 0 calls")
    assert begun.effect is None
    assert msgspec.json.decode(msgspec.json.encode(begun))["effect"] is None
