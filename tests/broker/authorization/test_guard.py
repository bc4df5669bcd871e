"""Requests of clients without rights are refused, as a whole or in part; nothing else changes."""

from uuid import UUID

import pytest

from mockbroker.broker.api_table import routes
from mockbroker.broker.authorization import guard
from mockbroker.broker.authorization.guard import guarded_routes
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.messages.read_share_group_state import (
    PartitionData,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateData,
)
from mockbroker.state.security.acl import (
    AclFilter,
    AclOperation,
    AclResource,
    Permission,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.broker.handlers.guarded import GUARDED, deny, guarded
from tests.conformance.batches import Producer, plain
from tests.support.broker_calls import Scene
from tests.support.in_process import NOW_MS, Brokers


def brokers_denying(
    resource_type: AclResource = AclResource.TOPIC,
    name: str = "closed",
    operation: AclOperation = AclOperation.ALL,
    *,
    release: str = "4.4",
) -> Brokers:
    brokers = Brokers(release=release, topics={"open": 1, "closed": 1}, configs=guarded(release))
    deny(brokers, resource_type, name, operation)
    return brokers


def produce(*topics: str, acks: int = -1) -> ProduceRequest:
    partition = PartitionProduceData(index=0, records=plain(b"v", at_ms=NOW_MS))
    return ProduceRequest(
        acks=acks,
        timeout_ms=1000,
        topic_data=[TopicProduceData(name=name, partition_data=[partition]) for name in topics],
    )


def codes(answer: ProduceResponse) -> dict[str, int]:
    return {
        topic.name: partition.error_code
        for topic in answer.responses
        for partition in topic.partition_responses
    }


def test_the_allowed_part_of_a_request_is_handled() -> None:
    brokers = brokers_denying()
    answer = brokers.ask(produce("open", "closed"), 9, ProduceResponse)
    assert codes(answer) == {
        "open": ErrorCode.NONE,
        "closed": ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    }
    assert brokers.log_bytes("open")
    assert not brokers.log_bytes("closed")


def test_a_request_without_any_allowed_part_is_not_handled() -> None:
    brokers = brokers_denying()
    answer = brokers.ask(produce("closed"), 9, ProduceResponse)
    assert codes(answer) == {"closed": ErrorCode.TOPIC_AUTHORIZATION_FAILED}
    assert not brokers.log_bytes("closed")


def test_the_fast_path_knows_no_rights_and_is_not_taken() -> None:
    brokers = brokers_denying()
    brokers.ask(produce("open"), 9, ProduceResponse)
    assert brokers.fast_answers == 0


def test_without_acks_a_denied_topic_closes_the_connection() -> None:
    peer = brokers_denying().connect()
    peer.send(produce("open", "closed", acks=0), 9)
    assert peer.is_hung_up


@pytest.mark.parametrize(("acks", "ends"), [(-1, False), (0, False), (0, True)])
def test_the_allowed_part_may_wait_for_an_answer_between_brokers(acks: int, ends: bool) -> None:
    scene = Scene(HoldResponse(), configs=GUARDED)
    brokers, producer = scene.brokers, scene.producer
    brokers.state.create_topic(NewTopic(name="closed", num_partitions=1, replication_factor=1))
    deny(brokers, AclResource.TOPIC, "closed")
    request = producer.request(0, producer.batch())
    request.acks = acks
    request.topic_data += producer.request(0, producer.batch(), "closed").topic_data
    peer = brokers.connect(scene.leader_id)
    peer.send(request, producer.produce_version)
    brokers.loop.run()
    assert (len(peer.transport.written), peer.is_hung_up) == (0, False)
    if ends:
        producer.end(committed=False)
    scene.release()
    assert scene.end == 1  # the batch, or the marker
    if acks:
        answer = peer.receive(ApiKey.PRODUCE, producer.produce_version, ProduceResponse)
        assert codes(answer) == {
            "orders": ErrorCode.NONE,
            "closed": ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        }
    assert peer.is_hung_up is (acks == 0)


def test_a_right_has_effect_at_once() -> None:
    brokers = brokers_denying(AclResource.GROUP, "g", AclOperation.READ)
    authorizer = brokers.state.authorizer
    assert authorizer is not None
    request = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
    denied = brokers.ask(request, 4, HeartbeatResponse)
    assert denied.error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    (acl,) = authorizer.acls.of_resource(AclResource.GROUP, "g")
    allowing = acl._replace(permission=Permission.ALLOW)
    authorizer.acls.add(allowing)
    assert brokers.ask(request, 4, HeartbeatResponse).error_code == denied.error_code
    authorizer.acls.remove(AclFilter(permission=Permission.DENY))
    assert brokers.ask(request, 4, HeartbeatResponse).error_code == ErrorCode.NOT_COORDINATOR


def test_an_authorizer_leaves_all_apis_of_a_release_served() -> None:
    listed = [
        {each.api_key for each in answer.api_keys}
        for answer in (
            Brokers(configs=configs).ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
            for configs in ({}, GUARDED)
        )
    ]
    assert listed[0] == listed[1]


def test_apis_whose_rights_are_not_checked_are_not_served_with_an_authorizer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "AUTHORIZED_APIS", frozenset({ApiKey.PRODUCE}))
    known = routes()
    keys = (ApiKey.PRODUCE, ApiKey.FETCH)
    assert list(guarded_routes({key: known[key] for key in keys})) == [ApiKey.PRODUCE]


def test_refused_share_states_name_a_topic_for_each_partition() -> None:
    brokers = brokers_denying(AclResource.CLUSTER, "kafka-cluster", AclOperation.CLUSTER_ACTION)
    asked = {UUID(int=1): [0, 3], UUID(int=2): [0]}
    topics = [
        ReadStateData(topic_id=topic_id, partitions=[PartitionData(partition=n) for n in some])
        for topic_id, some in asked.items()
    ]
    request = ReadShareGroupStateRequest(group_id="g", topics=topics)
    answer = brokers.ask(request, 0, ReadShareGroupStateResponse)
    assert [
        (topic.topic_id, [(each.partition, each.error_code) for each in topic.partitions])
        for topic in answer.results
    ] == [
        (topic_id, [(each, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)])
        for topic_id, partitions in asked.items()
        for each in partitions
    ]


@pytest.mark.parametrize(
    ("release", "refused_from"), [("1.1", 3), ("2.4", 0), ("2.8", None), ("4.4", None)]
)
def test_older_releases_need_a_right_to_idempotent_batches(
    release: str, refused_from: int | None
) -> None:
    cluster, write = AclResource.CLUSTER, AclOperation.IDEMPOTENT_WRITE
    records = plain(b"v", at_ms=NOW_MS, producer=Producer(7))
    for version in (0, 3) if release != "4.4" else (3,):
        brokers = brokers_denying(cluster, "kafka-cluster", write, release=release)
        partition = PartitionProduceData(index=0, records=records)
        topic = TopicProduceData(name="open", partition_data=[partition])
        request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic])
        is_refused = refused_from is not None and version >= refused_from
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED if is_refused else ErrorCode.NONE
        assert codes(brokers.ask(request, version, ProduceResponse)) == {"open": code}
        assert bool(brokers.log_bytes("open")) is not is_refused


@pytest.mark.parametrize(
    ("release", "epoch", "some_topic_is_enough"),
    [("1.1", 0, False), ("2.4", -1, False), ("2.8", -1, True)],
)
def test_older_releases_give_producer_ids_by_the_right_to_the_cluster_only(
    release: str, epoch: int, some_topic_is_enough: bool
) -> None:
    cluster, write = AclResource.CLUSTER, AclOperation.IDEMPOTENT_WRITE
    brokers = brokers_denying(cluster, "kafka-cluster", write, release=release)
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1000)
    answer = brokers.ask(request, 0, InitProducerIdResponse)
    assert (answer.error_code == ErrorCode.NONE) is some_topic_is_enough
    assert answer.producer_epoch == (0 if some_topic_is_enough else epoch)


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("1.1", None),
        ("2.3", "Not authorized to access group: Group authorization failed."),
        ("2.4", "Group authorization failed."),
    ],
)
def test_the_message_for_a_group_that_may_not_be_found(release: str, message: str | None) -> None:
    brokers = brokers_denying(AclResource.GROUP, "g", release=release)
    request = FindCoordinatorRequest(key="g", key_type=0)
    answer = brokers.ask(request, 1, FindCoordinatorResponse)
    assert (answer.error_code, answer.error_message) == (
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        message,
    )


def test_older_releases_refuse_new_topics_without_the_right_to_the_cluster() -> None:
    cluster, create = AclResource.CLUSTER, AclOperation.CREATE
    brokers = brokers_denying(cluster, "kafka-cluster", create, release="1.1")
    topics = [CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in "ab"]
    answer = brokers.ask(CreateTopicsRequest(topics=topics), 1, CreateTopicsResponse)
    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert [(each.error_code, each.error_message) for each in answer.topics] == [(code, None)] * 2
