import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.named_configs import GROUP
from mockbroker.state.group.streams.streams_answer import with_locked_topics
from mockbroker.state.group.streams.streams_group_member import UserEndpoint
from mockbroker.state.group.streams.topics.configured_topology import Status, StatusCode
from tests.state.group.streams.streams_building import APP, Streams, cluster_of, tasks

HERE = UserEndpoint("here", 1)


def test_tasks_are_listed_when_they_change() -> None:
    cluster = cluster_of(orders=1)
    one = Streams(cluster)
    assert one.join().assigned is not None
    assert one.beat(tasks(0)).assigned is None
    assert one.join().assigned is not None


def test_endpoints_are_listed_for_members_that_do_not_know_them() -> None:
    cluster = cluster_of(orders=1)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join(user_endpoint=HERE)
    joined = two.join(endpoint_epoch=5)
    assert joined.endpoints is not None
    assert [each.endpoint for each in joined.endpoints] == [HERE]
    assert two.beat({}, endpoint_epoch=joined.endpoint_epoch).endpoints is None


def test_an_endpoint_is_too_early_before_the_topics_are_there() -> None:
    with pytest.raises(ApiError) as refused:
        Streams(cluster_of()).join(user_endpoint=HERE)
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_requested_shutdown_is_told_to_all() -> None:
    cluster = cluster_of(orders=2)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join()
    two.join()
    two.beat({}, shutdown_application=True)
    (status,) = one.beat({}, shutdown_application=True).statuses
    assert (status.code, "member b" in status.detail) == (StatusCode.SHUTDOWN_APPLICATION, True)


@pytest.mark.parametrize(("api_version", "codes"), [(0, []), (1, [StatusCode.MISSING_CLIENT_TAGS])])
def test_missing_tags_are_told_from_v1(api_version: int, codes: list[StatusCode]) -> None:
    cluster = cluster_of(orders=1)
    tags = {"streams.rack.aware.assignment.tags": "zone"}
    cluster.configs.set_named_overrides(GROUP, APP, tags)
    one = Streams(cluster)
    assert [each.code for each in one.join(api_version=api_version).statuses] == codes
    assert not one.beat({}, client_tags={"zone": "z"}).statuses


def test_why_internal_topics_are_not_created_is_added_to_their_status() -> None:
    stale = Status(StatusCode.STALE_TOPOLOGY, "stale")
    missing = Status(StatusCode.MISSING_INTERNAL_TOPICS, "missing")
    assert [each.detail for each in with_locked_topics([stale, missing], "locked")] == [
        "stale",
        "missing; locked",
    ]
    added = with_locked_topics([stale], "locked")
    assert added == (stale, Status(StatusCode.MISSING_INTERNAL_TOPICS, "locked"))
