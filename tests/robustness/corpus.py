"""Good requests of every API in every version that is served, to be spoiled."""

from collections.abc import Iterator
from typing import Any, Final

from mockbroker.broker.api_table import Route
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from mockbroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from mockbroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from mockbroker.protocol.messages.init_producer_id import InitProducerIdRequest
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.list_transactions import ListTransactionsRequest
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from tests.support.in_process import Brokers, frame_of
from tests.support.requests import batch_of, fetch, produce

TOPIC: Final = "orders"


def good_requests(topic_id: Uuid) -> dict[ApiKey, Message]:
    """Return requests with contents, for APIs whose empty request covers little."""
    return {
        ApiKey.PRODUCE: produce(TOPIC, topic_id=topic_id, records=batch_of(b"a", b"b" * 100)),
        ApiKey.FETCH: fetch(TOPIC, topic_id=topic_id, max_wait_ms=10),
        ApiKey.LIST_OFFSETS: ListOffsetsRequest(
            replica_id=-1,
            topics=[
                ListOffsetsTopic(
                    name=TOPIC, partitions=[ListOffsetsPartition(partition_index=0, timestamp=-1)]
                )
            ],
        ),
        ApiKey.METADATA: MetadataRequest(
            topics=[MetadataRequestTopic(name=TOPIC)], allow_auto_topic_creation=False
        ),
        ApiKey.CREATE_TOPICS: CreateTopicsRequest(
            topics=[CreatableTopic(name="new", num_partitions=1, replication_factor=1)],
            timeout_ms=1000,
            validate_only=True,
        ),
        ApiKey.DELETE_TOPICS: DeleteTopicsRequest(
            topics=[DeleteTopicState(name="no-such-topic")],
            topic_names=["no-such-topic"],
            timeout_ms=1000,
        ),
        ApiKey.DELETE_RECORDS: DeleteRecordsRequest(
            topics=[
                DeleteRecordsTopic(
                    name=TOPIC, partitions=[DeleteRecordsPartition(partition_index=0, offset=0)]
                )
            ],
            timeout_ms=1000,
        ),
        ApiKey.DESCRIBE_CONFIGS: DescribeConfigsRequest(
            resources=[
                DescribeConfigsResource(
                    resource_type=2, resource_name=TOPIC, configuration_keys=["cleanup.policy"]
                )
            ]
        ),
    }


def transactional_requests(topic_id: Uuid) -> dict[ApiKey, Message]:
    """Give requests of one transactional producer; whether they are in time is left to chance."""
    who: dict[str, Any] = {"transactional_id": "mine", "producer_id": 0, "producer_epoch": 0}
    marked = WritableTxnMarkerTopic(name=TOPIC, partition_indexes=[0])
    added = AddPartitionsToTxnTopic(name=TOPIC, partitions=[0])
    offset = TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=1)
    return {
        ApiKey.FIND_COORDINATOR: FindCoordinatorRequest(
            key="mine", key_type=1, coordinator_keys=["mine"]
        ),
        ApiKey.INIT_PRODUCER_ID: InitProducerIdRequest(
            transactional_id="mine", transaction_timeout_ms=1000
        ),
        ApiKey.ADD_PARTITIONS_TO_TXN: AddPartitionsToTxnRequest(
            transactions=[AddPartitionsToTxnTransaction(**who, topics=[added])],
            **{f"v3_and_below_{name}": value for name, value in who.items()},
            v3_and_below_topics=[added],
        ),
        ApiKey.ADD_OFFSETS_TO_TXN: AddOffsetsToTxnRequest(**who, group_id="readers"),
        ApiKey.END_TXN: EndTxnRequest(**who, committed=True),
        ApiKey.WRITE_TXN_MARKERS: WriteTxnMarkersRequest(
            markers=[WritableTxnMarker(producer_id=0, topics=[marked])]
        ),
        ApiKey.TXN_OFFSET_COMMIT: TxnOffsetCommitRequest(
            **who,
            group_id="readers",
            topics=[
                TxnOffsetCommitRequestTopic(name=TOPIC, topic_id=topic_id, partitions=[offset])
            ],
        ),
        ApiKey.DESCRIBE_PRODUCERS: DescribeProducersRequest(
            topics=[TopicRequest(name=TOPIC, partition_indexes=[0])]
        ),
        ApiKey.DESCRIBE_TRANSACTIONS: DescribeTransactionsRequest(transactional_ids=["mine"]),
        ApiKey.LIST_TRANSACTIONS: ListTransactionsRequest(state_filters=["Ongoing"]),
    }


def corpus(brokers: Brokers) -> list[bytes]:
    """Give one frame for each API and version, without its size."""
    topic_id = brokers.topic(TOPIC).topic_id
    special = good_requests(topic_id) | transactional_requests(topic_id)
    return [
        frame_of(special.get(route.api_key) or request_type(route.api_key)(), version)
        for route, version in served(brokers)
    ]


def served(brokers: Brokers) -> Iterator[tuple[Route, int]]:
    """Go through all versions of all APIs."""
    for route in brokers.service.routes.values():
        for version in route.versions:
            yield route, version
