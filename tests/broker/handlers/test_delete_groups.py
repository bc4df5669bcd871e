"""DeleteGroups deletes groups without members."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from tests.state.group.coordinator_building import GROUP, commit, offset, stable_group
from tests.support.transactions import new_brokers


@pytest.mark.parametrize("version", range(4))
def test_groups_are_deleted_in_every_version(version: int) -> None:
    brokers = new_brokers()
    coordinator = brokers.state.group_coordinator(1)
    stable_group(coordinator)
    commit(coordinator, offset(5, group_id="simple"))
    request = DeleteGroupsRequest(groups_names=[GROUP, "simple", "nobody", "simple"])
    answer = brokers.ask(request, version, DeleteGroupsResponse)
    assert [(each.group_id, each.error_code) for each in answer.results] == [
        (GROUP, ErrorCode.NON_EMPTY_GROUP),
        ("simple", ErrorCode.NONE),
        ("nobody", ErrorCode.GROUP_ID_NOT_FOUND),
    ]
    assert coordinator.groups.find("simple") is None
    assert coordinator.groups.find(GROUP) is not None
    assert [each.error_message for each in answer.results] == [None] * 3
