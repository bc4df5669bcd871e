"""Events of groups that consist of records: their states, and what their members own."""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import GroupChanged, PartitionsAssigned, StateEvent
from mockbroker.state.replication.leader_election import elect_leader
from tests.state.group.consumer import consumer_building
from tests.state.group.consumer.consumer_building import CONSUMERS, Consumer, id_of
from tests.state.group.coordinator_building import home_of
from tests.state.group.streams import streams_building
from tests.state.group.streams.streams_building import APP, Streams, tasks


def watched(cluster: ClusterState) -> list[StateEvent]:
    events: list[StateEvent] = []
    cluster.observation.reporter = EventReporter(events.append)
    return events


def owners(events: list[StateEvent]) -> list[tuple[bool, list[tuple[str, int, list[int]]]]]:
    return [
        (
            event.is_whole,
            [
                (each.member_id, each.member_epoch, [index for _, index in each.partitions])
                for each in event.members
                if not isinstance(each.partitions, bytes)
            ],
        )
        for event in events
        if isinstance(event, PartitionsAssigned)
    ]


def test_what_consumers_own_is_reported() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    events = watched(cluster)
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    two.join()
    one.beat({"orders": [0, 1]})
    one.beat(one.assigned)
    two.beat()
    two.leave()
    assert owners(events) == [
        (True, [("a", 2, [0, 1])]),
        (False, [("b", 3, [])]),
        (False, [("a", 2, [0, 1])]),  # it has to revoke one of them
        (False, [("a", 3, [0])]),
        (False, [("b", 3, [1])]),
        (False, [("b", -1, [])]),
    ]
    first = next(each for each in events if isinstance(each, PartitionsAssigned))
    assert first.group == CONSUMERS
    topic_id = id_of(cluster, "orders")
    assert first.members[0].partitions == ((topic_id, 0), (topic_id, 1))


def test_a_streams_group_is_reported() -> None:
    cluster = streams_building.cluster_of(orders=2)
    events = watched(cluster)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join()
    two.join()
    one.beat(tasks(0, 1))
    one.beat(tasks(0))
    two.beat({})
    two.leave()
    one.leave()
    changed = [each for each in events if isinstance(each, GroupChanged)]
    assert [(each.group, each.before, each.after, each.members) for each in changed] == [
        (APP, "Empty", "Stable", ("a",)),
        (APP, "Stable", "Reconciling", ("a", "b")),
        (APP, "Reconciling", "Stable", ("a", "b")),
        (APP, "Stable", "Assigning", ("a",)),
        (APP, "Assigning", "Empty", ()),
    ]
    assert owners(events) == [
        (True, [("a", 2, [0, 1])]),
        (False, [("b", 3, [])]),
        (False, [("a", 2, [0, 1])]),
        (False, [("a", 3, [0])]),
        (False, [("b", 3, [1])]),
        (False, [("b", -1, [])]),
        (False, [("a", -1, [])]),
    ]


def test_a_new_coordinator_reports_what_it_has_loaded() -> None:
    cluster = consumer_building.cluster_of(orders=2, brokers=2)
    Consumer(cluster).join()
    events = watched(cluster)
    elect_leader(cluster, home_of(cluster), 2, now_ms=0)
    cluster.run_pending(0)
    assert owners(events) == [(True, [("a", 2, [0, 1])])]


def test_changes_that_move_no_member_name_no_owner() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    one = Consumer(cluster)
    one.join()
    events = watched(cluster)
    one.beat(one.assigned)
    assert owners(events) == []
