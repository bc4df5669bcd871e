import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.named_configs import GROUP
from mockbroker.state.group.streams.streams_group import StreamsGroupState
from mockbroker.state.group.streams.streams_heartbeat import SentTopology
from mockbroker.state.group.streams.topics.configured_topology import StatusCode
from mockbroker.state.group.streams.topics.topology import Subtopology
from tests.state.group.streams.streams_building import (
    APP,
    READS_ORDERS,
    Streams,
    cluster_of,
    group_in,
    tasks,
)


def test_another_topology_is_refused() -> None:
    cluster = cluster_of(orders=1)
    Streams(cluster).join()
    other = SentTopology(0, [Subtopology("0", ("other",))])
    with pytest.raises(ApiError) as refused:
        Streams(cluster, "b").join(topology=other)
    assert refused.value.why == "Topology updates are not supported yet."


def test_an_older_topology_is_stale() -> None:
    cluster = cluster_of(orders=1)
    Streams(cluster).join(topology=SentTopology(3, list(READS_ORDERS)))
    stale = Streams(cluster, "b").join(topology=SentTopology(2, []))
    assert [status.code for status in stale.statuses] == [StatusCode.STALE_TOPOLOGY]


def test_a_changed_config_begins_an_epoch() -> None:
    cluster = cluster_of(orders=1)
    one = Streams(cluster)
    one.join()
    cluster.configs.set_named_overrides(GROUP, APP, {"streams.num.standby.replicas": "1"})
    one.beat(tasks(0))
    group = group_in(cluster)
    assert group.group_epoch == 3
    assert group.metadata.assignment_configs == {"num.standby.replicas": "1"}


def test_targets_are_computed_once_in_an_interval() -> None:
    cluster = cluster_of(orders=2, configs={"group.streams.assignment.interval.ms": "1000"})
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join(now_ms=5)
    early = two.join(now_ms=6)
    assert [status.code for status in early.statuses] == [StatusCode.ASSIGNMENT_DELAYED]
    assert group_in(cluster).state is StreamsGroupState.ASSIGNING
    assert not two.beat({}, now_ms=1005).statuses
    assert group_in(cluster).target_epoch.assignment_epoch == 3


def test_a_refused_static_member_takes_the_refined_tasks_of_the_other() -> None:
    """Kafka 4.4 hands them over before it refuses; the owner gets them back one epoch later."""
    cluster = cluster_of(orders=1)
    one, two = Streams(cluster, instance_id="i"), Streams(cluster, "b")
    one.join()
    two.join()
    with pytest.raises(ApiError) as refused:
        Streams(cluster, "c", instance_id="i").join()
    assert refused.value.code is ErrorCode.UNRELEASED_INSTANCE_ID
    lost = one.beat({})
    assert lost.assigned is not None
    assert lost.assigned.is_empty
    two.beat({})
    regained = one.beat({})
    assert (regained.member_epoch, group_in(cluster).group_epoch) == (4, 4)
    assert regained.assigned is not None
    assert regained.assigned.without_epochs().active == tasks(0)


def test_a_static_member_in_another_process_begins_an_epoch() -> None:
    cluster = cluster_of(orders=1)
    one = Streams(cluster, instance_id="i")
    one.join()
    one.leave(-2)
    Streams(cluster, "b", instance_id="i", process="a").join()
    assert group_in(cluster).group_epoch == 2
    Streams(cluster, "b", instance_id="i").leave(-2)
    Streams(cluster, "c", instance_id="i", process="c").join()
    assert group_in(cluster).group_epoch == 3


def test_reported_offsets_stay_until_new_ones_come() -> None:
    cluster = cluster_of(orders=1)
    one = Streams(cluster)
    one.join()
    one.beat(task_offsets=[("0", 0, 5)], task_end_offsets=[("0", 0, 9)])
    one.beat()
    group = group_in(cluster)
    assert group.task_offsets == {"a": {"0": {0: 5}}}
    assert group.task_end_offsets == {"a": {"0": {0: 9}}}
