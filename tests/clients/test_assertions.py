"""Assertions of a cluster about real clients that get lost and wrong responses."""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Producer

from mockbroker import API, ERR, Cluster, Release
from mockbroker.control.assertions.failure import ClusterAssertionError

pytestmark = pytest.mark.slow

IN_ONE_BATCH = {"linger.ms": 10_000}
"""What is produced waits for the flush, which does not wait."""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}) as cluster:
        yield cluster


def confluent(cluster: Cluster, **settings: object) -> Producer:
    """Give a producer of the client that is quick to retry, without idempotence."""
    return Producer(
        cluster.client_config(
            "confluent",
            **{
                "enable.idempotence": False,
                "log_level": 2,
                "retry.backoff.ms": 1,
                "client.id": "shop",
                **settings,
            },
        )
    )


def produce(producer: Producer, *values: bytes) -> None:
    for value in values:
        producer.produce("orders", value)
    assert producer.flush(20) == 0


def failure_of(check: Callable[[], None]) -> str:
    """Return the text of a failing assertion on one line."""
    with pytest.raises(ClusterAssertionError) as failure:
        check()
    return " ".join(str(failure.value).split())


def test_a_lost_response_causes_a_duplicate_without_idempotence(
    cluster: Cluster,
) -> None:
    cluster.fault(API.PRODUCE).lose_response().once()
    produce(confluent(cluster, **IN_ONE_BATCH), b"a", b"b", b"c")
    text = failure_of(lambda: cluster.assert_no_duplicates("orders"))
    assert "offsets 3..5 repeat offsets 0..2 (3 records), sent by 'shop'" in text
    assert "DUPLICATE of 0" in text
    assert "not exactly once" in failure_of(cluster.assert_exactly_once)
    cluster.assert_no_loss("orders", expected=["a", "b", "c"])
    assert [batch.answer for batch in cluster.sent_batches("orders")] == [
        "answer lost",
        "acknowledged",
    ]


def test_a_lost_response_causes_no_duplicate_with_idempotence(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE).lose_response().once()
    settings = {"enable.idempotence": True, **IN_ONE_BATCH}
    produce(confluent(cluster, **settings), b"a", b"b", b"c")
    cluster.assert_exactly_once("orders", expected=["a", "b", "c"])
    # On a busy machine, the client may try more than once.
    first, *others = (batch.appended for batch in cluster.sent_batches())
    assert first == "yes"
    assert set(others) == {"retry"}


def test_repeated_records_of_an_application_are_duplicates_only_by_key(
    cluster: Cluster,
) -> None:
    producer = confluent(cluster)
    produce(producer, b"a")
    produce(producer, b"a")
    cluster.assert_no_duplicates()
    cluster.assert_exactly_once("orders", expected=["a", "a"])
    text = failure_of(lambda: cluster.assert_no_duplicates("orders", key="value"))
    assert "offset 1 has the key 'a', like orders-0 offset 0" in text
    failure_of(lambda: cluster.assert_no_duplicates(key=lambda record: record.topic))
    text = failure_of(lambda: cluster.assert_exactly_once("orders", expected=["a", "b"]))
    assert "b'b' was expected" in text
    assert "ONCE TOO MANY" in text


@pytest.mark.asyncio
async def test_aiokafka_retries_a_batch_refused_after_its_append() -> None:
    async with Cluster(topics={"orders": 1}) as cluster:
        error = ERR.REQUEST_TIMED_OUT
        cluster.fault(API.PRODUCE, topic="orders").apply_then_answer(error).once()
        for is_idempotent in (True, False):
            settings: dict[str, Any] = {"enable_idempotence": is_idempotent}
            producer = AIOKafkaProducer(**cluster.client_config("aiokafka", **settings))
            await producer.start()
            await producer.send_and_wait("orders", b"value")
            await producer.stop()
            if is_idempotent:
                cluster.assert_exactly_once("orders", expected=[b"value"])
                cluster.fault(API.PRODUCE, topic="orders").apply_then_answer(error).once()
        text = failure_of(cluster.assert_no_duplicates)
        assert "was REQUEST_TIMED_OUT, although the batch was appended" in text


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_idempotent", [True, False])
def test_the_ledger_finds_each_duplicate_and_no_other(seed: int, is_idempotent: bool) -> None:
    """Every value is sent once by the application, so that values tell how often it is there."""
    random = Random(seed)
    acknowledged: list[bytes] = []

    def delivered(error: object, message: Any) -> None:
        if error is None:
            acknowledged.append(message.value())

    with Cluster(topics={"orders": 2}, brokers=3) as cluster:
        producer = confluent(cluster, **{"enable.idempotence": is_idempotent})
        for number in range(12):
            fault = cluster.fault(API.PRODUCE)
            random.choice(
                (
                    fault.lose_response,
                    fault.drop_request,
                    fault.duplicate,
                    lambda fault=fault: fault.apply_then_answer(ERR.REQUEST_TIMED_OUT),
                    cluster.partition("orders", random.randrange(2)).elect,
                )
            )()
            for index in range(random.randrange(1, 6)):
                value = b"%d-%d" % (number, index)
                producer.produce(
                    "orders", value, partition=random.randrange(2), on_delivery=delivered
                )
            assert producer.flush(20) == 0
            fault.remove()
        records = cluster.records("orders")
        repeated = len(records) - len({record.value for record in records})
        assert bool(repeated) is not is_idempotent
        cluster.assert_no_loss("orders", expected=acknowledged)
        found = [batch for batch in cluster.sent_batches() if batch.appended == "yes"]
        assert sum(batch.record_count for batch in found) == len(records)
        if is_idempotent:
            cluster.assert_exactly_once("orders", expected=acknowledged)
            return
        with pytest.raises(ClusterAssertionError) as failure:
            cluster.assert_no_duplicates("orders")
        told = " ".join(finding.text for finding in failure.value.findings)
        assert sum(map(int, re.findall(r"\((\d+) records?\), sent", told))) == repeated


@pytest.mark.parametrize("kafka", ["2.4", "2.8", "3.9", "4.4"])
@pytest.mark.parametrize("seed", range(2))
def test_transactions_are_stored_once_despite_faults_and_elections(
    kafka: Release, seed: int
) -> None:
    random = Random(seed)
    expected: list[bytes] = []
    with Cluster(topics={"orders": 2}, brokers=3, kafka=kafka) as cluster:
        producer = confluent(
            cluster, **{"enable.idempotence": True, "transactional.id": "svc", "linger.ms": 0}
        )
        producer.init_transactions(20)
        for number in range(8):
            fault = cluster.fault(random.choice([API.PRODUCE, API.END_TXN]))
            random.choice(
                (
                    fault.lose_response,
                    fault.drop_request,
                    fault.duplicate,
                    cluster.partition("orders", random.randrange(2)).elect,
                    lambda: cluster.move_coordinator("svc"),
                )
            )()
            producer.begin_transaction()
            values = [b"%d-%d" % (number, index) for index in range(3)]
            for value in values:
                producer.produce("orders", value, partition=random.randrange(2))
            if random.randrange(3):
                producer.commit_transaction(20)
                expected += values
            else:
                producer.flush(20)
                producer.abort_transaction(20)
            fault.remove()
        cluster.assert_exactly_once("orders", expected=expected)
        cluster.assert_no_duplicates("orders", key="value")
        (cluster.assert_committed if values[0] in expected else cluster.assert_aborted)("svc")
