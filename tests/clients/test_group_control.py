"""Consumers whose group a test breaks: a member is fenced, and new assignments are held."""

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from confluent_kafka import Consumer

from mockbroker import API, Cluster
from tests.clients.support.deadline import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SOON = {
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "100",
    "group.consumer.assignment.interval.ms": "0",
}
"""Configs with which members hear of changes sooner than after seconds."""
TOPIC = "shared-topic"
PARTITIONS = 2
GROUP = "broken"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={TOPIC: PARTITIONS}, config=SOON, journal=True) as running:
        yield running


def member(cluster: Cluster, group: str, **settings: str | int) -> Consumer:
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "group.protocol": "consumer",
            "enable.auto.commit": False,
            **settings,
        }
    )
    consumer.subscribe([TOPIC])
    return consumer


def polled(condition: Callable[[], bool], *members: Consumer) -> Callable[[], bool]:
    """Poll all members, and return whether a condition holds."""

    def is_so() -> bool:
        for each in members:
            message = each.poll(0.02)
            assert message is None or message.error() is None, message.error()
        return condition()

    return is_so


CLASSIC: Final = {"group.protocol": "classic", "heartbeat.interval.ms": 100}


@pytest.mark.parametrize("settings", [{}, CLASSIC], ids=["consumer", "classic"])
def test_a_rebalance_begins_an_epoch_and_no_member_is_lost(
    cluster: Cluster, settings: dict[str, str | int]
) -> None:
    consumer = member(cluster, GROUP, **settings)
    wait_until(polled(lambda: len(consumer.assignment()) == PARTITIONS, consumer))
    group = cluster.group(GROUP)
    before, (member_id,) = group.group_epoch, group.members
    group.rebalance()

    def is_over() -> bool:
        return (group.group_epoch, group.state) == (before + 1, "Stable")

    wait_until(polled(is_over, consumer))
    assert list(group.members) == [member_id]
    assert group.members[member_id].member_epoch == before + 1
    wait_until(polled(lambda: len(consumer.assignment()) == PARTITIONS, consumer))
    consumer.close()


def sharing(cluster: Cluster) -> tuple[Consumer, Consumer]:
    one, two = member(cluster, GROUP), member(cluster, GROUP)
    wait_until(polled(lambda: len(one.assignment()) == len(two.assignment()) == 1, one, two))
    return one, two


def test_a_fenced_consumer_of_librdkafka_joins_again(cluster: Cluster) -> None:
    one, two = sharing(cluster)
    group = cluster.group(GROUP)
    fenced = next(iter(group.members))
    epoch = group.group_epoch
    group.fence(fenced)
    assert fenced not in group.members
    wait_until(
        polled(lambda: len(group.members) == PARTITIONS and group.state == "Stable", one, two)
    )
    wait_until(polled(lambda: len(one.assignment()) == len(two.assignment()) == 1, one, two))
    assert group.group_epoch >= epoch + 2
    assert cluster.journal.find(kind="answer", error="UNKNOWN_MEMBER_ID")
    cluster.assert_no_partition_owned_twice(GROUP)
    one.close()
    two.close()


def test_consumers_of_librdkafka_get_their_partitions_when_they_are_released(
    cluster: Cluster,
) -> None:
    one = member(cluster, GROUP)
    wait_until(polled(lambda: len(one.assignment()) == PARTITIONS, one))
    group = cluster.group(GROUP)
    group.hold_reconciliation()
    two = member(cluster, GROUP)
    wait_until(polled(lambda: len(group.members) == PARTITIONS, one, two))
    beats = cluster.journal.count(API.CONSUMER_GROUP_HEARTBEAT)
    wait_until(
        polled(lambda: cluster.journal.count(API.CONSUMER_GROUP_HEARTBEAT) > beats + 5, one, two)
    )
    assert (len(one.assignment()), len(two.assignment())) == (PARTITIONS, 0)
    assert group.state == "Reconciling"
    group.move_coordinator()
    assert [len(each.target) for each in group.members.values()] == [1, 1]
    group.release()
    wait_until(polled(lambda: len(one.assignment()) == len(two.assignment()) == 1, one, two))
    cluster.assert_no_partition_owned_twice(GROUP)
    one.close()
    two.close()
