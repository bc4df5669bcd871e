"""Offsets that groups have committed, read from `__consumer_offsets`."""

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from mockbroker import Cluster, Release
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.committed_offsets import CommittedPartition, committed_offsets


@pytest.mark.parametrize("kafka", ["2.5", "4.4"])
def test_the_last_offset_of_each_group_counts_and_those_of_aborted_transactions_do_not(
    kafka: Release,
) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 2}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        assert committed_offsets(asked) == {}
        settings = {"bootstrap.servers": cluster.bootstrap_servers}
        consumer = Consumer({**settings, "group.id": "billing"})
        for offset in (3, 5):
            consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
        producer = Producer({**settings, "transactional.id": "app"})
        producer.init_transactions(10)
        metadata = consumer.consumer_group_metadata()
        for offset, end in ((7, producer.commit_transaction), (9, producer.abort_transaction)):
            producer.begin_transaction()
            offsets = [TopicPartition("orders", 1, offset)]
            producer.send_offsets_to_transaction(offsets, metadata, 10)
            end(10)
        consumer.close()
        committed = {place: value.offset for place, value in committed_offsets(asked).items()}
        assert committed == {
            CommittedPartition("billing", "orders", 0): 5,
            CommittedPartition("billing", "orders", 1): 7,
        }


@pytest.mark.parametrize("kafka", ["2.5", "4.4"])
def test_a_plain_commit_after_the_offset_of_a_transaction_stays(kafka: Release) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        settings = {"bootstrap.servers": cluster.bootstrap_servers}
        consumer = Consumer({**settings, "group.id": "billing"})
        producer = Producer({**settings, "transactional.id": "app"})
        producer.init_transactions(10)
        producer.begin_transaction()
        metadata = consumer.consumer_group_metadata()
        producer.send_offsets_to_transaction([TopicPartition("orders", 0, 88)], metadata, 10)
        consumer.commit(offsets=[TopicPartition("orders", 0, 5)], asynchronous=False)
        producer.commit_transaction(10)
        consumer.close()
        committed = {place: value.offset for place, value in committed_offsets(asked).items()}
        assert committed == {CommittedPartition("billing", "orders", 0): 5}
