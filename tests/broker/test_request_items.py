"""Items of requests, found by the declarations of their fields."""

from typing import Any, Final
from uuid import UUID

import pytest

from mockbroker.broker.request_items import Item, items_of, subset
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from mockbroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.schema.message import Message
from tests.protocol.golden.stored import recorded, value_of
from tests.support.faults import produce_to

ORDERS_ID: Final = UUID(int=7)

PARTITIONS: Final = {
    "Produce", "Fetch", "ListOffsets", "OffsetCommit", "OffsetFetch", "DeleteRecords",
    "OffsetForLeaderEpoch", "AddPartitionsToTxn", "WriteTxnMarkers", "TxnOffsetCommit",
    "AlterReplicaLogDirs", "DescribeLogDirs", "ElectLeaders", "AlterPartitionReassignments",
    "ListPartitionReassignments", "OffsetDelete", "DescribeQuorum", "DescribeProducers",
    "ShareFetch", "ShareAcknowledge", "InitializeShareGroupState", "ReadShareGroupState",
    "WriteShareGroupState", "DeleteShareGroupState", "ReadShareGroupStateSummary",
    "DescribeShareGroupOffsets", "AlterShareGroupOffsets",
}  # fmt: skip
TOPICS: Final = {
    "Metadata", "CreateTopics", "DeleteTopics", "CreatePartitions", "DescribeTopicPartitions",
}  # fmt: skip
TRANSACTIONAL_IDS: Final = {
    "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "TxnOffsetCommit",
    "DescribeTransactions",
}  # fmt: skip
GROUPS: Final = {
    "OffsetCommit", "OffsetFetch", "JoinGroup", "Heartbeat", "LeaveGroup", "SyncGroup",
    "DescribeGroups", "DeleteGroups", "AddOffsetsToTxn", "TxnOffsetCommit", "OffsetDelete",
    "ConsumerGroupHeartbeat", "StreamsGroupHeartbeat", "ShareGroupHeartbeat", "ShareFetch",
    "ShareAcknowledge", "InitializeShareGroupState", "ReadShareGroupState", "WriteShareGroupState",
    "DeleteShareGroupState", "ReadShareGroupStateSummary", "DescribeShareGroupOffsets",
    "AlterShareGroupOffsets", "DeleteShareGroupOffsets",
}  # fmt: skip


def topic_name(topic_id: UUID) -> str | None:
    return "orders" if topic_id == ORDERS_ID else None


def named(request: Message, version: int) -> list[dict[str, object]]:
    return [dict(item.named) for item in items_of(request, version, topic_name)]


def recorded_selectors() -> dict[str, set[str]]:
    """Return the selectors of the items of all recorded requests, by API."""
    found: dict[str, set[str]] = {}
    for row in recorded():
        if not row.message.endswith("Request") or row.release != "4.4.0":
            continue
        title = row.message.removesuffix("Request")
        api_key = next((key for key in ApiKey if key.title == title), None)
        if api_key is None:
            continue
        request = value_of(request_type(api_key), row.version, row.value)
        for item in items_of(request, row.version, lambda _id: "by-id"):
            found.setdefault(title, set()).update(item.named)
    return found


SELECTORS: Final = recorded_selectors()


@pytest.mark.parametrize(
    ("selector", "titles"),
    [
        ("partition", PARTITIONS),
        ("topic", PARTITIONS | TOPICS),
        ("transactional_id", TRANSACTIONAL_IDS),
        ("group", GROUPS),
    ],
)
def test_recorded_requests_have_the_selectors_of_their_apis(
    selector: str, titles: set[str]
) -> None:
    assert {title for title in titles if selector not in SELECTORS[title]} == set()


def test_a_request_without_a_list_is_one_item() -> None:
    request = EndTxnRequest(transactional_id="mine", producer_id=7, producer_epoch=1)
    (item,) = items_of(request, 3, topic_name)
    assert item == Item((), {"transactional_id": "mine", "producer_id": 7, "producer_epoch": 1})


def test_a_partition_is_named_with_its_topic_and_its_batch() -> None:
    batch = build_batch(
        [Record(offset=0, timestamp=1, key=None, value=b"v")],
        producer_id=8,
        producer_epoch=2,
        base_sequence=5,
    )
    request = ProduceRequest(
        transactional_id="mine",
        acks=-1,
        timeout_ms=1,
        topic_data=[
            TopicProduceData(
                topic_id=ORDERS_ID,
                partition_data=[
                    PartitionProduceData(index=3, records=batch),
                    PartitionProduceData(index=4, records=None),
                ],
            )
        ],
    )
    of_both = {"transactional_id": "mine", "topic": "orders"}
    assert named(request, 13) == [
        {**of_both, "partition": 3, "producer_id": 8, "producer_epoch": 2, "base_sequence": 5},
        {**of_both, "partition": 4},
    ]


def test_a_batch_without_a_producer_names_none() -> None:
    assert named(produce_to(1), 9) == [
        {"transactional_id": None, "topic": "orders", "partition": 1}
    ]


def test_each_transaction_has_its_own_items() -> None:
    request = AddPartitionsToTxnRequest(
        transactions=[
            AddPartitionsToTxnTransaction(
                transactional_id=name,
                producer_id=number,
                producer_epoch=0,
                topics=[AddPartitionsToTxnTopic(name="orders", partitions=[number])],
            )
            for number, name in enumerate(("mine", "yours"))
        ]
    )
    names = [(n["transactional_id"], n["producer_id"], n["partition"]) for n in named(request, 4)]
    assert names == [("mine", 0, 0), ("yours", 1, 1)]


def test_versions_before_four_name_their_one_transaction() -> None:
    request = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id="mine",
        v3_and_below_producer_id=7,
        v3_and_below_producer_epoch=1,
        v3_and_below_topics=[AddPartitionsToTxnTopic(name="orders", partitions=[2])],
    )
    assert named(request, 3) == [
        {
            "transactional_id": "mine",
            "producer_id": 7,
            "producer_epoch": 1,
            "topic": "orders",
            "partition": 2,
        }
    ]


@pytest.mark.parametrize(("key_type", "selector"), [(0, "group"), (1, "transactional_id")])
def test_a_coordinators_key_depends_on_its_type(key_type: int, selector: str) -> None:
    old = FindCoordinatorRequest(key="mine", key_type=key_type)
    new = FindCoordinatorRequest(coordinator_keys=["mine", "yours"], key_type=key_type)
    assert named(old, 3) == [{selector: "mine"}]
    assert named(new, 4) == [{selector: "mine"}, {selector: "yours"}]


def test_a_config_resource_is_a_topic_or_a_group_by_its_type() -> None:
    resources = [
        DescribeConfigsResource(resource_type=kind, resource_name="1") for kind in (2, 4, 32)
    ]
    assert named(DescribeConfigsRequest(resources=resources), 4) == [
        {"topic": "1"},
        {},
        {"group": "1"},
    ]


def test_assignments_and_configs_of_a_topic_are_no_items() -> None:
    topic = CreatableTopic(
        name="orders",
        assignments=[CreatableReplicaAssignment(partition_index=0, broker_ids=[1])],
        configs=[CreatableTopicConfig(name="retention.ms", value="1")],
    )
    assert named(CreateTopicsRequest(topics=[topic]), 7) == [{"topic": "orders"}]


def test_a_subset_has_only_the_chosen_items() -> None:
    request = OffsetFetchRequest(
        groups=[
            OffsetFetchRequestGroup(
                group_id=group,
                topics=[OffsetFetchRequestTopics(name="orders", partition_indexes=[0, 1])],
            )
            for group in ("mine", "yours")
        ]
    )
    chosen = [
        item.path
        for item in items_of(request, 9, topic_name)
        if item.named == {"group": "yours", "topic": "orders", "partition": 1}
    ]
    assert len(chosen) == 1
    (group,) = subset(request, chosen).groups
    assert group.topics
    (topic,) = group.topics
    assert (group.group_id, topic.partition_indexes) == ("yours", [1])
    assert len(request.groups) == 2
    assert request.groups[1].topics
    assert request.groups[1].topics[0].partition_indexes == [0, 1]


def test_a_subset_has_the_other_fields_of_the_request() -> None:
    request: Any = produce_to(0, 1)
    items = items_of(request, 9, topic_name)
    kept = subset(request, [items[1].path])
    assert (kept.acks, kept.timeout_ms) == (request.acks, request.timeout_ms)
    assert kept.topic_data[0].partition_data == [request.topic_data[0].partition_data[1]]
