"""StreamsGroupDescribe, over the request path."""

from typing import Any

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.streams_group_describe import (
    DescribedGroup,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from mockbroker.protocol.messages.streams_group_heartbeat import (
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatResponse,
)
from mockbroker.state.security.acl import AclResource
from tests.broker.handlers.guarded import GUARDED, deny
from tests.broker.handlers.streams_requests import brokers_with_groups, join


def describe(brokers: Any, *groups: str, full: bool = False) -> list[DescribedGroup]:
    request = StreamsGroupDescribeRequest(group_ids=list(groups), include_topology_description=full)
    answer = brokers.ask(request, 1, StreamsGroupDescribeResponse)
    assert isinstance(answer, StreamsGroupDescribeResponse)
    return list(answer.groups)


def test_a_group_is_described_with_its_members() -> None:
    brokers = brokers_with_groups()
    request = join("log")
    brokers.ask(request, 1, StreamsGroupHeartbeatResponse)
    brokers.state.run_pending(0)
    request.user_endpoint = Endpoint(host="here", port=1)
    request.client_tags = [KeyValue(key="zone", value="z")]
    for _ in range(2):
        brokers.ask(request, 1, StreamsGroupHeartbeatResponse)
    (found,) = describe(brokers, "g", full=True)
    assert (found.group_state, found.assignor_name) == ("Assigning", "sticky")
    assert found.topology_description_status == 1
    assert found.topology is not None
    assert found.topology.subtopologies is not None
    (subtopology,) = found.topology.subtopologies
    assert [topic.partitions for topic in subtopology.state_changelog_topics] == [3]
    (member,) = found.members
    assert (member.member_id, member.process_id) == ("m", "p")
    assert member.user_endpoint is not None
    assert [tag.value for tag in member.client_tags] == ["z"]


def test_a_topology_without_its_topics_is_described_as_it_was_sent() -> None:
    brokers = brokers_with_groups()
    brokers.ask(join(source="none"), 1, StreamsGroupHeartbeatResponse)
    (found,) = describe(brokers, "g")
    assert found.group_state == "NotReady"
    assert found.topology_description_status == 0


def test_groups_that_are_not_there() -> None:
    missing, nameless = describe(brokers_with_groups(), "none", "")
    assert missing.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert nameless.error_code == ErrorCode.INVALID_GROUP_ID


def test_a_group_with_a_topic_that_the_client_may_not_describe_is_hidden() -> None:
    brokers = brokers_with_groups(configs=GUARDED)
    brokers.ask(join("log"), 1, StreamsGroupHeartbeatResponse)
    deny(brokers, AclResource.TOPIC, "log")
    (group,) = describe(brokers, "g")
    assert (group.error_code, group.topology) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)


def test_the_feature_can_be_turned_off() -> None:
    (refused,) = describe(brokers_with_groups(features={"streams.version": 0}), "g")
    assert refused.error_code == ErrorCode.UNSUPPORTED_VERSION
