"""Every error of KIP-691's list that a broker can cause, and each client's reaction.

The results are compared with `kip_691/recorded.json`; `python -m tests.clients.kip_691.record`
measures it again, and `docs/reference/kip-691.md` is generated from it.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from typing import Final

import pytest

from mockbroker import API
from mockbroker.cli.error_codes.producer_actions import PRODUCER_APIS, producer_action
from mockbroker.cli.error_codes.producer_actions import ProducerAction as JavaVerdict
from mockbroker.protocol.errors import ErrorCode
from tests.clients.kip_691.kip import LISTED
from tests.clients.kip_691.meet import outcome_of
from tests.clients.kip_691.only_by_fault import ONLY_BY_FAULT
from tests.clients.kip_691.recording import RECORDED, RECORDED_ON_KAFKA, read
from tests.clients.kip_691.row import Row
from tests.clients.kip_691.rows import ROWS
from tests.clients.kip_691.scene import ORDERS, Scene, cluster_for
from tests.clients.kip_691.template import Application, Outcome, Verdict
from tests.clients.transactors.aiokafka_transactor import AiokafkaTransactors
from tests.clients.transactors.clients import AIOKAFKA, CONFLUENT, JAVA, Clients
from tests.clients.transactors.clients import TITLES_OF_KIP_691 as TITLES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RECORDING: Final = read(RECORDED)
FORGOTTEN_BY_AIOKAFKA: Final = {
    row.name for row in ROWS if row.error is ErrorCode.GROUP_AUTHORIZATION_FAILED
}
(UNNOTICED_BY_OLD_JAVA,) = (row.name for row in ROWS if row.api is API.METADATA)
TRIES_OF_CHANCE: Final = 3
"""How often a row may come out otherwise, if it is one of chance."""
CELLS: Final = [
    pytest.param(row, title, id=f"{title}: {row.name}", marks=[pytest.mark.java] * (title in JAVA))
    for title in TITLES
    for row in ROWS
]
KINDS: Final = {
    Verdict.RETRIED: "retriable",
    Verdict.CALL_AGAIN: "retriable",
    Verdict.ABORTABLE: "abortable",
    Verdict.FATAL: "fatal",
}
SHOWN: Final = [
    pytest.param(row, title, id=f"{title}: {row.name}")
    for (title, *_), row in {
        (title, RECORDING[row.name][title].verdict, row.api): row
        for title in (CONFLUENT, AIOKAFKA)
        for row in ROWS
        if row.is_fault and row.api in {API.PRODUCE, API.END_TXN}
    }.items()
]
"""One row of each verdict, at the beginning and at the end of a transaction."""


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    with ExitStack() as running:
        yield Clients(running, tmp_path_factory.mktemp("kip-691"))


def is_of_chance(row: Row, title: str) -> bool:
    """Tell whether what comes out depends on more than the broker.

    A machine that stalls makes a timed row another. Of librdkafka's threads the one reports what
    the other is just refusing. And Java's sender fails a call first, and only in its next turn lets
    the caller call again (`Sender.shouldHandleAuthorizationError`), or fails the producer: a record
    that is sent between the two may be stored when the right is given back.
    """
    recorded = RECORDING[row.name][title]
    is_told_first = recorded.raised[:1] == ("callback: ClusterAuthorizationException",)
    calls_again = recorded.verdict is Verdict.CALL_AGAIN or is_told_first
    return row.is_timed or title == CONFLUENT or (title in JAVA and calls_again)


def comparable(outcome: Outcome, title: str) -> Outcome:
    """Return what does not depend on the order of a client's threads.

    Java's sender fails a batch first, and then its producer (`Sender.failBatch`): what is sent
    between the two is told the same once more.
    """
    if title not in JAVA:
        return outcome
    return replace(outcome, raised=tuple(each for each, _ in groupby(outcome.raised)))


@pytest.mark.parametrize(("row", "title"), CELLS)
def test_a_client_handles_an_error_as_recorded(clients: Clients, row: Row, title: str) -> None:
    recorded = comparable(RECORDING[row.name][title], title)
    for _ in range(TRIES_OF_CHANCE if is_of_chance(row, title) else 0):
        if comparable(outcome_of(clients[title], row), title) == recorded:
            return
    assert comparable(outcome_of(clients[title], row), title) == recorded


@pytest.mark.parametrize(("row", "title"), SHOWN)
def test_the_journal_shows_how_a_client_handled_an_error(
    clients: Clients, row: Row, title: str
) -> None:
    with cluster_for(row) as cluster:
        scene = Scene(bootstrap_servers=cluster.bootstrap_servers, running=cluster)
        outcome = Application(clients[title], scene, row).run()
        cluster.assert_error_handled(row.error, as_=KINDS[outcome.verdict])


def test_the_recording_has_all_rows_and_all_clients() -> None:
    assert list(RECORDING) == [row.name for row in ROWS]
    assert all(tuple(cells) == TITLES for cells in RECORDING.values())
    assert len(RECORDING) == len(ROWS)


def test_clients_react_to_real_kafka_in_the_same_way() -> None:
    """Where a test can bring it to the error from outside."""
    on_kafka = read(RECORDED_ON_KAFKA)
    assert list(on_kafka) == [row.name for row in ROWS if row.on_real_kafka]
    assert on_kafka == {
        # what a real Kafka answers is known from what the clients make of it
        row: {title: replace(outcome, answered=()) for title, outcome in RECORDING[row].items()}
        for row in on_kafka
    }


def test_the_journal_has_the_error_that_the_row_is_about() -> None:
    """Or the one that an older version of the request has for it.

    None, if nobody answered, or if the client made another call first, which had the error.
    """
    others = {
        (row.error.name, answered)
        for row in ROWS
        for outcome in RECORDING[row.name].values()
        if row.error.name not in (answered := outcome.answered)
    }
    assert others == {
        ("PRODUCER_FENCED", ("INVALID_PRODUCER_EPOCH",)),
        ("INVALID_TXN_STATE", ("INVALID_PRODUCER_EPOCH",)),
        ("REQUEST_TIMED_OUT", ()),
        ("TRANSACTION_ABORTABLE", ("INVALID_TXN_STATE",)),
        # of AddOffsetsToTxn or AddPartitionsToTxn, which Java 4.4 does not send
        ("GROUP_AUTHORIZATION_FAILED", ()),
        ("TRANSACTIONAL_ID_AUTHORIZATION_FAILED", ()),
        ("INVALID_PRODUCER_ID_MAPPING", ()),
        ("INVALID_PRODUCER_EPOCH", ()),
        # no producer was made
        ("INVALID_REQUIRED_ACKS", ()),
    }


def test_every_code_of_the_list_has_a_row() -> None:
    assert set(LISTED) <= {row.error for row in ROWS}


def test_an_error_has_a_row_without_a_fault_or_a_reason() -> None:
    by_fault = {(row.api, row.error) for row in ROWS if row.is_fault}
    without_fault = {(row.api, row.error) for row in ROWS if not row.is_fault}
    assert by_fault - without_fault == set(ONLY_BY_FAULT)


def test_the_template_ends_exactly_once() -> None:
    """But where a test below shows why it does not."""
    exceptions = {
        (row, title)
        for row, cells in RECORDING.items()
        for title, outcome in cells.items()
        if not outcome.is_exactly_once
    }
    assert exceptions == {
        *((name, AIOKAFKA) for name in FORGOTTEN_BY_AIOKAFKA),
        (UNNOTICED_BY_OLD_JAVA, "Java 2.4.1"),
    }
    assert RECORDING[UNNOTICED_BY_OLD_JAVA]["Java 2.4.1"].verdict is Verdict.UNNOTICED


@pytest.mark.parametrize("name", sorted(FORGOTTEN_BY_AIOKAFKA))
def test_aiokafka_aborts_an_empty_transaction_without_a_request(
    clients: Clients, name: str
) -> None:
    """It takes the transaction for empty, so that the next commit is of both."""
    row = next(row for row in ROWS if row.name == name)
    with cluster_for(row) as cluster:
        ends = cluster.fault(API.END_TXN).observe()  # until the attempt is over
        scene = Scene(bootstrap_servers=cluster.bootstrap_servers, running=cluster)
        outcome = Application(clients[AIOKAFKA], scene, row).run()
        assert (outcome.verdict, ends.hits) == (Verdict.ABORTABLE, 1)
        records = cluster.records(scene.topic, isolation="read_committed")
    assert [(record.value or b"").decode() for record in records] == [*ORDERS, *ORDERS[2:]]


@pytest.mark.parametrize("error", ["INVALID_RECORD", "CORRUPT_MESSAGE"])
def test_aiokafka_commits_without_the_records_whose_futures_nobody_awaits(error: str) -> None:
    (row,) = (
        row for row in ROWS if row.is_fault and row.error.name == error and row.api is API.PRODUCE
    )
    with asyncio.Runner() as runner:
        outcome = outcome_of(AiokafkaTransactors(runner, awaits_futures=False), row)
    assert outcome.verdict is Verdict.UNNOTICED
    assert not outcome.is_exactly_once


def test_java_handles_errors_as_the_table_of_errors_says() -> None:
    """But where the page says why not."""
    kinds = {Verdict.RETRIED: JavaVerdict.RETRIABLE, Verdict.FATAL: JavaVerdict.FATAL}
    differ = {
        (row.error.name, row.api)
        for row in ROWS
        if row.api in PRODUCER_APIS
        and kinds.get(RECORDING[row.name]["Java 4.4.0"].verdict, JavaVerdict.ABORTABLE)
        is not producer_action(row.api, row.error)
    }
    assert differ == {
        ("UNKNOWN_PRODUCER_ID", API.PRODUCE),
        ("REQUEST_TIMED_OUT", API.PRODUCE),
        ("REQUEST_TIMED_OUT", API.END_TXN),
    }
