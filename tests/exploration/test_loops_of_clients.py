"""Loops of five clients, with a bug each: it is found, and repaired it is gone.

`python -m tools.explored_clients` explores the repaired loop with every client.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mockbroker.exploration import Report, explore
from tests.clients.transactors.clients import CONFLUENT, FRANZ_GO, KAFKA_PYTHON, KAFKAJS, Clients
from tests.support.explored.loops import (
    TOPICS,
    Loop,
    LoopOfTwoInstances,
    LoopThatCommitsAgain,
    LoopThatDoesNotFlush,
    LoopThatKeepsItsState,
    LoopThatSwallowsErrors,
    LoopWithNewProducers,
    LoopWithOffsetsOutside,
)

pytestmark = pytest.mark.slow

JAVA = "Java 4.4.0"
FENCED = "another instance fences it"
REFUSED = "it is answered with MESSAGE_TOO_LARGE"
TWICE = "bills: 0 records missing, 1 record too many"
LOST = "bills: 1 record missing, 0 records too many"


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[Clients]:
    with ExitStack() as running:
        yield Clients(running, tmp_path)


def explored(loop: Loop, *only: str) -> Report:
    return explore(loop, topics=TOPICS, same_topics=["bills"], only=only, repeats=0, brokers=2)


@pytest.mark.parametrize(
    ("title", "broken", "repaired", "fault", "place", "reason"),
    [
        (CONFLUENT, LoopWithOffsetsOutside, Loop, FENCED, "EndTxn 2 ", TWICE),
        (KAFKA_PYTHON, LoopThatKeepsItsState, LoopOfTwoInstances, FENCED, "EndTxn 1 ", TWICE),
        pytest.param(
            JAVA, LoopThatCommitsAgain, Loop, FENCED, "EndTxn 3 ", LOST, marks=pytest.mark.java
        ),
        pytest.param(
            KAFKAJS,
            LoopThatSwallowsErrors,
            LoopWithNewProducers,
            REFUSED,
            "Produce 1 ",
            LOST,
            marks=pytest.mark.node,
        ),
        pytest.param(
            FRANZ_GO, LoopThatDoesNotFlush, Loop, REFUSED, "Produce 1 ", LOST, marks=pytest.mark.go
        ),
    ],
    ids=["offsets outside", "state kept", "commit again", "errors swallowed", "no flush"],
)
def test_a_bug_is_found_and_the_repaired_loop_survives(
    clients: Clients,
    title: str,
    broken: type[Loop],
    repaired: type[Loop],
    fault: str,
    place: str,
    reason: str,
) -> None:
    only = f"{place}*: {fault}"  # this place, to be quick
    (failure,) = explored(broken(clients[title]), only).failures
    assert failure.reasons == (reason,)
    report = explored(repaired(clients[title]), only)
    assert {each.kind for each in report.outcomes} == {"survived"}
