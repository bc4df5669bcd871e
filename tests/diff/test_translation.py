"""Names of scripts on a foreign broker, and back."""

import pytest

from mockbroker.diff.translation import Translation, asks_for_all
from mockbroker.protocol.messages.alter_configs import AlterConfigsRequest, AlterConfigsResource
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from mockbroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from mockbroker.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.protocol.messages.list_groups import ListGroupsRequest
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

TOPIC, BROKER, GROUP = 2, 4, 32


def translation(**fields: object) -> Translation:
    return Translation(prefix="run-", **fields)  # type: ignore[arg-type]


def created(name: str, *brokers: int, config: str = "retention.ms") -> CreateTopicsRequest:
    assignments = [CreatableReplicaAssignment(partition_index=0, broker_ids=list(brokers))]
    configs = [CreatableTopicConfig(name=config, value="dead")]
    return CreateTopicsRequest(
        topics=[CreatableTopic(name=name, assignments=assignments, configs=configs)]
    )


def test_a_request_has_the_names_of_the_run_and_keeps_its_own() -> None:
    request = created("orders", 1)
    assert translation().request(request) == created("run-orders", 1)
    assert request == created("orders", 1)


@pytest.mark.parametrize("name", ["", " ", ".", "..", "__consumer_offsets"])
def test_what_names_nothing_of_the_script_stays(name: str) -> None:
    assert translation().outer(name) == name


def test_a_long_name_keeps_its_length_and_is_found_again() -> None:
    names = translation()
    for length in (249, 250):
        outer = names.outer("a" * length)
        assert len(outer) == length
        assert outer.startswith("run-")
        assert names.inner(f"'{outer}' is too long") == f"'{'a' * length}' is too long"


def test_groups_are_named_like_topics() -> None:
    request = translation().request(DescribeGroupsRequest(groups=["a", ""]))
    assert request.groups == ["run-a", ""]


@pytest.mark.parametrize(
    ("expression", "outer"),
    [("red-.*", "run-red-.*"), ("a|b", "run-(?:a|b)"), ("*a", "run-(?:*a)"), ("", "")],
)
def test_an_expression_matches_the_same_names(expression: str, outer: str) -> None:
    names = translation()
    request = ConsumerGroupHeartbeatRequest(group_id="g", subscribed_topic_regex=expression)
    assert names.request(request).subscribed_topic_regex == outer
    assert names.inner(outer) == expression


def test_a_broker_is_number_1_for_the_script() -> None:
    names = translation(broker=7, host="kafka.example")
    assert names.request(created("t", 1, 7)) == created("run-t", 7, 1)
    answer = MetadataResponse(
        brokers=[MetadataResponseBroker(node_id=7, host="kafka.example", port=9092)],
        controller_id=7,
        topics=[
            MetadataResponseTopic(
                name="run-t",
                partitions=[
                    MetadataResponsePartition(leader_id=7, replica_nodes=[7, 1], isr_nodes=[7])
                ],
            )
        ],
    )
    asked = MetadataRequest(topics=[MetadataRequestTopic(name="t")])
    got = names.answer(answer, asked)
    assert (got.brokers[0].node_id, got.brokers[0].host, got.controller_id) == (1, "127.0.0.1", 1)
    assert got.topics[0].name == "t"
    assert got.topics[0].partitions[0].replica_nodes == [1, 7]


def altered(kind: int, name: str) -> AlterConfigsRequest:
    return AlterConfigsRequest(
        resources=[AlterConfigsResource(resource_type=kind, resource_name=name)]
    )


def test_resources_are_named_by_their_type_and_groups_are_remembered() -> None:
    names = translation(broker=7)
    assert names.request(altered(TOPIC, "t")) == altered(TOPIC, "run-t")
    assert names.request(altered(BROKER, "1")) == altered(BROKER, "7")
    assert names.request(altered(BROKER, "")) == altered(BROKER, "")
    assert not names.made
    assert names.request(altered(GROUP, "g")) == altered(GROUP, "run-g")
    assert names.made == {(GROUP, "run-g")}


def test_a_config_that_names_a_topic_is_translated() -> None:
    config = "errors.deadletterqueue.topic.name"
    request = translation().request(created("t", 1, config=config))
    assert request.topics[0].configs[0].value == "run-dead"


def listed(*names: str) -> MetadataResponse:
    return MetadataResponse(topics=[MetadataResponseTopic(name=name) for name in names])


def test_what_belongs_to_others_is_left_out_where_all_is_asked_for() -> None:
    names = translation(existing=frozenset({"theirs"}))
    everything = MetadataRequest(topics=None)
    assert names.answer(listed("theirs", "run-mine", "new"), everything) == listed("mine", "new")
    assert names.answer(listed("theirs"), None) == listed()
    named = MetadataRequest(topics=[MetadataRequestTopic(name="theirs")])
    assert names.answer(listed("theirs"), named) == listed("theirs")


def test_only_listings_ask_for_all() -> None:
    assert asks_for_all(ListGroupsRequest())
    assert asks_for_all(MetadataRequest(topics=None))
    assert not asks_for_all(MetadataRequest(topics=[MetadataRequestTopic(name="t")]))
    assert not asks_for_all(DescribeGroupsRequest(groups=[]))


def test_the_host_of_a_member_is_that_of_the_recordings() -> None:
    members = [DescribedGroupMember(member_id="m", client_host="/10.0.0.7", member_metadata=b"x")]
    answer = DescribeGroupsResponse(groups=[DescribedGroup(group_id="run-g", members=members)])
    got = translation().answer(answer, DescribeGroupsRequest(groups=["g"]))
    assert got.groups[0].group_id == "g"
    assert got.groups[0].members[0].client_host == "/127.0.0.1"
    assert got.groups[0].members[0].member_metadata == b"x"
