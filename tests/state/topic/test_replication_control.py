"""Topics are created, extended and deleted, or rejected without a change."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.replication_control import (
    MorePartitions,
    NewTopic,
    PlannedPartitions,
    PlannedTopic,
)
from tests.state.cluster_building import new_cluster

BOTH = pytest.mark.parametrize("release", ["2.4", "4.4"])


def refusal_of(cluster: ClusterState, new_topic: NewTopic) -> ApiError:
    with pytest.raises(ApiError) as refusal:
        cluster.create_topic(new_topic)
    return refusal.value


def grown(cluster: ClusterState, *wanted: MorePartitions) -> list[int | ErrorCode]:
    plans = cluster.replication.plan_partitions(wanted)
    return [each.code if isinstance(each, ApiError) else len(each.assignments) for each in plans]


# Creating


def test_a_topic_gets_the_default_counts_of_the_cluster() -> None:
    cluster = new_cluster(configs={"num.partitions": "4", "default.replication.factor": "2"})
    topic = cluster.create_topic(NewTopic(name="orders"))
    assert [len(partition.replicas) for partition in topic.partitions] == [2, 2, 2, 2]


def test_a_topic_gets_the_requested_counts() -> None:
    topic = new_cluster().create_topic(
        NewTopic(name="orders", num_partitions=2, replication_factor=1)
    )
    assert [len(partition.replicas) for partition in topic.partitions] == [1, 1]


def test_a_topic_gets_the_requested_replicas() -> None:
    topic = new_cluster().create_topic(
        NewTopic(name="orders", assignments=[(1, [2, 3]), (0, [3, 1])])
    )
    assert [partition.replicas for partition in topic.partitions] == [(3, 1), (2, 3)]


def test_a_topic_has_its_configs_from_the_start() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders", configs=[("retention.ms", "5")]))
    assert topic.partitions[0].config.log.retention_ms == 5


def test_the_same_seed_gives_the_same_topics() -> None:
    first, second, third = (
        new_cluster(seed=seed).create_topic(NewTopic(name="orders", num_partitions=5))
        for seed in (1, 1, 2)
    )
    assert first.topic_id == second.topic_id != third.topic_id
    assert [p.replicas for p in first.partitions] == [p.replicas for p in second.partitions]


def test_a_planned_topic_does_not_exist_yet() -> None:
    cluster = new_cluster()
    planned = cluster.replication.plan_topic(NewTopic(name="orders"))
    assert "orders" not in cluster.topics
    assert cluster.replication.create_topic(planned).topic_id == planned.topic_id


@BOTH
@pytest.mark.parametrize(
    ("new_topic", "code"),
    [
        (NewTopic(name="bad name"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (NewTopic(name="taken"), ErrorCode.TOPIC_ALREADY_EXISTS),
        (NewTopic(name="dot_ted"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (NewTopic(name="x", configs=[("bogus", "1")]), ErrorCode.INVALID_CONFIG),
        (NewTopic(name="x", num_partitions=0), ErrorCode.INVALID_PARTITIONS),
        (NewTopic(name="x", num_partitions=-2), ErrorCode.INVALID_PARTITIONS),
        (NewTopic(name="x", replication_factor=0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (NewTopic(name="x", replication_factor=4), ErrorCode.INVALID_REPLICATION_FACTOR),
        (NewTopic(name="x", assignments=[(0, [9])]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic(name="x", assignments=[(1, [1])]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (
            NewTopic(name="x", num_partitions=1, assignments=[(0, [1])]),
            ErrorCode.INVALID_REQUEST,
        ),
        (
            NewTopic(name="x", replication_factor=1, assignments=[(0, [1])]),
            ErrorCode.INVALID_REQUEST,
        ),
    ],
)
def test_an_invalid_topic_is_rejected_and_nothing_changes(
    release: str, new_topic: NewTopic, code: ErrorCode
) -> None:
    cluster = new_cluster(release)
    cluster.create_topic(NewTopic(name="taken"))
    cluster.create_topic(NewTopic(name="dot.ted"))
    before = cluster.as_text()
    assert refusal_of(cluster, new_topic).code is code
    assert cluster.as_text() == before


def test_errors_have_the_texts_of_the_release() -> None:
    texts = [
        refusal_of(new_cluster(release), NewTopic(name="x", replication_factor=4)).why
        for release in ("2.4", "4.4")
    ]
    assert texts == [
        "Replication factor: 4 larger than available brokers: 3.",
        (
            "Unable to replicate the partition 4 time(s): The target replication factor of 4"
            " cannot be"
            " reached because only 3 broker(s) are registered or some brokers have all their log"
            " directories cordoned."
        ),
    ]


def test_a_config_without_a_value_is_refused_differently() -> None:
    new_topic = NewTopic(name="x", configs=[("retention.ms", None)])
    refusals = [refusal_of(new_cluster(release), new_topic) for release in ("2.4", "4.4")]
    assert [each.code for each in refusals] == [
        ErrorCode.UNKNOWN_SERVER_ERROR,
        ErrorCode.INVALID_CONFIG,
    ]


def test_only_newer_releases_reserve_a_name_and_limit_partitions() -> None:
    reserved = NewTopic(name="__cluster_metadata")
    assert refusal_of(new_cluster("4.4"), reserved).why == (
        "Creation of internal topic __cluster_metadata is prohibited."
    )
    assert new_cluster("2.4").create_topic(reserved).name == "__cluster_metadata"
    large = NewTopic(name="x", num_partitions=10_001)
    assert refusal_of(new_cluster("4.4"), large).why == (
        "Excessively large number of partitions per request."
    )
    assert refusal_of(new_cluster("4.4"), NewTopic(name="x", num_partitions=10_000)).why == (
        "Unable to perform excessively large batch operation."
    )
    assert new_cluster("4.4").create_topic(NewTopic(name="x", num_partitions=9_999)).partitions
    assert len(new_cluster("2.4").create_topic(large).partitions) == 10_001


@pytest.mark.parametrize(
    ("topics", "is_refused"),
    [
        ([NewTopic("a", 6_000), NewTopic("b", 6_000)], True),
        ([NewTopic("a", 5_000), NewTopic("b", 5_000)], False),
        ([NewTopic("a", 9_998), NewTopic("b")], True),
        ([NewTopic("a", 9_998), NewTopic("b", 0), NewTopic("c", -2)], False),
        ([NewTopic("a", 9_998), NewTopic("b", assignments=[(0, [1])] * 3)], True),
        ([NewTopic("bad name", 10_001)], True),
        ([NewTopic("__cluster_metadata", 10_001)], False),
    ],
)
def test_the_partitions_of_a_request_are_limited_together(
    topics: list[NewTopic], *, is_refused: bool
) -> None:
    cluster = new_cluster(configs={"num.partitions": "3"})
    if not is_refused:
        cluster.replication.check_total(topics)
        return
    with pytest.raises(ApiError, match="Excessively large number of partitions") as refusal:
        cluster.replication.check_total(topics)
    assert refusal.value.code is ErrorCode.POLICY_VIOLATION


def test_3_6_sums_up_only_the_valid_topics_of_a_request() -> None:
    replication = new_cluster("3.6").replication
    topics = [NewTopic("bad name", 6_000), NewTopic("a", 6_000)]
    replication.check_total(topics)
    assert [type(each) for each in replication.plan_topics(topics)] == [ApiError, PlannedTopic]
    for too_many in ([NewTopic("b", 2_147_483_647)], [*topics, NewTopic("b", 5_000)]):
        with pytest.raises(ApiError, match="Unable to perform excessively large batch"):
            list(replication.plan_topics(too_many))


def test_3_6_denies_the_right_to_create_a_reserved_topic() -> None:
    (refusal,) = new_cluster("3.6").replication.plan_topics([NewTopic("__cluster_metadata")])
    assert isinstance(refusal, ApiError)
    assert refusal.code is ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_the_records_of_a_request_are_limited_together() -> None:
    replication = new_cluster().replication
    fitting = [NewTopic("a", 4_998, configs=[("retention.ms", "5")]), NewTopic("b", 4_999)]
    assert [type(each) for each in replication.plan_topics(fitting)] == [PlannedTopic] * 2
    with pytest.raises(ApiError, match="Unable to perform excessively large batch") as refusal:
        list(replication.plan_topics([NewTopic("bad name"), *fitting, NewTopic("c")]))
    assert refusal.value.code is ErrorCode.POLICY_VIOLATION
    older = new_cluster("2.8").replication.plan_topics([*fitting, NewTopic("c")])
    assert [type(each) for each in older] == [PlannedTopic] * 3


# Extending


def test_a_topic_grows() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders", replication_factor=2))
    (planned,) = cluster.replication.plan_partitions([MorePartitions("orders", 3)])
    assert isinstance(planned, PlannedPartitions)
    assert len(topic.partitions) == 1
    cluster.replication.add_partitions(planned)
    assert [len(partition.replicas) for partition in topic.partitions] == [2, 2, 2]


def test_a_topic_grows_on_the_requested_brokers() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders", replication_factor=2))
    (planned,) = cluster.replication.plan_partitions([MorePartitions("orders", 2, [[3, 1]])])
    assert isinstance(planned, PlannedPartitions)
    cluster.replication.add_partitions(planned)
    assert topic.partitions[1].replicas == (3, 1)


@pytest.mark.parametrize(
    ("name", "count", "manual", "code", "kraft", "zookeeper"),
    [
        (
            "nope",
            3,
            None,
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "",
            "The topic 'nope' does not exist.",
        ),
        (
            "orders",
            2,
            None,
            ErrorCode.INVALID_PARTITIONS,
            "Topic already has 2 partition(s).",
            "Topic already has 2 partitions.",
        ),
        (
            "orders",
            1,
            None,
            ErrorCode.INVALID_PARTITIONS,
            "The topic orders currently has 2 partition(s); 1 would not be an increase.",
            "Topic currently has 2 partitions, which is higher than the requested 1.",
        ),
        (
            "orders",
            3,
            [],
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "Attempted to add 1 additional partition(s), but only 0 assignment(s) were specified.",
            "Increasing the number of partitions by 1 but 0 assignments provided.",
        ),
        (
            "orders",
            3,
            [[9, 1, 2]],
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes broker 9, but no such broker is registered.",
            "Unknown broker(s) in replica assignment: 9.",
        ),
    ],
)
def test_a_topic_that_cannot_grow_is_refused(
    name: str,
    count: int,
    manual: list[list[int]] | None,
    code: ErrorCode,
    kraft: str,
    zookeeper: str,
) -> None:
    for release, why in (("4.4", kraft), ("2.4", zookeeper)):
        cluster = new_cluster(release)
        cluster.create_topic(NewTopic(name="orders", num_partitions=2))
        (refusal,) = cluster.replication.plan_partitions([MorePartitions(name, count, manual)])
        assert isinstance(refusal, ApiError)
        assert (refusal.code, refusal.why) == (code, why)


@pytest.mark.parametrize(("release", "limit"), [("2.8", 100_000), ("4.4", 10_000)])
def test_a_request_for_too_many_more_partitions_is_refused(release: str, limit: int) -> None:
    cluster = new_cluster(release)
    cluster.create_topic(NewTopic(name="a"))
    cluster.create_topic(NewTopic(name="b", num_partitions=2))
    fitting = [MorePartitions("a", limit), MorePartitions("b", 3), MorePartitions("b", 1)]
    assert grown(cluster, *fitting) == [limit - 1, 1, ErrorCode.INVALID_PARTITIONS]
    with pytest.raises(ApiError, match="Excessively large number of additional") as refusal:
        cluster.replication.check_additional([*fitting, MorePartitions("b", 3)])
    assert refusal.value.code is ErrorCode.POLICY_VIOLATION


def test_kafka_3_9_refuses_the_topics_without_room() -> None:
    cluster = new_cluster("3.9")
    cluster.create_topic(NewTopic(name="a"))
    cluster.create_topic(NewTopic(name="b"))
    wanted = MorePartitions("a", 6_001), MorePartitions("b", 6_001), MorePartitions("b", 2)
    failed = ErrorCode.UNKNOWN_SERVER_ERROR
    assert grown(cluster, *wanted) == [6_000, failed, failed]


def test_a_topic_without_a_name_cannot_grow() -> None:
    codes = [grown(new_cluster(release), MorePartitions("", 2)) for release in ("4.4", "2.4")]
    assert codes == [[ErrorCode.UNKNOWN_TOPIC_OR_PARTITION], [ErrorCode.UNKNOWN_SERVER_ERROR]]


# Deleting


def test_a_deleted_topic_leaves_nothing_behind() -> None:
    cluster = new_cluster()
    before = cluster.as_text().splitlines()[1:]
    topic = cluster.create_topic(NewTopic(name="orders", configs=[("retention.ms", "5")]))
    cluster.log_of(topic.partitions[0], 0)
    cluster.delete_topic(topic)
    assert cluster.as_text().splitlines()[1:] == before
    assert cluster.logs == {}
    again = cluster.create_topic(NewTopic(name="orders"))
    assert again.topic_id != topic.topic_id
    assert again.partitions[0].config.log.retention_ms == 604_800_000
