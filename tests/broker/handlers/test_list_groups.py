"""ListGroups: the groups of a broker."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.broker.handlers.guarded import deny, guarded
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import new_brokers


def brokers_with_a_group() -> Brokers:
    brokers = new_brokers()
    brokers.state.group_coordinator(1).groups.add(ClassicGroup("readers", now_ms=NOW_MS))
    return brokers


@pytest.mark.parametrize("version", range(6))
def test_groups_are_listed_in_every_version(version: int) -> None:
    answer = brokers_with_a_group().ask(ListGroupsRequest(), version, ListGroupsResponse)
    (group,) = answer.groups
    assert (answer.error_code, group.group_id, group.protocol_type) == (0, "readers", "")
    assert group.group_state == ("Empty" if version >= 4 else "")
    assert group.group_type == ("classic" if version >= 5 else "")


def test_filters_are_applied() -> None:
    brokers = brokers_with_a_group()
    for request, count in (
        (ListGroupsRequest(states_filter=["Stable"]), 0),
        (ListGroupsRequest(states_filter=["Empty", "Stable"]), 1),
        (ListGroupsRequest(types_filter=["consumer"]), 0),
    ):
        assert len(brokers.ask(request, 5, ListGroupsResponse).groups) == count


@pytest.mark.parametrize(
    ("release", "code", "count"),
    [("1.1", ErrorCode.CLUSTER_AUTHORIZATION_FAILED, 0), ("2.3", ErrorCode.NONE, 1)],
)
def test_older_releases_list_groups_by_the_right_to_the_cluster_only(
    release: str, code: ErrorCode, count: int
) -> None:
    brokers = Brokers(release=release, configs=guarded(release))
    brokers.state.create_topic(internal_topic(CONSUMER_OFFSETS, brokers.state.configs))
    brokers.state.group_coordinator(1).groups.add(ClassicGroup("readers", now_ms=NOW_MS))
    deny(brokers, AclResource.CLUSTER, operation=AclOperation.DESCRIBE)
    answer = brokers.ask(ListGroupsRequest(), 1, ListGroupsResponse)
    assert (answer.error_code, len(answer.groups)) == (code, count)


def test_while_groups_are_loaded_there_is_no_list() -> None:
    brokers = brokers_with_a_group()
    brokers.state.group_coordinator(1).groups.start_loading(0, 0)
    answer = brokers.ask(ListGroupsRequest(), 5, ListGroupsResponse)
    assert (answer.error_code, answer.groups) == (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, [])
