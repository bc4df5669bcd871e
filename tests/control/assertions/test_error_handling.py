"""Handling of an error by producers, derived from their later requests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.control.assertions.error_handling import (
    ErrorHandling,
    as_handling,
    handled_errors,
    handling_findings,
)
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer

RETRIABLE, ABORTABLE = ErrorHandling.RETRIABLE, ErrorHandling.ABORTABLE
FATAL, UNNOTICED = ErrorHandling.FATAL, ErrorHandling.UNNOTICED


class Scene:
    """A cluster that answers one call with an error, and a producer that takes it somehow."""

    def __init__(self, cluster: Cluster, open_until: ExitStack, api: ApiKey, error: str) -> None:
        self.cluster = cluster
        self._open_until = open_until
        self.error = ErrorCode[error]
        cluster.fault(api).answer(self.error)
        self.producer = self.another()

    def another(self) -> WireProducer:
        producer = WireProducer(self.cluster.bootstrap_servers, "mine")
        self._open_until.enter_context(producer)
        producer.init_producer_id()
        return producer

    def begin(self) -> None:
        self.producer.add_partition("orders")
        self.produce()

    def produce(self, base_sequence: int = 0) -> None:
        self.producer.produce("orders", b"value", base_sequence=base_sequence)

    def taken_for(self) -> list[ErrorHandling]:
        found = handled_errors(self.cluster.journal.entries(), self.error)
        return [each.handling for each in found]


NewScene = Callable[..., Scene]


@pytest.fixture
def scene() -> Iterator[NewScene]:
    """Make a scene, of an API and an error."""
    with ExitStack() as open_until, Cluster(topics={"orders": 1}, journal=True) as cluster:

        def made(api: ApiKey, error: str = "NOT_ENOUGH_REPLICAS") -> Scene:
            return Scene(cluster, open_until, api, error)

        yield made


def test_a_producer_that_retries_and_commits_handled_the_error_as_retriable(
    scene: NewScene,
) -> None:
    stage = scene(API.PRODUCE)
    stage.begin()
    stage.produce()
    assert stage.taken_for() == [RETRIABLE]  # though nothing is committed yet
    stage.producer.commit()
    assert stage.taken_for() == [RETRIABLE]


def test_a_producer_that_goes_on_with_other_records_did_not_notice_the_error(
    scene: NewScene,
) -> None:
    stage = scene(API.PRODUCE, "INVALID_RECORD")
    stage.begin()
    stage.cluster.create_topic("refunds")
    stage.producer.add_partition("refunds")
    stage.producer.produce("refunds", b"value", base_sequence=0)
    stage.producer.commit()
    assert stage.taken_for() == [UNNOTICED]


def test_a_repeated_commit_counts_as_retriable(scene: NewScene) -> None:
    stage = scene(API.END_TXN, "COORDINATOR_NOT_AVAILABLE")
    stage.begin()
    stage.producer.commit()
    stage.producer.commit()
    assert stage.taken_for() == [RETRIABLE]


def test_a_producer_that_aborts_and_continues_handled_the_error_as_abortable(
    scene: NewScene,
) -> None:
    stage = scene(API.PRODUCE, "INVALID_RECORD")
    stage.begin()
    stage.producer.abort()
    assert stage.taken_for() == [ABORTABLE]
    stage.begin()
    stage.producer.commit()
    stage.another()  # as when the application starts again for another reason
    assert stage.taken_for() == [ABORTABLE]


def test_a_producer_that_bumps_its_epoch_handled_the_error_as_abortable(scene: NewScene) -> None:
    stage = scene(API.PRODUCE, "UNKNOWN_PRODUCER_ID")
    stage.begin()
    stage.producer.init_producer_id(keep_id=True)
    assert stage.taken_for() == [ABORTABLE]


def test_a_producer_that_aborts_and_is_replaced_handled_the_error_as_fatal(scene: NewScene) -> None:
    stage = scene(API.PRODUCE, "INVALID_RECORD")
    stage.begin()
    stage.producer.abort()
    stage.another()
    assert stage.taken_for() == [FATAL]


def test_a_producer_that_stops_sending_handled_the_error_as_fatal(scene: NewScene) -> None:
    stage = scene(API.END_TXN, "PRODUCER_FENCED")
    stage.begin()
    stage.producer.commit()
    assert stage.taken_for() == [FATAL]
    stage.another()
    assert stage.taken_for() == [FATAL]


def test_a_commit_without_the_refused_records_counts_as_unnoticed(scene: NewScene) -> None:
    stage = scene(API.PRODUCE, "INVALID_RECORD")
    stage.begin()
    stage.producer.commit()
    assert stage.taken_for() == [UNNOTICED]
    entries = stage.cluster.journal.entries()
    (finding,) = handling_findings(entries, ErrorCode.INVALID_RECORD, RETRIABLE)
    assert "Produce of 'mine', got INVALID_RECORD, which was not noticed" in finding.text
    assert "EndTxn (COMMIT), followed" in finding.text


def test_an_init_producer_id_is_only_retried_by_the_same_client(scene: NewScene) -> None:
    stage = scene(API.INIT_PRODUCER_ID, "COORDINATOR_LOAD_IN_PROGRESS")
    assert stage.taken_for() == [FATAL]
    stage.producer.init_producer_id()
    assert stage.taken_for() == [RETRIABLE]


def test_an_init_producer_id_of_another_connection_is_no_retry(scene: NewScene) -> None:
    stage = scene(API.INIT_PRODUCER_ID, "PRODUCER_FENCED")
    stage.another()
    assert stage.taken_for() == [FATAL]


@pytest.mark.parametrize(
    ("looked_up_over", "handling"), [(1, ErrorHandling.RETRIABLE), (5, ErrorHandling.FATAL)]
)
def test_a_producer_that_connects_anew_to_its_coordinator_looks_for_it_where_it_did(
    looked_up_over: int, handling: ErrorHandling
) -> None:
    calls = [
        (ApiKey.FIND_COORDINATOR, 1, ErrorCode.NONE),
        (ApiKey.INIT_PRODUCER_ID, 2, ErrorCode.NOT_COORDINATOR),
        (ApiKey.FIND_COORDINATOR, looked_up_over, ErrorCode.NONE),
        (ApiKey.INIT_PRODUCER_ID, 6, ErrorCode.NONE),
    ]
    entries: list[Entry] = []
    for call, (api, connection, error) in enumerate(calls, 1):
        row = Entry(
            2 * call, "request", 0, 0, call=call, broker=1, connection=connection, api=api,
            transactional_id="mine",
        )  # fmt: skip
        entries += [row, row._replace(seq=2 * call + 1, kind="answer", error=error)]
    (found,) = handled_errors(entries, ErrorCode.NOT_COORDINATOR)
    assert found.handling is handling


def test_only_the_named_producer_and_error_are_checked(scene: NewScene) -> None:
    stage = scene(API.PRODUCE)
    stage.begin()
    entries = stage.cluster.journal.entries()
    assert handled_errors(entries, stage.error, "another") == []
    (finding,) = handling_findings(entries, stage.error, RETRIABLE, "another")
    assert finding.text == "no 'another' got NOT_ENOUGH_REPLICAS"
    (finding,) = handling_findings(entries, ErrorCode.PRODUCER_FENCED, RETRIABLE)
    assert finding.text == "no transactional producer got PRODUCER_FENCED"


def test_questions_of_brokers_are_no_requests_of_a_producer() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        question = cluster.fault(API.ADD_PARTITIONS_TO_TXN, between_brokers=True)
        question.answer("TRANSACTION_ABORTABLE")
        producer.init_producer_id()
        producer.add_partition("orders")
        refused = producer.produce("orders", b"value", base_sequence=0)
        entries = cluster.journal.entries()
    assert refused.error is ErrorCode.INVALID_TXN_STATE
    assert handled_errors(entries, ErrorCode.TRANSACTION_ABORTABLE) == []
    (handled,) = handled_errors(entries, ErrorCode.INVALID_TXN_STATE)
    assert handled.handling is FATAL


def test_unknown_kinds_are_refused() -> None:
    assert as_handling("fatal") is FATAL
    for text in ("unnoticed", "lethal"):
        with pytest.raises(ValueError, match="retriable, abortable, fatal"):
            as_handling(text)


def test_the_handling_of_an_error_is_asserted() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        cluster.fault(API.PRODUCE).answer("NOT_ENOUGH_REPLICAS")
        with WireProducer(cluster.bootstrap_servers, "svc") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"x", base_sequence=0)
            producer.produce("orders", b"x", base_sequence=0)
            producer.commit()
        cluster.assert_error_handled("NOT_ENOUGH_REPLICAS", as_="retriable")
        with pytest.raises(ClusterAssertionError) as taken:
            cluster.assert_error_handled("NOT_ENOUGH_REPLICAS", as_="fatal")
        text = str(taken.value)
        assert (
            "assert_error_handled(NOT_ENOUGH_REPLICAS, as_='fatal'): it was handled otherwise"
            in text
        )
        assert "which was handled as retriable" in text
        with pytest.raises(ClusterAssertionError, match="no 'other' got"):
            cluster.assert_error_handled(
                ERR.NOT_ENOUGH_REPLICAS, as_="retriable", transactional_id="other"
            )


def test_asserting_the_handling_of_an_error_needs_the_journal() -> None:
    with Cluster() as cluster, pytest.raises(RuntimeError, match="the journal is off"):
        cluster.assert_error_handled("NOT_ENOUGH_REPLICAS", as_="retriable")
