"""Answers as JSON: every field that the version carries, with placeholders for what varies."""

from collections.abc import Callable, Iterator
from typing import Final, cast
from uuid import UUID

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message, Struct
from tests.conformance.placeholders import NODE_CONFIGS, Placeholders
from tests.conformance.stored import Shown, shown_bytes, shown_records
from tests.conformance.wire import Answer, Nothing

IN_NO_ORDER: Final[dict[str, tuple[str, ...]]] = {
    "AddPartitionsToTxnPartitionResult": ("partition_index",),
    "AddPartitionsToTxnResult": ("transactional_id",),
    "AddPartitionsToTxnTopicResult": ("name",),
    "AlterConfigsResourceResponse": ("resource_type", "resource_name"),
    "AlterReplicaLogDirPartitionResult": ("partition_index",),
    "AlterReplicaLogDirTopicResult": ("topic_name",),
    "AclDescription": ("principal", "host", "operation", "permission_type"),
    "AlterUserScramCredentialsResult": ("user",),
    "DeleteAclsMatchingAcl": ("resource_type", "resource_name", "operation", "permission_type"),
    "DescribeAclsResource": ("resource_type", "resource_name", "pattern_type"),
    "ConfigResource": ("resource_type", "resource_name"),
    "AlterShareGroupOffsetsResponseTopic": ("topic_name",),
    "CreatableTopicConfigs": ("name",),
    "CreatableTopicResult": ("name",),
    "CreatePartitionsTopicResult": ("name",),
    "CredentialInfo": ("mechanism",),
    "DeletableTopicResult": ("name", "topic_id"),
    "DeleteRecordsPartitionResult": ("partition_index",),
    "DeleteRecordsTopicResult": ("name",),
    "DeletableGroupResult": ("group_id",),
    "DescribeClusterBroker": ("broker_id",),
    "DescribedGroup": ("group_id",),
    "DescribedGroupMember": ("member_id",),
    "DescribeConfigsResourceResult": ("name",),
    "DescribeConfigsResult": ("resource_type", "resource_name"),
    "DescribeLogDirsPartition": ("partition_index",),
    "DescribeLogDirsResult": ("log_dir",),
    "DescribeLogDirsTopic": ("name",),
    "DescribeShareGroupOffsetsResponsePartition": ("partition_index",),
    "DescribeShareGroupOffsetsResponseTopic": ("topic_name",),
    "DeleteShareGroupOffsetsResponseTopic": ("topic_name",),
    "DescribeUserScramCredentialsResult": ("user",),
    "EntityData": ("entity_type",),
    "EntryData": ("entity",),
    "EpochEndOffset": ("partition",),
    "FinalizedFeatureKey": ("name",),
    "JoinGroupResponseMember": ("member_id",),
    "ListOffsetsPartitionResponse": ("partition_index",),
    "ListOffsetsTopicResponse": ("name",),
    "ListedGroup": ("group_id",),
    "MetadataResponseBroker": ("node_id",),
    "MetadataResponsePartition": ("partition_index",),
    "MetadataResponseTopic": ("name", "topic_id"),
    "Node": ("node_id",),
    "OffsetCommitResponsePartition": ("partition_index",),
    "OffsetCommitResponseTopic": ("name", "topic_id"),
    "OffsetDeleteResponsePartition": ("partition_index",),
    "OffsetDeleteResponseTopic": ("name",),
    "OffsetFetchResponsePartition": ("partition_index",),
    "OffsetFetchResponsePartitions": ("partition_index",),
    "OffsetFetchResponseTopic": ("name",),
    "OffsetFetchResponseTopics": ("name", "topic_id"),
    "OffsetForLeaderTopicResult": ("topic",),
    "OngoingPartitionReassignment": ("partition_index",),
    "OngoingTopicReassignment": ("name",),
    "PartitionProduceResponse": ("index",),
    "PartitionResponse": ("partition_index",),
    "PartitionResult": ("partition_id",),
    "ProducerState": ("producer_id",),
    "ReassignablePartitionResponse": ("partition_index",),
    "ReassignableTopicResponse": ("name",),
    "ReplicaElectionResult": ("topic",),
    "ReplicaState": ("replica_id",),
    "ResponseEntryData": ("entity",),
    "ShareAcknowledgeTopicResponse": ("topic_id",),
    "ShareFetchableTopicResponse": ("topic_id",),
    "SupportedFeatureKey": ("name",),
    "TopicData": ("topic",),
    "TopicPartition": ("topic_id",),
    "TopicPartitions": ("topic_id",),
    "TopicProduceResponse": ("name", "topic_id"),
    "TopicResponse": ("name",),
    "TransactionState": ("transactional_id",),
    "TxnOffsetCommitResponsePartition": ("partition_index",),
    "TxnOffsetCommitResponseTopic": ("name", "topic_id"),
    "UpdatableFeatureResult": ("feature",),
    "ValueData": ("key",),
    "WritableTxnMarkerPartitionResult": ("partition_index",),
    "WritableTxnMarkerResult": ("producer_id",),
    "WritableTxnMarkerTopicResult": ("name",),
}
"""Lists that Kafka returns in the order of a hash table, with their sort keys."""
NAMED_IN_ORDER_OF: Final[dict[str, tuple[str, ...]]] = {
    "DescribedGroupMember": ("group_instance_id", "member_metadata"),
    "JoinGroupResponseMember": ("group_instance_id", "metadata"),
}
"""Such lists whose items get their placeholders here, with the order of the placeholders."""


PROPOSED: Final = frozenset({"message_format_version", "max_message_bytes"})
"""Tagged fields that no release of Kafka sends, and mockbroker only if enabled: shown when sent."""
VARYING: Final[frozenset[tuple[str, str]]] = frozenset(
    {
        ("ConsumerGroupTargetAssignmentMetadataValue", "assignment_timestamp"),
        ("ShareGroupTargetAssignmentMetadataValue", "assignment_timestamp"),
        ("StreamsGroupTargetAssignmentMetadataValue", "assignment_timestamp"),
        ("Listener", "port"),
        ("ReplicaState", "last_caught_up_timestamp"),
        ("ReplicaState", "last_fetch_timestamp"),
        ("ReplicaState", "log_end_offset"),
        ("ResponsePartitionData", "high_watermark"),
        ("ResponsePartitionData", "leader_epoch"),
        ("DescribeLogDirsResult", "total_bytes"),
        ("DescribeLogDirsResult", "usable_bytes"),
    }
)
"""Numbers that differ in every run, by struct and field; only their presence is shown."""
GIVES_PRODUCER_ID: Final = ("InitProducerIdResponse", "EndTxnResponse")


def shown_answer(answer: Answer, version: int, names: Placeholders) -> Shown:
    """Convert a response, or its absence, to JSON."""
    if isinstance(answer, Nothing):
        return answer.value
    learn(answer, names)
    return _struct(answer, version, names)


def learn(struct: Struct, names: Placeholders) -> None:
    """Record ids that come with a name."""
    topic_id, name = getattr(struct, "topic_id", None), getattr(struct, "name", None)
    if isinstance(topic_id, UUID) and isinstance(name, str):
        names.learn_topic(name, topic_id)
    if isinstance(struct, Message) and isinstance(cluster_id := _of(struct, "cluster_id"), str):
        names.learn_text(cluster_id, "<cluster>")
    if type(struct).__name__ in GIVES_PRODUCER_ID and _of(struct, "producer_id") != -1:
        names.learn_producer(cast("int", _of(struct, "producer_id")))
    for field in struct.FIELDS:
        value = _of(struct, field)
        for each in cast("list[object]", value) if isinstance(value, list) else [value]:
            if isinstance(each, Struct):
                learn(each, names)


def error_codes(struct: Struct) -> Iterator[ErrorCode]:
    """Return every error code of a response, at any level."""
    for name in struct.FIELDS:
        value = _of(struct, name)
        if name in {"error_code", "partition_error_code"}:
            yield ErrorCode(cast("int", value))
        for each in cast("list[object]", value) if isinstance(value, list) else [value]:
            if isinstance(each, Struct):
                yield from error_codes(each)


def _of(struct: Struct, field: str) -> object:
    return getattr(struct, field, None)


def _struct(struct: Struct, version: int, names: Placeholders) -> dict[str, Shown]:
    fields = {
        name: _value(name, _of(struct, name), version, names)
        for name, field in struct.FIELDS.items()
        if version in field.versions and not (name in PROPOSED and _of(struct, name) == -1)
    }
    kind = type(struct).__name__
    fields |= {name: "<some>" for name, value in fields.items() if _varies(kind, name, value)}
    if kind == "ResponsePartitionData":
        fields["leader_id"] = names.controller(cast("int", fields["leader_id"]))
    if kind.startswith("DescribeConfigs") and fields.get("name") in NODE_CONFIGS:
        fields["value"] = NODE_CONFIGS[cast("str", fields["name"])]
    return fields


def _varies(kind: str, name: str, value: Shown) -> bool:
    return (kind, name) in VARYING and isinstance(value, int | str) and value not in {-1, 0}


def _value(name: str, value: object, version: int, names: Placeholders) -> Shown:
    if name in BY_NAME:
        return BY_NAME[name](value, names)
    if isinstance(value, UUID):
        return names.uuid(value)
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, bytes):
        return shown_bytes(value)
    if isinstance(value, Struct):
        return _struct(value, version, names)
    if isinstance(value, list):
        items = _in_order_of_names(cast("list[object]", value))
        shown = [_value("", item, version, names) for item in items]
        if name == "partitions" and items and isinstance(items[0], int):
            shown.sort(key=str)  # of a described transaction: a set
        if items and (keys := IN_NO_ORDER.get(type(items[0]).__name__)) is not None:
            shown.sort(key=lambda item: [_sortable(item, key) for key in keys])
        return shown
    assert value is None or isinstance(value, bool | int | float), (name, value)
    return value


def _in_order_of_names(items: list[object]) -> list[object]:
    keys = NAMED_IN_ORDER_OF.get(type(items[0]).__name__) if items else None
    if keys is None:
        return items
    return sorted(items, key=lambda item: [str(getattr(item, key)) for key in keys])


def _sortable(item: Shown, key: str) -> str:
    assert isinstance(item, dict)
    return str(item.get(key)).zfill(6)


def _error(value: object, _names: Placeholders) -> Shown:
    return ErrorCode(cast("int", value)).name


def _time(value: object, names: Placeholders) -> Shown:
    return names.time(cast("int", value))


def _prose(value: object, _names: Placeholders) -> Shown:
    return "<text>" if value else cast("Shown", value)


BY_NAME: Final[dict[str, Callable[[object, Placeholders], Shown]]] = {
    "cluster_id": lambda value, _names: None if value is None else "<cluster>",
    "controller_id": lambda value, names: names.controller(cast("int", value)),
    "documentation": _prose,
    "error_code": _error,
    "finalized_features_epoch": lambda value, _names: -1 if value == -1 else "<some>",
    "last_timestamp": _time,
    "log_append_time_ms": _time,
    "metadata_hash": lambda value, names: names.topics_hash(cast("int", value)),
    "ongoing_txn_producer_id": lambda value, names: names.producer(cast("int", value)),
    "partition_error_code": _error,
    "port": lambda value, names: names.port(cast("int", value)),
    "producer_id": lambda value, names: names.producer(cast("int", value)),
    "records": lambda value, names: shown_records(cast("bytes | None", value), names),
    "session_id": lambda value, names: names.session(cast("int", value)),
    "timestamp": _time,
    "topic_config_error_code": _error,
    "transaction_start_time_ms": _time,
}
"""Fields that are shown by their meaning and not by their type."""
