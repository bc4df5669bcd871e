"""Committed offsets, as an observer is told of them."""

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import CommittedOffset, OffsetsCommitted, StateEvent
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.group.coordinator_building import (
    BILLS,
    GROUP,
    ORDERS,
    commit,
    coordinating,
    coordinator_in,
    end_transaction,
    offset,
    stable_group,
)

WRITER = BatchWriter(7, 0)


def watched(cluster: ClusterState) -> list[OffsetsCommitted]:
    """Observe the commits of a cluster from now on."""
    events: list[OffsetsCommitted] = []

    def observe(event: StateEvent) -> None:
        if isinstance(event, OffsetsCommitted):
            events.append(event)

    cluster.observation.reporter = EventReporter(observe)
    return events


def test_a_commit_is_reported_with_its_member_and_the_ends_of_the_logs() -> None:
    cluster = coordinating()
    cluster.create_topic(NewTopic("orders", 1, 1))
    coordinator = coordinator_in(cluster)
    stable_group(coordinator)
    events = watched(cluster)
    records = [offset(5), offset(3, BILLS)]
    coordinator.commit_offsets(GROUP, Committer("m-1", None, 1), records, 0)
    places = CommittedOffset(*ORDERS, 5, 0), CommittedOffset(*BILLS, 3, None)
    assert events == [OffsetsCommitted(GROUP, "m-1", "client", -1, False, places)]


def test_a_client_that_is_no_member_has_no_name() -> None:
    cluster = coordinating()
    events = watched(cluster)
    commit(coordinator_in(cluster), offset(5))
    assert [(each.member_id, each.client_id) for each in events] == [("", None)]


def test_offsets_of_a_transaction_are_pending_until_its_commit() -> None:
    for is_commit in (True, False):
        cluster = coordinating()
        coordinator = coordinator_in(cluster)
        events = watched(cluster)
        coordinator.commit_transactional_offsets(GROUP, [offset(5)], WRITER, 0, None)
        end_transaction(cluster, 7, is_commit=is_commit)
        reported = [(each.producer_id, each.is_pending, each.offsets[0].offset) for each in events]
        assert reported == [(7, True, 5), *([(7, False, 5)] if is_commit else [])]


def test_a_transaction_whose_offsets_were_overtaken_applies_none() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    events = watched(cluster)
    coordinator.commit_transactional_offsets(GROUP, [offset(5)], WRITER, 0, None)
    commit(coordinator, offset(9))
    end_transaction(cluster, 7, is_commit=True)
    assert [each.offsets[0].offset for each in events] == [5, 9]


def test_removed_offsets_are_reported_by_group() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5), offset(6, TopicPartition("orders", 1)))
    events = watched(cluster)
    coordinator.delete_group(GROUP, 0)
    (removed,) = events
    assert [(each.partition, each.offset) for each in removed.offsets] == [(0, -1), (1, -1)]
