"""Counts of requests, bytes and records."""

import pytest

from mockbroker import API, Cluster, Release
from mockbroker.events.event_types import AnswerGiven, CallId
from mockbroker.journal.request_counts import (
    AnsweredRequest,
    RequestCounts,
    counted_requests,
)
from mockbroker.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchResponse,
    PartitionData,
)
from mockbroker.wire import WireClient, WireProducer
from tests.support.in_process import Brokers, frame_of, sized
from tests.support.requests import fetch, produce


def test_both_paths_of_produce_count_the_same() -> None:
    brokers = Brokers(topics={"orders": 1})
    counts = counted_requests(brokers.service)
    peer = brokers.connect()
    for number in range(1, 4):
        peer.feed(sized(frame_of(produce(), 9, number)))
    assert brokers.fast_answers == 2
    assert counts.answered == {AnsweredRequest("Produce", 9, "NONE"): 3}
    (log,) = brokers.service.cluster.logs.values()
    assert counts.bytes_in == {"orders": log.size_bytes}


@pytest.mark.parametrize(("kafka", "version"), [("4.4", 12), ("2.3", 1)])
def test_fetched_records_are_counted_in_new_and_old_formats(kafka: Release, version: int) -> None:
    with Cluster(topics={"orders": 1}, kafka=kafka) as cluster:
        for number in range(3):
            cluster.append("orders", f"{number}".encode())
        counts = counted_in(cluster)
        with WireClient(cluster.bootstrap_servers) as client:
            client.ask(fetch(), version, FetchResponse)
        assert counts.records_out == {"orders": 3}
        assert counts.bytes_out["orders"] > 0
        assert counts.answered == {AnsweredRequest("Fetch", version, "NONE"): 1}


def test_records_that_a_fault_has_corrupted_count_as_bytes_only() -> None:
    counts = RequestCounts()
    data = PartitionData(partition_index=0, records=bytes(20))
    topic = FetchableTopicResponse(topic="orders", partitions=[data])
    call = CallId(1, 1, 1, None, API.FETCH, 12, 1, "User:ANONYMOUS")
    counts.on_event(AnswerGiven(call, fetch(), FetchResponse(responses=[topic])))
    assert (counts.bytes_out, counts.records_out) == ({"orders": 20}, {"orders": 0})


def counted_in(cluster: Cluster) -> RequestCounts:
    return cluster._access.started.counts  # noqa: SLF001 - there is no public name


def test_a_lost_response_is_counted_as_unanswered() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        counts = counted_in(cluster)
        cluster.fault(API.PRODUCE).lose_response().once()
        with WireProducer(cluster.bootstrap_servers) as producer, pytest.raises(ConnectionError):
            producer.produce("orders", b"value", base_sequence=-1)
        ((request, count),) = counts.unanswered.items()
        assert (request.api, request.how, count) == ("Produce", "hang_up", 1)
        assert "Produce" not in {request.api for request in counts.answered}
        assert counts.bytes_in["orders"] > 0  # it was appended


def test_calls_between_brokers_are_not_counted() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, journal=True) as cluster:
        counts = counted_in(cluster)
        with WireProducer(cluster.bootstrap_servers, "billing") as producer:
            producer.init_producer_id()
            producer.produce("orders", b"value", base_sequence=0)
        assert cluster.journal.count(API.ADD_PARTITIONS_TO_TXN, connection=0) == 1
        apis = [request.api for request in counts.answered]
        assert "Produce" in apis
        assert "AddPartitionsToTxn" not in apis


def test_connections_are_counted_by_broker() -> None:
    with Cluster(brokers=2) as cluster:
        counts = counted_in(cluster)
        for address in cluster.bootstrap_servers.split(","):
            with WireClient(address) as client:
                client.versions(API.PRODUCE)
        assert counts.connections == {1: 1, 2: 1}
