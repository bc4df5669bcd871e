"""InitProducerId assigns unique producer ids."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from tests.support.in_process import Brokers
from tests.support.transactions import Transactor, new_brokers

INIT_6 = 6


def ask(
    brokers: Brokers, request: InitProducerIdRequest, version: int = 4, broker_id: int = 1
) -> InitProducerIdResponse:
    return brokers.ask(request, version, InitProducerIdResponse, broker_id=broker_id)


def request_of(
    *, transactional_id: str | None = None, producer_id: int = -1, producer_epoch: int = -1
) -> InitProducerIdRequest:
    return InitProducerIdRequest(
        transactional_id=transactional_id,
        transaction_timeout_ms=60_000,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
    )


@pytest.mark.parametrize("version", range(6))
def test_every_producer_gets_an_id_of_its_own(version: int) -> None:
    brokers = Brokers(brokers=2)
    answers = [ask(brokers, request_of(), version, broker) for broker in (1, 2, 1, 2)]
    assert len({answer.producer_id for answer in answers}) == 4
    assert {(answer.producer_epoch, answer.error_code) for answer in answers} == {(0, 0)}


def test_an_existing_producer_id_makes_no_difference() -> None:
    brokers = Brokers()
    first = ask(brokers, request_of()).producer_id
    again = ask(brokers, request_of(producer_id=first, producer_epoch=3))
    assert again.producer_id != first
    assert again.producer_epoch == 0


@pytest.mark.parametrize(("producer_id", "producer_epoch"), [(5, -1), (-1, 5)])
def test_an_id_goes_with_its_epoch(producer_id: int, producer_epoch: int) -> None:
    request = request_of(producer_id=producer_id, producer_epoch=producer_epoch)
    assert ask(Brokers(), request).error_code == ErrorCode.INVALID_REQUEST


def test_a_transactional_id_keeps_its_producer_id_and_gets_the_next_epoch() -> None:
    producer = Transactor(new_brokers())
    first, second = producer.init(), producer.init()
    assert (first.producer_epoch, second.producer_epoch) == (0, 1)
    assert first.producer_id == second.producer_id


@pytest.mark.parametrize(
    ("version", "code"),
    [(3, ErrorCode.INVALID_PRODUCER_EPOCH), (4, ErrorCode.PRODUCER_FENCED)],
)
def test_a_fenced_producer_gets_a_code_of_its_version(version: int, code: ErrorCode) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    for _ in range(3):
        producer.init()
    request = request_of(
        transactional_id="mine", producer_id=producer.producer_id, producer_epoch=0
    )
    before = brokers.state.as_text()
    answer = ask(brokers, request, version)
    assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (code, -1, -1)
    assert brokers.state.as_text() == before


@pytest.mark.parametrize("timeout_ms", [0, -1, 900_001, 1 << 31 - 1])
def test_an_absurd_timeout_is_refused(timeout_ms: int) -> None:
    brokers = new_brokers()
    before = brokers.state.as_text()
    answer = Transactor(brokers, timeout_ms=timeout_ms).init()
    assert answer.error_code == ErrorCode.INVALID_TRANSACTION_TIMEOUT
    assert brokers.state.as_text() == before


def test_an_empty_transactional_id_is_refused() -> None:
    answer = ask(new_brokers(), request_of(transactional_id=""))
    assert answer.error_code == ErrorCode.INVALID_REQUEST


def test_before_there_is_a_transaction_log_there_is_no_coordinator() -> None:
    answer = ask(Brokers(), request_of(transactional_id="mine"))
    assert answer.error_code == ErrorCode.NOT_COORDINATOR


def test_the_unstable_version_is_served_if_enabled() -> None:
    assert INIT_6 not in Brokers().service.routes[ApiKey.INIT_PRODUCER_ID].versions
    enabled = new_brokers(
        configs={
            "unstable.api.versions.enable": "true",
            "transaction.two.phase.commit.enable": "true",
        }
    )
    request = InitProducerIdRequest(
        transactional_id="mine", transaction_timeout_ms=1, enable2_pc=True
    )
    answer = ask(enabled, request, INIT_6)
    assert (answer.error_code, answer.producer_epoch) == (0, 0)
    assert (answer.ongoing_txn_producer_id, answer.ongoing_txn_producer_epoch) == (-1, -1)
