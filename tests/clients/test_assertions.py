# pyright: basic
"""What clients make of lost and wrong answers, as the assertions of a cluster see it."""

from collections.abc import Callable, Iterator

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Producer

from mockbroker import API, ERR, Cluster
from mockbroker.ledger.finding import ClusterAssertionError

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}) as cluster:
        yield cluster


def confluent(cluster: Cluster, **settings: object) -> Producer:
    """Give a producer of the client that is quick to retry, without idempotence."""
    return Producer(
        cluster.config(
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
    """Give what an assertion says that does not hold, on one line."""
    with pytest.raises(ClusterAssertionError) as failure:
        check()
    return " ".join(str(failure.value).split())


def test_a_lost_answer_makes_a_duplicate_of_a_producer_without_idempotence(
    cluster: Cluster,
) -> None:
    cluster.fault(API.PRODUCE).lose_response().once()
    produce(confluent(cluster), b"a", b"b", b"c")
    text = failure_of(lambda: cluster.assert_no_duplicates("orders"))
    assert "offsets 3..5 are offsets 0..2 again (3 records), from 'shop'" in text
    assert "DUPLICATE of 0" in text
    assert "not exactly once" in failure_of(cluster.assert_exactly_once)
    cluster.assert_no_loss("orders", expected=["a", "b", "c"])
    assert [batch.answer for batch in cluster.sent_batches("orders")] == [
        "answer lost",
        "acknowledged",
    ]


def test_a_lost_answer_makes_none_of_an_idempotent_one(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE).lose_response().once()
    produce(confluent(cluster, **{"enable.idempotence": True}), b"a", b"b", b"c")
    cluster.assert_exactly_once("orders", expected=["a", "b", "c"])
    assert [batch.appended for batch in cluster.sent_batches()] == ["yes", "retry"]


def test_an_application_may_send_the_same_twice_unless_a_key_says_otherwise(
    cluster: Cluster,
) -> None:
    producer = confluent(cluster)
    produce(producer, b"a")
    produce(producer, b"a")
    cluster.assert_no_duplicates()
    cluster.assert_exactly_once("orders", expected=["a", "a"])
    text = failure_of(lambda: cluster.assert_no_duplicates("orders", key="value"))
    assert "offset 1 has the key b'a', as has orders-0 offset 0" in text
    failure_of(lambda: cluster.assert_no_duplicates(key=lambda record: record.topic))
    text = failure_of(lambda: cluster.assert_exactly_once("orders", expected=["a", "b"]))
    assert "b'b' was expected" in text
    assert "ONCE TOO MANY" in text


@pytest.mark.asyncio
async def test_aiokafka_sends_again_what_was_refused_after_the_append() -> None:
    async with Cluster(topics={"orders": 1}) as cluster:
        error = ERR.REQUEST_TIMED_OUT
        cluster.fault(API.PRODUCE, topic="orders").apply_then_answer(error).once()
        for is_idempotent, settings in ((True, {}), (False, {"acks": 1})):
            producer = AIOKafkaProducer(
                **cluster.config("aiokafka"), enable_idempotence=is_idempotent, **settings
            )
            await producer.start()
            await producer.send_and_wait("orders", b"value")
            await producer.stop()
            if is_idempotent:
                cluster.assert_exactly_once("orders", expected=[b"value"])
                cluster.fault(API.PRODUCE, topic="orders").apply_then_answer(error).once()
        text = failure_of(cluster.assert_no_duplicates)
        assert "was REQUEST_TIMED_OUT, though it was appended" in text
