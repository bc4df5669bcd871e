"""Telemetry of a cluster with a real client: its spans, with the faults that fired, and metrics."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from threading import Event
from typing import Any, NamedTuple

import pytest
from confluent_kafka import Consumer, Producer
from opentelemetry.trace import SpanKind, StatusCode

from mockbroker import API, Cluster
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from mockbroker.telemetry.cluster_telemetry import within
from mockbroker.wire import WireClient
from tests.support.telemetry import Collected, facts, is_child

TRACE_ID = 0x0AF7651916CD43DD8448EB211C80319C
SPAN_ID = 0xB7AD6B7169203331
TRACEPARENT = f"00-{TRACE_ID:032x}-{SPAN_ID:016x}-01"


class Seen(NamedTuple):
    """What a cluster has reported, and how it was reached."""

    collected: Collected
    host: str
    port: int
    metrics: dict[str, list[Any]]


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    """Run a transactional producer whose first Produce is lost and whose EndTxn is held."""
    collected = Collected()
    with Cluster(topics={"orders": 1}, telemetry=collected.telemetry, journal=True) as cluster:
        cluster.fault(API.PRODUCE, name="lost").lose_response().once()
        held = cluster.fault(API.END_TXN, name="held").hold(until="20ms").once()
        producer = Producer(
            {
                **cluster.client_config("confluent"),
                "client.id": "shop",
                "transactional.id": "billing",
                "retry.backoff.ms": 1,
            }
        )
        producer.init_transactions()
        producer.begin_transaction()
        producer.produce("orders", b"value", headers={"traceparent": TRACEPARENT})
        producer.commit_transaction()
        assert held.hits == 1
        consumer = Consumer(
            {
                **cluster.client_config("confluent"),
                "group.id": "readers",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.subscribe(["orders"])
        assert consumer.poll(20) is not None
        consumer.commit(asynchronous=False)
        metrics = collected.metrics()
        consumer.close()
        host, _, port = cluster.bootstrap_servers.partition(":")
        yield Seen(collected, host, int(port), metrics)


def test_a_request_has_a_span_with_the_attributes_of_the_conventions(seen: Seen) -> None:
    span = seen.collected.spans("Produce orders")[-1]
    assert span.kind is SpanKind.SERVER
    assert span.status.status_code is StatusCode.UNSET
    assert (
        facts(span).items()
        >= {
            "messaging.system": "kafka",
            "messaging.operation.name": "Produce",
            "messaging.operation.type": "send",
            "messaging.client.id": "shop",
            "messaging.destination.name": "orders",
            "messaging.destination.partition.id": "0",
            "messaging.batch.message_count": 1,
            "network.peer.address": "127.0.0.1",
            "network.transport": "tcp",
            "rpc.system.name": "kafka",
            "rpc.method": "Produce",
            "rpc.response.status_code": "NONE",
            "server.address": seen.host,
            "server.port": seen.port,
            "mockbroker.api_key": 0,
            "mockbroker.transactional_id": "billing",
            "mockbroker.producer_id": 0,
            "mockbroker.producer_epoch": 0,
            "mockbroker.partitions": ("orders-0",),
            "mockbroker.partition_count": 1,
        }.items()
    )


def test_a_lost_response_is_an_error_that_names_its_fault(seen: Seen) -> None:
    span, retry = seen.collected.spans("Produce orders")
    assert span.status.status_code is StatusCode.ERROR
    assert (
        facts(span).items()
        >= {
            "error.type": "NO_ANSWER",
            "mockbroker.fault": ("lost",),
            "mockbroker.fault.effect": ("lose_response()",),
            "mockbroker.fault.applied": ("before",),
            "mockbroker.lost": "hang_up",
            "mockbroker.lost.reason": "fault",
        }.items()
    )
    assert "rpc.response.status_code" not in facts(span)
    (struck,) = span.events
    assert (struck.name, dict(struck.attributes or {})["mockbroker.fault"]) == (
        "fault.struck",
        "lost",
    )
    assert "mockbroker.fault" not in facts(retry)


def test_a_held_request_shows_when_it_was_held_and_how_long(seen: Seen) -> None:
    span = seen.collected.span("EndTxn")
    assert [each.name for each in span.events] == ["fault.struck", "fault.held", "fault.released"]
    _, held, released = span.events
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.start_time <= held.timestamp < released.timestamp <= span.end_time
    held_ms = facts(span)["mockbroker.held_ms"]
    assert held_ms == (released.timestamp - held.timestamp) // 1_000_000
    assert held_ms >= 19


def test_a_transaction_is_a_trace_with_its_requests_markers_and_states(seen: Seen) -> None:
    transaction = seen.collected.span("transaction")
    assert transaction.parent is None
    assert facts(transaction)["mockbroker.outcome"] == "committed"
    of_it = [
        *seen.collected.spans("AddPartitionsToTxn orders"),
        *seen.collected.spans("Produce orders"),
        seen.collected.span("EndTxn"),
    ]
    assert all(is_child(each, transaction) for each in of_it if "shop" in str(facts(each)))
    (initialized,) = transaction.links
    assert initialized.context == seen.collected.span("InitProducerId").context
    told = [
        dict(each.attributes or {}).get("mockbroker.state_after")
        or dict(each.attributes or {})["mockbroker.marker"]
        for each in transaction.events
    ]
    assert told == ["Ongoing", "PrepareCommit", "COMMIT", "CompleteCommit"]


def test_a_call_between_brokers_is_a_part_of_the_request_that_needed_it(seen: Seen) -> None:
    (first, _) = seen.collected.spans("Produce orders")
    calls = [
        span
        for span in seen.collected.spans("AddPartitionsToTxn orders")
        if "mockbroker.connection" not in facts(span)
    ]
    assert len(calls) == 1
    assert is_child(calls[0], first)


def test_the_trace_in_a_records_header_is_linked_by_who_wrote_and_who_read_it(seen: Seen) -> None:
    readers = [span for span in seen.collected.spans("Fetch orders") if span.links]
    assert readers
    for span in (*seen.collected.spans("Produce orders"), readers[0]):
        (link,) = span.links
        assert (link.context.trace_id, link.context.span_id) == (TRACE_ID, SPAN_ID)
        assert link.context.is_remote


def test_requests_of_groups_name_their_group(seen: Seen) -> None:
    span = seen.collected.span("OffsetCommit orders")
    assert facts(span)["messaging.consumer.group.name"] == "readers"
    assert facts(span)["messaging.operation.type"] == "settle"


def test_metrics_are_those_of_prometheus_and_durations(seen: Seen) -> None:
    requests = {
        (point.attributes["request"], point.attributes["error"]): point.value
        for point in seen.metrics["kafka.network.requestmetrics.requests"]
    }
    assert requests["EndTxn", "NONE"] == 1
    (lost,) = seen.metrics["mockbroker.requests_unanswered"]
    assert (lost.attributes["request"], lost.value) == ("Produce", 1)
    states = {
        point.attributes["state"]: point.value
        for point in seen.metrics["mockbroker.transactional_ids"]
    }
    assert (states["CompleteCommit"], states["Ongoing"]) == (1, 0)
    hits = {p.attributes["rule"]: p.value for p in seen.metrics["mockbroker.rules_hits"]}
    assert hits == {"lost": 1, "held": 1}
    durations = {
        (point.attributes["rpc.method"], point.attributes["rpc.response.status_code"]): point
        for point in seen.metrics["rpc.server.call.duration"]
    }
    assert durations["Produce", "NO_ANSWER"].attributes["error.type"] == "NO_ANSWER"
    assert durations["EndTxn", "NONE"].count == 1
    assert durations["EndTxn", "NONE"].sum >= 0.019


def test_the_end_of_a_cluster_ends_its_spans_and_its_metrics() -> None:
    collected = Collected()
    with Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster:
        fault = cluster.fault(API.API_VERSIONS).hold()
        with WireClient(cluster.bootstrap_servers) as client:
            client.send(ApiVersionsRequest(), 0)
            fault.wait_held()
            cluster.begin_transaction("billing").append("orders", b"value")
            assert "kafka.log.log.size" in collected.metrics()
            assert not collected.spans("ApiVersions")
            assert not collected.spans("transaction")
    assert facts(collected.span("ApiVersions"))["mockbroker.lost"] == "gone"
    assert facts(collected.span("transaction"))["mockbroker.outcome"] == "stopped"
    assert "kafka.log.log.size" not in collected.metrics()


def test_a_reset_ends_spans_and_the_next_requests_have_new_ones() -> None:
    collected = Collected()
    with Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster:
        cluster.begin_transaction("billing").append("orders", b"value")
        cluster.reset()
        assert facts(collected.span("transaction"))["mockbroker.outcome"] == "reset"
        with WireClient(cluster.bootstrap_servers) as client:
            client.versions(API.PRODUCE)
        assert len(collected.spans("ApiVersions")) == 1


def test_clusters_share_the_instruments_of_a_provider() -> None:
    collected = Collected()
    for _ in range(2):
        with Cluster(topics={"orders": 1}, telemetry=collected.telemetry):
            (partitions,) = collected.metrics()["kafka.server.replicamanager.partitioncount"]
            assert partitions.value == 1


def test_a_stop_does_not_wait_for_an_exporter_that_does_not_answer() -> None:
    answer = Event()
    begun = time.monotonic()
    asyncio.run(within(0.01, lambda: answer.wait(20)))
    answer.set()
    assert time.monotonic() - begun < 10


async def started_on_this_loop(collected: Collected) -> dict[str, list[Any]]:
    async with Cluster(topics={"orders": 1}, telemetry=collected.telemetry):
        return collected.metrics()


def test_a_cluster_on_the_loop_of_a_test_is_measured() -> None:
    metrics = asyncio.run(started_on_this_loop(Collected()))
    (partitions,) = metrics["kafka.server.replicamanager.partitioncount"]
    assert partitions.value == 1


@pytest.mark.slow
def test_off_imports_nothing() -> None:
    program = (
        "import sys\n"
        "from mockbroker import Cluster\n"
        "with Cluster(): pass\n"
        "found = [n for n in sys.modules if 'telemetry' in n and n.startswith(('mockbroker.',"
        " 'opentelemetry')) or n.startswith('opentelemetry')]\n"
        "print(found)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert run.stdout.strip() == b"[]"
