"""Error responses equal those of Kafka's own classes (`getErrorResponse`) for every request."""

from typing import Any, Final, cast

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.dump.decode import declared_api_keys
from mockbroker.protocol.error_response import error_levels, error_response, errors_in, first_error
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from mockbroker.protocol.messages.describe_transaction_state import (
    DescribeTransactionStateRequest,
)
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from mockbroker.protocol.messages.offset_fetch import OffsetFetchRequest
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from mockbroker.protocol.schema.message import Message, Struct
from tests.protocol.golden.stored import REFUSAL, Recorded, recorded, value_of
from tests.support.declared import versions

RECORDED: Final[dict[str, list[Recorded]]] = {}
for row in recorded():
    if row.refusal is not None:
        RECORDED.setdefault(row.message, []).append(row)

# Kafka sends the default text, nothing, or a reason, depending on the API; we send the reason.
NOT_COMPARED: Final = {"error_message"}
# Other known differences from Kafka, with their reasons.
DIFFERENT: Final = {
    # Release 2.4.1 parses the resource type into an enum: 3 is unknown and returned as 0.
    "DescribeConfigsRequest": {"resource_type"},
    # One element for each user, which has a code but does not name the user.
    "DescribeUserScramCredentialsRequest": {"results"},
    # The requested partitions, as if they were being reassigned to no brokers.
    "ListPartitionReassignmentsRequest": {"topics"},
}  # fmt: skip

APIS: Final = tuple(declared_api_keys())
KAFKAS: Final = tuple(api_key for api_key in APIS if not api_key.is_extension)
WHY: Final = ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "not you")


def comparable(value: object, different: set[str]) -> Any:
    """Return the compared parts of a response; the order of Kafka's items is a hash table's."""
    if isinstance(value, Struct):
        names = [name for name in value.FIELDS if name not in NOT_COMPARED | different]
        return {name: comparable(getattr(value, name), different) for name in names}
    if isinstance(value, list):
        items = cast("list[object]", value)
        return sorted((comparable(item, different) for item in items), key=repr)
    return cast("memoryview[int]", value).tobytes() if isinstance(value, memoryview) else value


@pytest.mark.parametrize("api_key", KAFKAS, ids=lambda api_key: api_key.title)
def test_a_refusal_is_kafkas(api_key: ApiKey) -> None:
    request, response = request_type(api_key), response_type(api_key)
    different = DIFFERENT.get(request.__name__, set())
    for row in RECORDED[request.__name__]:
        asked = value_of(request, row.version, row.value)
        data = encode(error_response(asked, row.version, REFUSAL), row.version)
        ours, theirs = (decode(response, row.version, d) for d in (data, row.refusal or b""))
        assert comparable(ours, different) == comparable(theirs, different), f"v{row.version}"


def test_a_refusal_is_recorded_for_every_request() -> None:
    found = {(name, row.version) for name, rows in RECORDED.items() for row in rows}
    requests = [request_type(api_key) for api_key in KAFKAS]
    assert found == {(message.__name__, v) for message in requests for v in versions(message)}


@pytest.mark.parametrize(
    ("api_key", "version", "levels"),
    [
        (ApiKey.HEARTBEAT, 0, ("error_code",)),
        (ApiKey.PRODUCE, 9, ("responses[].partition_responses[].error_code",)),
        (ApiKey.FETCH, 6, ("responses[].partitions[].error_code",)),
        (ApiKey.FETCH, 7, ("error_code", "responses[].partitions[].error_code")),
        (
            ApiKey.OFFSET_FETCH,
            8,
            ("groups[].topics[].partitions[].error_code", "groups[].error_code"),
        ),
        (
            ApiKey.ADD_PARTITIONS_TO_TXN,
            3,
            ("results_by_topic_v3_and_below[].results_by_partition[].partition_error_code",),
        ),
    ],
)
def test_a_response_has_its_errors_at_known_levels(
    api_key: ApiKey, version: int, levels: tuple[str, ...]
) -> None:
    assert error_levels(api_key, version) == levels


@pytest.mark.parametrize("api_key", APIS, ids=lambda api_key: api_key.title)
def test_every_response_can_carry_an_error(api_key: ApiKey) -> None:
    assert all(error_levels(api_key, version) for version in versions(request_type(api_key)))


def test_the_code_goes_to_the_top_level_if_possible() -> None:
    refused: Any = error_response(HeartbeatRequest(group_id="g"), 4, WHY)
    assert refused.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_each_partition_has_the_error_if_no_higher_level_can() -> None:
    partitions = [PartitionProduceData(index=index) for index in (4, 2)]
    request = ProduceRequest(topic_data=[TopicProduceData(name="t", partition_data=partitions)])
    refused: Any = error_response(request, 9, WHY)
    [topic] = refused.responses
    assert topic.name == "t"
    assert [(p.index, p.error_code, p.base_offset) for p in topic.partition_responses] == [
        (4, 29, -1),
        (2, 29, -1),
    ]
    assert {p.error_message for p in topic.partition_responses} == {"not you"}


def test_items_identified_by_their_order_are_refused_one_by_one() -> None:
    request = DescribeTransactionStateRequest(transactional_ids=["a", "b"])
    refused: Any = error_response(request, 0, WHY)
    assert [(s.error_code, s.producer_id) for s in refused.transaction_states] == [(29, -1)] * 2


def test_a_refusal_without_a_reason_has_no_message() -> None:
    request = CreateTopicsRequest(topics=[CreatableTopic(name="t", num_partitions=3)])
    refused: Any = error_response(request, 5, ApiError(ErrorCode.NOT_CONTROLLER))
    assert refused.topics[0].error_message is None
    assert refused.topics[0].num_partitions == -1


def test_a_refused_fetch_has_the_error_at_every_level_and_its_session() -> None:
    topic = FetchTopic(topic="t", partitions=[FetchPartition(partition=1)])
    refused: Any = error_response(FetchRequest(topics=[topic], session_id=7), 12, WHY)
    assert (refused.error_code, refused.session_id) == (29, 7)
    assert refused.responses[0].partitions[0].error_code == 29


def test_a_topic_requested_by_its_id_only_has_no_name_in_the_refusal() -> None:
    request = MetadataRequest(topics=[MetadataRequestTopic(name=None)])
    assert [error_response(request, v, WHY).topics[0].name for v in (10, 12)] == ["", None]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "request_", [MetadataRequest(topics=None), OffsetFetchRequest(topics=None)]
)
def test_a_request_for_all_items_has_no_item_to_refuse(request_: Message) -> None:
    refused: Any = error_response(request_, 1, WHY)
    assert refused.topics == []


def answer(*codes: int) -> ProduceResponse:
    partitions = [PartitionProduceResponse(error_code=code) for code in codes]
    return ProduceResponse(responses=[TopicProduceResponse(partition_responses=partitions)])


def test_all_codes_are_found_in_order() -> None:
    assert list(errors_in(answer(0, 6, 3))) == [0, 6, 3]
    assert list(errors_in(FetchResponse(error_code=70))) == [70]


def test_the_first_that_is_an_error_counts() -> None:
    assert first_error(answer(0, 6, 3)) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert first_error(answer(0, 0)) is ErrorCode.NONE
