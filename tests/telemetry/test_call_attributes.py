"""Attributes of requests and responses."""

from mockbroker.events.event_types import NO_CONNECTION, CallId
from mockbroker.journal.recorded import Facts
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.telemetry.call_attributes import (
    ITEMS_MAX,
    answer_attributes,
    call_attributes,
    request_attributes,
)


def call(connection: int = 3, client_id: str | None = "shop", principal: str = "User:a") -> CallId:
    return CallId(7, 1, connection, client_id, ApiKey.METADATA, 12, 5, principal)


def test_a_client_without_a_name_has_no_attribute_of_it() -> None:
    assert "messaging.client.id" not in call_attributes(call(client_id=None))
    assert call_attributes(call())["messaging.client.id"] == "shop"


def test_only_authenticated_clients_have_a_principal() -> None:
    assert call_attributes(call())["mockbroker.principal"] == "User:a"
    assert "mockbroker.principal" not in call_attributes(call(principal="User:ANONYMOUS"))


def test_a_call_of_a_broker_has_no_connection() -> None:
    assert call_attributes(call())["mockbroker.connection"] == 3
    found = call_attributes(call(connection=NO_CONNECTION))
    assert {"mockbroker.connection", "network.transport"}.isdisjoint(found)


def test_partitions_are_limited_and_counted() -> None:
    items: list[Facts] = [{"topic": "orders", "partition": index} for index in range(50)]
    found = request_attributes(items)
    assert found["mockbroker.partition_count"] == 50
    assert found["mockbroker.partitions"] == [f"orders-{index}" for index in range(ITEMS_MAX)]
    assert found["messaging.destination.name"] == "orders"
    assert "messaging.destination.partition.id" not in found


def test_requests_for_several_topics_have_no_destination() -> None:
    found = request_attributes([{"topic": "a", "partition": 0}, {"topic": "b", "partition": 0}])
    assert "messaging.destination.name" not in found
    assert found["mockbroker.partitions"] == ["a-0", "b-0"]


def test_the_records_of_all_batches_are_counted() -> None:
    found = request_attributes(
        [{"topic": "a", "partition": 0, "record_count": 2}, {"topic": "a", "record_count": 3}]
    )
    assert found["messaging.batch.message_count"] == 5


def test_the_first_error_is_the_status_and_all_are_named() -> None:
    found = answer_attributes(
        [
            {"topic": "a", "partition": 0, "error": ErrorCode.NONE},
            {"topic": "a", "partition": 1, "error": ErrorCode.NOT_LEADER_OR_FOLLOWER},
            {"error": ErrorCode.INVALID_TXN_STATE},
        ]
    )
    assert found == {
        "rpc.response.status_code": "NOT_LEADER_OR_FOLLOWER",
        "error.type": "NOT_LEADER_OR_FOLLOWER",
        "mockbroker.errors": ["a-1 NOT_LEADER_OR_FOLLOWER", "INVALID_TXN_STATE"],
    }


def test_without_an_error_the_status_is_none() -> None:
    assert answer_attributes([{"error": ErrorCode.NONE}]) == {"rpc.response.status_code": "NONE"}
