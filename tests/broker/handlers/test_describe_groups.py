"""DescribeGroups: state, protocol and members."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from tests.state.group.coordinator_building import GROUP, SUBSCRIPTION, stable_group
from tests.support.in_process import Brokers
from tests.support.transactions import new_brokers

NOBODY_ASKED = -(1 << 31)


def describe(brokers: Brokers, version: int, *, asked: bool = False) -> list[DescribedGroup]:
    request = DescribeGroupsRequest(groups=[GROUP, "nobody"], include_authorized_operations=asked)
    return brokers.ask(request, version, DescribeGroupsResponse).groups


@pytest.mark.parametrize("version", range(7))
def test_groups_are_described_in_every_version(version: int) -> None:
    brokers = new_brokers()
    stable_group(brokers.state.group_coordinator(1))
    group, nobody = describe(brokers, version)
    (member,) = group.members
    assert (group.error_code, group.group_id, group.group_state) == (0, GROUP, "Stable")
    assert (group.protocol_type, group.protocol_data) == ("consumer", "range")
    assert (member.member_id, member.client_id) == ("m-1", "client")
    assert (member.client_host, member.group_instance_id) == ("/127.0.0.1", None)
    assert (member.member_metadata, member.member_assignment) == (SUBSCRIPTION, b"assigned")
    if version >= 6:
        assert nobody.error_code == ErrorCode.GROUP_ID_NOT_FOUND
        assert (nobody.group_state, nobody.error_message) == ("Dead", "Group nobody not found.")
    else:
        assert (nobody.error_code, nobody.group_state) == (ErrorCode.NONE, "Dead")


@pytest.mark.parametrize(("release", "operations"), [("2.8", 328), ("4.4", 3400)])
def test_operations_are_listed_on_request(release: str, operations: int) -> None:
    brokers = new_brokers(release=release)
    stable_group(brokers.state.group_coordinator(1))
    assert describe(brokers, 5, asked=True)[0].authorized_operations == operations
    assert describe(brokers, 5)[0].authorized_operations == NOBODY_ASKED


def test_groups_of_other_coordinators_are_refused() -> None:
    brokers = Brokers()
    assert [group.error_code for group in describe(brokers, 5)] == [ErrorCode.NOT_COORDINATOR] * 2
