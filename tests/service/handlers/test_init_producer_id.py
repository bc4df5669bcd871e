"""InitProducerId: ids that nobody has had."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from tests.service.support.in_process import Brokers
from tests.service.support.logged import Logged


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


def test_an_id_that_one_has_makes_no_difference() -> None:
    brokers = Brokers()
    first = ask(brokers, request_of()).producer_id
    again = ask(brokers, request_of(producer_id=first, producer_epoch=3))
    assert again.producer_id != first
    assert again.producer_epoch == 0


@pytest.mark.parametrize(("producer_id", "producer_epoch"), [(5, -1), (-1, 5)])
def test_an_id_goes_with_its_epoch(producer_id: int, producer_epoch: int) -> None:
    request = request_of(producer_id=producer_id, producer_epoch=producer_epoch)
    assert ask(Brokers(), request).error_code == ErrorCode.INVALID_REQUEST


def test_transactions_are_refused(logged: Logged) -> None:
    brokers = Brokers()
    before = brokers.state.as_text()
    answer = ask(brokers, request_of(transactional_id="mine"))
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert brokers.state.as_text() == before
    (fields,) = logged.named("request_refused")
    assert "'mine'" in str(fields["why"])
