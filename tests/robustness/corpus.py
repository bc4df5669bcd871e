"""Good requests of every API in every version that is served, to be spoiled."""

from collections.abc import Iterator
from typing import Final

from mockbroker.dispatch import Route
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
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
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from mockbroker.protocol.schema import Message
from mockbroker.protocol.types import Uuid
from tests.service.support.in_process import Brokers, frame_of
from tests.service.support.requests import batch_of, fetch, produce

TOPIC: Final = "orders"


def good_requests(topic_id: Uuid) -> dict[ApiKey, Message]:
    """Give a request with something in it for the APIs whose empty one says little."""
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


def corpus(brokers: Brokers) -> list[bytes]:
    """Give one frame for each API and version, without its size."""
    special = good_requests(brokers.topic(TOPIC).topic_id)
    return [
        frame_of(special.get(route.api_key) or request_type(route.api_key)(), version)
        for route, version in served(brokers)
    ]


def served(brokers: Brokers) -> Iterator[tuple[Route, int]]:
    """Go through all versions of all APIs."""
    for route in brokers.service.routes.values():
        for version in route.versions:
            yield route, version
