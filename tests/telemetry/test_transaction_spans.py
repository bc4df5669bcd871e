"""Traces of transactions: when they begin, and how they end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from opentelemetry.sdk.trace import ReadableSpan

from mockbroker import API, Cluster
from mockbroker.wire import WireProducer
from tests.support.telemetry import Collected, facts, is_child

MINUTE_MS = 60_000


class Traced(NamedTuple):
    """A cluster, its spans, and a producer whose transaction is open."""

    cluster: Cluster
    collected: Collected
    producer: WireProducer

    def transaction(self) -> ReadableSpan:
        self.cluster.look(lambda _state, _now_ms: None)  # what follows an answer is done by now
        return self.collected.span("transaction")

    def outcome(self) -> object:
        return facts(self.transaction())["mockbroker.outcome"]


@contextmanager
def opened(transaction_version: int = 1) -> Iterator[Traced]:
    """Open a transaction with one record."""
    collected = Collected()
    with (
        Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster,
        WireProducer(
            cluster.bootstrap_servers, "billing", transaction_version=transaction_version
        ) as producer,
    ):
        producer.init_producer_id(timeout_ms=MINUTE_MS)
        producer.add_partition("orders")
        producer.produce("orders", b"value", base_sequence=0)
        yield Traced(cluster, collected, producer)


def test_an_aborted_transaction_is_one_trace() -> None:
    with opened() as traced:
        assert not traced.collected.spans("transaction")
        traced.producer.abort()
        assert traced.outcome() == "aborted"
        end_txn = traced.collected.span("EndTxn")
        assert facts(end_txn)["mockbroker.marker"] == "ABORT"
        assert is_child(end_txn, traced.transaction())


def test_a_transaction_that_times_out_ends_without_a_request() -> None:
    with opened() as traced:
        traced.cluster.clock.advance("2m")
        assert traced.outcome() == "aborted"
        assert not traced.collected.spans("EndTxn")


def test_a_producer_that_fences_another_is_in_the_trace_of_its_transaction() -> None:
    with opened() as traced, WireProducer(traced.cluster.bootstrap_servers, "billing") as second:
        second.init_producer_id()
        assert traced.outcome() == "aborted"
        first_init, second_init = traced.collected.spans("InitProducerId")[:2]
        assert first_init.parent is None
        assert is_child(second_init, traced.transaction())
        assert facts(second_init)["rpc.response.status_code"] == "CONCURRENT_TRANSACTIONS"


def test_a_refused_request_opens_nothing_and_the_next_one_begins_again() -> None:
    collected = Collected()
    with (
        Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster,
        WireProducer(cluster.bootstrap_servers, "billing", transaction_version=1) as producer,
    ):
        producer.init_producer_id()
        cluster.fault(API.ADD_PARTITIONS_TO_TXN).answer("COORDINATOR_NOT_AVAILABLE").once()
        producer.add_partition("orders")
        assert facts(collected.span("transaction"))["mockbroker.outcome"] == "not_opened"
        producer.add_partition("orders")
        producer.produce("orders", b"value", base_sequence=0)
        producer.commit()
        cluster.look(lambda _state, _now_ms: None)
        outcomes = [facts(each)["mockbroker.outcome"] for each in collected.spans("transaction")]
    assert outcomes == ["not_opened", "committed"]


def test_the_first_produce_opens_a_transaction_of_the_newer_version() -> None:
    with opened(transaction_version=2) as traced:
        traced.producer.commit()
        assert traced.outcome() == "committed"
        assert is_child(traced.collected.span("Produce orders"), traced.transaction())


def test_a_transaction_ends_when_its_markers_are_written() -> None:
    with opened() as traced:
        handle = traced.cluster.transaction("billing")
        handle.hold_ending()
        traced.producer.commit()
        traced.cluster.look(lambda _state, _now_ms: None)
        assert not traced.collected.spans("transaction")
        handle.release()
        names = [each.name for each in traced.transaction().events]
    assert names == [
        *("transaction.state", "transaction.state"),
        *("transaction.marker", "transaction.state"),
    ]


def test_a_transactional_id_that_expires_has_no_link_from_the_next_of_its_name() -> None:
    with opened() as traced:
        traced.producer.abort()
        traced.cluster.expire_transactional_id("billing")
        transaction = traced.cluster.begin_transaction("billing")
        transaction.append("orders", b"value")
        transaction.commit()
        traced.cluster.look(lambda _state, _now_ms: None)
        first, second = traced.collected.spans("transaction")
    assert len(first.links) == 1
    assert first.links[0].context not in [link.context for link in second.links]
