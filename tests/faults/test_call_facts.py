"""Facts of a call for selectors, including the partitions of its fetch session."""

from mockbroker.broker.call import ANONYMOUS, Call
from mockbroker.faults.call_facts import ConnectionFacts, facts_of
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from mockbroker.protocol.types import ZERO_UUID
from tests.support.in_process import Brokers


def call_of(brokers: Brokers, api_key: ApiKey, version: int) -> Call:
    return Call(
        brokers.service,
        broker_id=1,
        connection_id=4,
        api_key=api_key,
        api_version=version,
        correlation_id=0,
        client_id="me",
    )


def fetch_in_session(
    brokers: Brokers, version: int, session_id: int, epoch: int, *indexes: int
) -> FetchRequest:
    topic = brokers.topic("orders")
    by_id = version >= 13
    partitions = [
        FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=1 << 20)
        for index in indexes
    ]
    return FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1 << 20,
        session_id=session_id,
        session_epoch=epoch,
        topics=[
            FetchTopic(
                topic="" if by_id else "orders",
                topic_id=topic.topic_id if by_id else ZERO_UUID,
                partitions=partitions,
            )
        ]
        if indexes
        else [],
    )


def test_a_call_has_its_client_its_broker_and_its_items() -> None:
    brokers = Brokers(topics={"orders": 1})
    facts = facts_of(fetch_in_session(brokers, 12, 0, -1, 0), call_of(brokers, ApiKey.FETCH, 12))
    assert facts.of_call == {
        "api": ApiKey.FETCH,
        "version": 12,
        "broker": 1,
        "connection": 4,
        "client_id": "me",
        "principal": ANONYMOUS,
        "listener": "",
        "between_brokers": False,
    }
    assert [dict(item.named) for item in facts.items] == [{"topic": "orders", "partition": 0}]


def test_an_incremental_fetch_is_about_all_partitions_of_its_session() -> None:
    for version in (7, 13):
        brokers = Brokers(topics={"orders": 3})
        first = fetch_in_session(brokers, version, 0, 0, 0, 1)
        session_id = brokers.ask(first, version, FetchResponse).session_id
        assert session_id
        next_one = fetch_in_session(brokers, version, session_id, 1, 2)
        facts = facts_of(next_one, call_of(brokers, ApiKey.FETCH, version))
        partitions = sorted(item.named["partition"] for item in facts.items)  # type: ignore[type-var]
        assert partitions == [0, 1, 2], version
        assert {item.named["topic"] for item in facts.items} == {"orders"}
        assert [len(topic.partitions) for topic in next_one.topics] == [1], "the request changed"


def test_an_unknown_topic_id_names_no_topic() -> None:
    brokers = Brokers(topics={"orders": 1})
    request = fetch_in_session(brokers, 13, 0, -1, 0)
    request.topics[0].topic_id = type(ZERO_UUID)(int=99)
    facts = facts_of(request, call_of(brokers, ApiKey.FETCH, 13))
    assert facts.items[0].named["topic"] is None


def test_a_connection_is_named_by_its_number_client_and_broker() -> None:
    assert str(ConnectionFacts(7, 1, "me")) == "connection 7 of client 'me' to broker 1"
