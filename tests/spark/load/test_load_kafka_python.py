"""kafka-python as a load drives it."""

import threading

import pytest

from mockbroker import API, Cluster
from mockbroker.spark.load.load_plan import Delivery
from mockbroker.spark.load.load_producer import ClientName, LoadProducerError
from tests.support.load_producers import (
    ids,
    producer,
    seen,
    sent,
    zombie_of,
)

pytestmark = pytest.mark.slow

CLIENT: ClientName = "kafka-python"


def test_records_have_their_ids_and_get_results() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        sender = producer(cluster, CLIENT)
        told = sent(sender, range(3))
        sender.drop()
        assert [(each.outcome, each.offset, each.error) for each in told] == [
            ("acked", offset, None) for offset in range(3)
        ]
        assert seen(cluster) == ids(0, 1, 2)


def test_a_round_is_one_request() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        produced = cluster.fault(API.PRODUCE).observe()
        sender = producer(cluster, CLIENT, "plain")
        sent(sender, range(5))
        sent(sender, range(5, 10))
        sender.drop()
        assert produced.hits == 2


@pytest.mark.parametrize(("delivery", "copies"), [("plain", 2), ("idempotent", 1)])
def test_a_batch_with_a_lost_answer_is_retried_and_acknowledged(
    delivery: Delivery, copies: int
) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.fault(API.PRODUCE).lose_response().once()
        sender = producer(cluster, CLIENT, delivery)
        (told,) = sent(sender, range(1))
        sender.drop()
        assert (told.outcome, seen(cluster)) == ("acked", ids(0) * copies)


def test_a_refusal_is_reported() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.fault(API.PRODUCE).answer("INVALID_RECORD").every_time()
        sender = producer(cluster, CLIENT, "plain")
        (told,) = sent(sender, range(1))
        sender.drop()
        assert (told.outcome, told.offset, seen(cluster)) == ("failed", None, [])
        assert told.error in {"INVALID_RECORD", "InvalidRecordError"}


def test_transactions_are_committed_and_aborted() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        sender = producer(cluster, CLIENT, "transactional")
        sender.begin()
        sent(sender, range(2))
        sender.abort()
        sender.begin()
        sent(sender, range(2, 4))
        assert seen(cluster) == []
        sender.commit()
        sender.drop()
        assert seen(cluster) == ids(2, 3)


def test_a_replaced_producer_is_fenced() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        zombie, second = zombie_of(cluster, CLIENT)
        told = sent(zombie, range(1, 2))
        with pytest.raises(LoadProducerError) as refused:
            zombie.commit()
        zombie.drop()
        assert refused.value.kind == "fatal"
        assert {each.outcome for each in told} <= {"failed"}  # nobody may have told
        second.begin()
        sent(second, range(2, 3))
        second.commit()
        second.drop()
        assert seen(cluster) == ids(2)


def test_a_dropped_zombie_sends_no_more_requests() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        asked = cluster.fault(API.INIT_PRODUCER_ID).observe()
        others = set(threading.enumerate())
        zombie = producer(cluster, CLIENT, "transactional")
        threads = set(threading.enumerate()) - others
        zombie.begin()
        sent(zombie, range(1))
        second = producer(cluster, CLIENT, "transactional")
        sent(zombie, range(1, 2))  # it is refused, and asks for another epoch
        zombie.drop()
        assert [each.is_alive() for each in threads] == [False]
        hits = asked.hits
        second.begin()
        sent(second, range(2, 3))
        second.commit()
        second.drop()
        assert (asked.hits, seen(cluster)) == (hits, ids(2))


def test_a_producer_that_is_dropped_leaves_its_transaction_open() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        sender = producer(cluster, CLIENT, "transactional")
        sender.begin()
        sent(sender, range(1))
        sender.drop()
        with pytest.raises(AssertionError, match="orders-load"):
            cluster.assert_no_open_transactions()
