"""ListTransactions: the transactional ids that a broker coordinates."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from tests.support.in_process import Brokers
from tests.support.transactions import Transactor, new_brokers


@pytest.fixture
def brokers() -> Brokers:
    """One transactional id that has done nothing, and one in a transaction."""
    brokers = new_brokers()
    for name in ("idle", "busy"):
        Transactor(brokers, name).init()
    busy = Transactor(brokers, "busy")
    busy.init()
    busy.add(0)
    return brokers


def listed(brokers: Brokers, request: ListTransactionsRequest, version: int = 2) -> set[str]:
    answer = brokers.ask(request, version, ListTransactionsResponse)
    assert answer.error_code == ErrorCode.NONE
    return {
        f"{each.transactional_id} {each.transaction_state}" for each in answer.transaction_states
    }


@pytest.mark.parametrize("version", range(3))
def test_without_filters_all_transactions_are_listed(brokers: Brokers, version: int) -> None:
    assert listed(brokers, ListTransactionsRequest(), version) == {"idle Empty", "busy Ongoing"}


def test_transactions_are_filtered_by_state_and_producer(brokers: Brokers) -> None:
    by_state = ListTransactionsRequest(state_filters=["Ongoing", "Nonsense"])
    assert listed(brokers, by_state) == {"busy Ongoing"}
    answer = brokers.ask(by_state, 2, ListTransactionsResponse)
    assert answer.unknown_state_filters == ["Nonsense"]
    (busy,) = answer.transaction_states
    by_producer = ListTransactionsRequest(producer_id_filters=[busy.producer_id])
    assert listed(brokers, by_producer) == {"busy Ongoing"}
    by_pattern = ListTransactionsRequest(transactional_id_pattern="i.*")
    assert listed(brokers, by_pattern) == {"idle Empty"}


def test_transactions_are_filtered_by_duration(brokers: Brokers) -> None:
    request = ListTransactionsRequest(state_filters=["Ongoing"], duration_filter=1000)
    assert listed(brokers, request) == set()
    brokers.clock.advance(1001)
    assert listed(brokers, request) == {"busy Ongoing"}


def test_an_invalid_pattern_is_refused(brokers: Brokers) -> None:
    request = ListTransactionsRequest(transactional_id_pattern="(")
    answer = brokers.ask(request, 2, ListTransactionsResponse)
    assert answer.error_code == ErrorCode.INVALID_REGULAR_EXPRESSION
