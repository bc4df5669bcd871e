"""Known defects of the real world are found by exploration, where they are and only there.

A commit whose answer was lost is in `test_exploration.py`, and a position that is not reset after
an abort in `test_loop.py`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mockbroker import Release
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import ExperimentOutcome, explore
from tests.clients.transactors.clients import CONFLUENT, Clients
from tests.support.explored.defects import (
    bill_with_aiokafka,
    drop_and_bill,
    give_up_what_is_slow,
    replace_what_is_slow,
    take_turns,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[Clients]:
    with ExitStack() as running:
        yield Clients(running, tmp_path)


@pytest.mark.parametrize(
    ("title", "kafka", "outcome"),
    [
        (CONFLUENT, "2.8", "broken"),
        (CONFLUENT, "4.4", "broken"),
        pytest.param("Java 4.4.0", "4.4", "survived", marks=pytest.mark.java),
    ],
)
def test_a_delayed_end_ends_the_next_transaction(
    clients: Clients, title: str, kafka: Release, outcome: str
) -> None:
    """KAFKA-17754: not with an epoch for each transaction, which needs broker and client."""
    report = explore(
        drop_and_bill(clients[title]),
        topics={"orders": 2},
        kafka=kafka,
        only=["EndTxn 1*: it arrives in the next transaction"],
        same_topics=["orders"],
        repeats=0,
    )
    assert [each.kind for each in report.outcomes] == [outcome]


@pytest.mark.parametrize(("kafka", "outcome"), [("2.8", "broken"), ("3.9", "survived")])
def test_a_late_batch_hangs_where_brokers_do_not_verify(kafka: Release, outcome: str) -> None:
    report = explore(
        give_up_what_is_slow,
        topics={"orders": 2},
        kafka=kafka,
        only=["Produce 1*: it arrives after an abort"],
        repeats=0,
    )
    (found,) = report.outcomes
    assert found.kind == outcome
    assert (kafka == "2.8") == any("HANGING" in each for each in found.reasons)


def test_aiokafka_loses_a_sequence_and_sends_no_end() -> None:
    failures = found_in(
        bill_with_aiokafka,
        "Produce 1*: it is answered with INVALID_RECORD",
        "TxnOffsetCommit 1*: it is answered with GROUP_AUTHORIZATION_FAILED",
    )
    assert {each.experiment.point.api.title: each.reasons for each in failures} == {
        "Produce": ("AssertionError: order 0 was never billed",),
        "TxnOffsetCommit": ("bills: 0 records missing, 1 record too many",),
    }


def test_a_join_that_ends_between_two_polls_of_kafka_python_is_forgotten() -> None:
    # It depends on the order of the client's threads: most explorations find it, not all.
    (failure,) = next(filter(None, (joins() for _ in range(6))))
    assert failure.reasons[0] == "AssertionError: a member got no partition"


def joins() -> list[ExperimentOutcome]:
    try:
        return found_in(take_turns, "SyncGroup 2 of client 'first'*: * slow")
    except AssertionError as error:
        if "it fails without a fault" in str(error):
            return []  # the client's threads may forget a join by themselves, too
        raise


def test_a_zombie_aborts_the_transaction_of_its_successor() -> None:
    failures = found_in(replace_what_is_slow, "Produce 1*: the * never *")
    assert failures
    assert all("_FENCED" in each.reasons[0] for each in failures)


def found_in(program: Callable[[ClusterHandle], None], *only: str) -> list[ExperimentOutcome]:
    report = explore(
        program,
        topics={"orders": 2, "bills": 1},
        brokers=2,
        same_topics=["bills"],
        only=only,
        repeats=0,
        jobs=4,  # they wait for the clients
    )
    return report.failures
