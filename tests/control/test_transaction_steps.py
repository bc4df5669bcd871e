"""The coordinator step by step: it moves, dies or crashes at each step of a transaction's end."""

from typing import Final

import pytest

from mockbroker import Cluster, Release
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer

pytestmark = pytest.mark.slow

PARTITIONS: Final = 2
STEPS: Final = {
    "decided": 0,
    "one marker written": 1,
    "all markers written": PARTITIONS,
    "over": PARTITIONS + 1,
}
"""Number of steps before the coordinator is lost."""


def move(cluster: Cluster) -> None:
    cluster.move_coordinator("orders-svc")


def kill(cluster: Cluster) -> None:
    cluster.kill(cluster.coordinator_of("orders-svc"))


def restart(cluster: Cluster) -> None:
    lost = cluster.coordinator_of("orders-svc")
    cluster.kill(lost)
    cluster.start(lost)


def crash(cluster: Cluster) -> None:
    cluster.flush()
    cluster.crash()


EVENTS: Final = {"moves": move, "is killed": kill, "is restarted": restart, "crashes": crash}


def markers_of(cluster: Cluster) -> list[int]:
    """Count the markers in each partition: a log holds a record and them."""
    return [cluster.partition("orders", n).log_end_offset - 1 for n in range(PARTITIONS)]


@pytest.mark.parametrize("release", ["4.4", "2.4"])
@pytest.mark.parametrize("decision", ["commit", "abort"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("event", EVENTS)
def test_a_decided_transaction_ends_whatever_happens_between_its_steps(
    event: str, step: str, decision: str, release: Release
) -> None:
    with (
        Cluster(brokers=3, topics={"orders": PARTITIONS}, kafka=release) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        for index in range(PARTITIONS):
            assert producer.add_partition("orders", index) is ErrorCode.NONE
            produced = producer.produce("orders", b"order", base_sequence=0, index=index)
            assert produced.error is ErrorCode.NONE
        transaction = cluster.transaction("orders-svc")
        transaction.hold_ending()
        assert (producer.commit() if decision == "commit" else producer.abort()) is ErrorCode.NONE
        for _ in range(STEPS[step]):
            assert transaction.step() is not None

        EVENTS[event](cluster)

        is_over = step == "over"
        state = f"Complete{decision.title()}" if is_over else f"Prepare{decision.title()}"
        assert transaction.state == state
        # What a new coordinator reads in its log is the decision: it marks all partitions (again).
        assert len(transaction.partitions) == (0 if is_over else PARTITIONS)
        transaction.release()
        assert transaction.state == f"Complete{decision.title()}"
        committed = cluster.records("orders", isolation="read_committed")
        assert len(committed) == (PARTITIONS if decision == "commit" else 0)
        marked_before = min(STEPS[step], PARTITIONS)
        again = 0 if is_over else 1
        assert markers_of(cluster) == [
            again + (1 if index < marked_before else 0) for index in range(PARTITIONS)
        ]
        cluster.assert_no_open_transactions()
