"""Loops that consume, process and produce: one bug of each is found, and without it it survives."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import Report, explore

pytestmark = pytest.mark.slow

ORDERS = TopicPartition("orders", 0)
COUNT = 3
TIMEOUT_S = 5.0
ATTEMPTS = 3


class Loop:
    """A loop that bills orders, and begins again with new clients after an error."""

    def __call__(self, cluster: ClusterHandle) -> None:
        """Bill all orders."""
        send_orders(cluster)
        for _ in range(ATTEMPTS):
            try:
                return self.bill_all(cluster)
            except KafkaException:
                continue
        raise AssertionError("it never worked")

    def bill_all(self, cluster: ClusterHandle) -> None:
        """Bill orders, each in a transaction, until all are billed."""
        with clients(cluster) as (consumer, producer):
            at = committed(consumer)
            consumer.assign([TopicPartition("orders", 0, at)])
            while at < COUNT:
                message = consumer.poll(TIMEOUT_S)
                assert message is not None
                assert message.error() is None
                order = message.value()
                assert order is not None
                producer.begin_transaction()
                try:
                    self.bill(consumer, producer, order)
                    at += 1
                except KafkaException as error:
                    at = self.recover(consumer, producer, error, at)

    def bill(self, consumer: Consumer, producer: Producer, order: bytes) -> None:
        """Bill one order in the open transaction, with its offset."""
        producer.produce("bills", order)
        self.keep_position(consumer, producer)
        producer.commit_transaction(TIMEOUT_S)

    def keep_position(self, consumer: Consumer, producer: Producer) -> None:
        """Commit the offset in the transaction."""
        position = consumer.position([ORDERS])
        metadata = consumer.consumer_group_metadata()
        producer.send_offsets_to_transaction(position, metadata, TIMEOUT_S)

    def recover(
        self, consumer: Consumer, producer: Producer, error: KafkaException, at: int
    ) -> int:
        """Abort, go back to the first order that is not billed, and return its offset."""
        if not error.args[0].txn_requires_abort():
            raise error
        producer.abort_transaction(TIMEOUT_S)
        consumer.seek(TopicPartition("orders", 0, at))
        return at


class LoopThatGoesOnAfterAnAbort(Loop):
    """The position is not reset: what was consumed in the aborted transaction is skipped."""

    def recover(
        self, consumer: Consumer, producer: Producer, error: KafkaException, at: int
    ) -> int:
        """Abort, and go on with the next order."""
        return super().recover(consumer, producer, error, at + 1)


class LoopWithOffsetsOutside(Loop):
    """Offsets are committed after the transaction, not in it."""

    def bill(self, consumer: Consumer, producer: Producer, order: bytes) -> None:
        """Bill one order, then commit its offset."""
        producer.produce("bills", order)
        producer.commit_transaction(TIMEOUT_S)
        consumer.commit(asynchronous=False)


@contextmanager
def clients(cluster: ClusterHandle) -> Iterator[tuple[Consumer, Producer]]:
    """Make a consumer and a producer; the last transaction has ended before offsets are read."""
    named = {"transactional.id": "billing", "linger.ms": 0, "log_level": 0}
    producer = Producer(cluster.client_config("confluent", **named))
    producer.init_transactions(TIMEOUT_S)
    group = {"group.id": "billing", "enable.auto.commit": False, "log_level": 0}
    consumer = Consumer(cluster.client_config("confluent", **group))
    try:
        yield consumer, producer
    finally:
        consumer.close()


def committed(consumer: Consumer) -> int:
    """Return the offset of the first order that is not billed."""
    return max(consumer.committed([ORDERS], TIMEOUT_S)[0].offset, 0)


def send_orders(cluster: ClusterHandle) -> None:
    """Send the orders."""
    producer = Producer(cluster.client_config("confluent", **{"client.id": "shop"}))
    for number in range(COUNT):
        producer.produce("orders", b"order-%d" % number)
    assert producer.flush(TIMEOUT_S) == 0


def read_all(cluster: ClusterHandle) -> None:
    """Read all orders as a member of a group, and commit each; what is read again is no matter."""
    send_orders(cluster)
    group = {"group.id": "readers", "enable.auto.commit": False, "log_level": 0}
    soon = {"auto.offset.reset": "earliest", "heartbeat.interval.ms": 50}
    consumer = Consumer(cluster.client_config("confluent", **group, **soon))
    consumer.subscribe(["orders"])
    position = 0
    while position < COUNT:
        message = consumer.poll(TIMEOUT_S)
        assert message is not None
        try:
            (kept,) = consumer.commit(message=message, asynchronous=False)
            position = kept.offset
        except KafkaException as error:
            if error.args[0].name() not in {"ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS"}:
                raise
    consumer.close()


def explored(loop: Loop, *only: str) -> Report:
    topics = {"orders": 1, "bills": 1}
    return explore(loop, topics=topics, same_topics=["bills"], only=only, repeats=0)


ABORTED = "TxnOffsetCommit 2*: it is answered with FENCED_MEMBER_EPOCH"
NOT_COMMITTED = "OffsetCommit 2*: it is answered with REBALANCE_IN_PROGRESS"
ENDS = ("EndTxn 2*: the answer is lost", "EndTxn 2*: another instance fences it")


def test_a_loop_that_goes_on_after_an_abort_skips_an_order() -> None:
    (failure,) = explored(LoopThatGoesOnAfterAnAbort(), ABORTED).failures
    assert failure.reasons == ("bills: 1 record missing, 0 records too many",)


def test_a_loop_that_commits_offsets_outside_of_the_transaction_bills_an_order_twice() -> None:
    (failure,) = explored(LoopWithOffsetsOutside(), NOT_COMMITTED).failures
    assert failure.reasons == ("bills: 0 records missing, 1 record too many",)


def test_the_repaired_loop_survives() -> None:
    report = explored(Loop(), ABORTED, *ENDS)
    assert [each.kind for each in report.outcomes] == ["survived"] * 3
    report.assert_survived()


def test_a_member_of_a_group_survives_its_rebalance() -> None:
    only = ["Heartbeat 1 *: its group rebalances", "OffsetCommit 2 *: its group rebalances"]
    report = explore(read_all, topics={"orders": 1}, only=only, repeats=0)
    assert {each.kind for each in report.outcomes} == {"survived"}
