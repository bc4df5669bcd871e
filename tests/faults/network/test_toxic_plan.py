"""Choice of the connections of a toxic by selectors and triggers."""

import pytest

from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import ClusterEvent, Event
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.network.latency import Latency
from mockbroker.faults.trigger import OnCall, Times, Trigger, WithProbability
from mockbroker.protocol.messages.metadata import MetadataResponse
from tests.support.faults import Plan
from tests.support.in_process import CLIENT_ID, Peer
from tests.support.requests import metadata

SLOW = Latency(latency=100)


@pytest.fixture
def plan() -> Plan:
    return Plan(brokers=2)


def is_slow(plan: Plan, peer: Peer) -> bool:
    peer.send(metadata(), 12)
    is_late = not peer.new_frames()
    plan.brokers.loop.advance(0.2)
    return is_late and len(peer.new_frames()) == 1


def test_a_toxic_is_on_existing_and_on_new_connections(plan: Plan) -> None:
    before = plan.brokers.connect()
    fault = plan.toxic(SLOW)
    assert [is_slow(plan, peer) for peer in (before, plan.brokers.connect())] == [True, True]
    assert (fault.calls, fault.hits) == (2, 2)


def test_a_broker_and_a_connection_are_chosen(plan: Plan) -> None:
    first, second, other = (plan.brokers.connect(broker_id) for broker_id in (1, 1, 2))
    plan.toxic(SLOW, broker=1, connection=second.connection.connection_id)
    assert [is_slow(plan, peer) for peer in (first, second, other)] == [False, True, False]


def test_a_client_is_known_from_its_first_request_on(plan: Plan) -> None:
    known = plan.brokers.connect()
    known.ask(metadata(), 12, MetadataResponse)
    fault = plan.toxic(SLOW, client_id=f"{CLIENT_ID[:2]}*")
    assert fault.calls == 1
    new = plan.brokers.connect()
    assert fault.calls == 1
    assert [is_slow(plan, peer) for peer in (known, new)] == [True, True]


def nearest(fault: FaultState) -> list[str]:
    return [] if fault.nearest is None else [str(each) for each in fault.nearest]


def test_the_closest_connection_is_remembered_once_its_client_is_known(plan: Plan) -> None:
    fault = plan.toxic(SLOW, client_id="somebody-else")
    peer = plan.brokers.connect(2)
    assert nearest(fault) == []
    assert not is_slow(plan, peer)
    miss, what = nearest(fault)
    assert miss == f"client_id was {CLIENT_ID!r}, the fault wants 'somebody-else'"
    number = peer.connection.connection_id
    assert what == f"connection {number} of client {CLIENT_ID!r} to broker 2"
    assert (fault.calls, fault.hits) == (0, 0)


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [(Times(2), [True, True, False, False]), (OnCall(3), [False, False, True, False])],
)
def test_triggers_count_connections(plan: Plan, trigger: Trigger, expected: list[bool]) -> None:
    plan.toxic(SLOW, trigger)
    peers = [plan.brokers.connect() for _ in range(4)]
    assert [is_slow(plan, peer) for peer in peers] == expected


def test_toxicity_is_chosen_once_for_each_connection(plan: Plan) -> None:
    fault = plan.toxic(SLOW, WithProbability(0.5))
    peers = [plan.brokers.connect() for _ in range(40)]
    drawn = [is_slow(plan, peer) for peer in peers]
    assert drawn == [is_slow(plan, peer) for peer in peers]
    assert 5 < sum(drawn) < 35
    assert (fault.calls, fault.hits) == (40, sum(drawn))


def test_a_changed_fault_is_matched_again(plan: Plan) -> None:
    peers = [plan.brokers.connect() for _ in range(2)]
    fault = plan.toxic(SLOW)
    fault.trigger = Times(1)
    plan.plan.fault_changed(fault)
    assert sorted(is_slow(plan, peer) for peer in peers) == [False, True]
    assert fault.calls == 1


def test_a_toxic_counts_a_hit_when_it_acts_and_not_before(plan: Plan) -> None:
    told: list[Event] = []
    fault = plan.toxic(SLOW)
    peer = plan.brokers.connect()
    subscribe(plan.brokers.service, told.append)
    assert (fault.calls, fault.hits) == (1, 0)
    for _ in range(2):
        is_slow(plan, peer)
    assert (fault.calls, fault.hits) == (1, 1)
    assert fault.touched_bytes > 0
    (event,) = [each for each in told if isinstance(each, ClusterEvent)]
    assert event.kind == "toxic"
    assert event.facts["rule"] == fault.name
    assert event.facts["effect"] == "latency('100ms')"


def test_a_toxic_does_not_put_faults_in_the_way_of_calls(plan: Plan) -> None:
    plan.toxic(SLOW)
    assert plan.brokers.service.faults is None


def test_a_toxic_ends_with_its_cluster(plan: Plan) -> None:
    peer = plan.brokers.connect()
    plan.toxic(SLOW)
    plan.plan.close()
    assert not is_slow(plan, peer)
    assert plan.brokers.service.toxics is None
