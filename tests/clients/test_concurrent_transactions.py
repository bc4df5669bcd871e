"""Clients meet CONCURRENT_TRANSACTIONS as often as a delay of markers says."""

from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median
from typing import Final

import pytest

from mockbroker import Cluster
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.coordinator.holds import MarkerDelay
from tests.clients.concurrent_transactions.clients import AIOKAFKA, KAFKAJS, SARAMA, Clients
from tests.clients.concurrent_transactions.measurement import WARM_UP, Measured, counted, measure
from tests.clients.concurrent_transactions.noting_proxy import Answered, noting_proxy
from tests.clients.concurrent_transactions.recording import RECORDED, read

RELEASE: Final = "2.8"
ON_KAFKA = "2.8.2"
TRANSACTIONS = 40
DELAY_MS = 100
"""Longer than any client takes to begin its next transaction, also on a busy machine."""

ADD, END = ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.END_TXN
BUSY, NONE = ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.NONE


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    with ExitStack() as running:
        yield Clients(running, tmp_path_factory.mktemp("clients"))


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "title",
    [
        AIOKAFKA,
        pytest.param(SARAMA, marks=pytest.mark.go),
        pytest.param(KAFKAJS, marks=pytest.mark.node),
    ],
)
def test_a_client_meets_it_as_often_as_with_real_kafka(clients: Clients, title: str) -> None:
    share = median(each.met / each.transactions for each in read(RECORDED)[ON_KAFKA][title])
    with Cluster(kafka=RELEASE, topics={"orders": 1}) as cluster:
        broker_port = int(cluster.bootstrap_servers.rpartition(":")[2])
        with noting_proxy(0, broker_port) as proxy:
            cluster.advertise(f"127.0.0.1:{proxy.port}")
            cluster.delay_markers(f"{DELAY_MS}ms", probability=share)
            measured = measure(
                clients[title], f"127.0.0.1:{proxy.port}", "orders", proxy.answers, TRANSACTIONS
            )
        delays = MarkerDelay(DELAY_MS, share, seed=cluster.drawn_from)
        delayed = [delays.of_next_ms() > 0 for _ in range(WARM_UP + TRANSACTIONS)]
    # A transaction meets the end of the one before it.
    assert measured.met == sum(delayed[WARM_UP - 1 : -1])
    assert measured.met / TRANSACTIONS == pytest.approx(share, abs=0.15)
    assert set(measured.answers) == {"AddPartitionsToTxn"}


def test_answers_are_counted_by_transaction() -> None:
    first = [Answered(ADD, NONE), Answered(END, NONE)]
    second = [Answered(ADD, BUSY), Answered(ADD, BUSY), *first]
    third = [Answered(ADD, NONE), Answered(END, BUSY), Answered(END, NONE)]
    answers = [*first, *second, *third, *first]
    assert counted(answers) == Measured(4, 2, {"AddPartitionsToTxn": 2, "EndTxn": 1})
    assert counted(answers, skip=2) == Measured(2, 1, {"EndTxn": 1})
