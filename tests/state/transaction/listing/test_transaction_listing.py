"""The filters of ListTransactions."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.listing.transaction_listing import (
    TransactionFilters,
    list_transactions,
)
from tests.state.transaction.coordinator_building import Coordinated

NOW_MS = 1_000


@pytest.fixture(name="it")
def _it() -> Coordinated:
    """Create four transactional ids: two open, one ended, one without any transaction."""
    it = Coordinated()
    for begun_ms, transactional_id in [(100, "a-1"), (900, "a-2"), (100, "b-1"), (0, "b-2")]:
        producer = it.init(transactional_id=transactional_id)
        if begun_ms:
            it.add(producer, transactional_id=transactional_id, now_ms=begun_ms)
    it.abort((2, 0), transactional_id="b-1", now_ms=200)
    it.host.run_pending(200)
    return it


def listed(it: Coordinated, filters: TransactionFilters) -> list[str]:
    found = list_transactions(it.coordinator, filters, NOW_MS)
    return sorted(metadata.transactional_id for metadata in found.transactions)


EVERYBODY = ["a-1", "a-2", "b-1", "b-2"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (TransactionFilters(), EVERYBODY),
        (TransactionFilters(states=("Ongoing",)), ["a-1", "a-2"]),
        (TransactionFilters(states=("Ongoing", "Empty")), ["a-1", "a-2", "b-2"]),
        (TransactionFilters(states=("CompleteAbort",)), ["b-1"]),
        (TransactionFilters(states=("ongoing",)), []),
        (TransactionFilters(states=("Ongoing", "Nonsense")), ["a-1", "a-2"]),
        (TransactionFilters(producer_ids=frozenset({0, 3, 77})), ["a-1", "b-2"]),
        (TransactionFilters(producer_ids=frozenset({77})), []),
        (TransactionFilters(duration_ms=0), EVERYBODY),
        (TransactionFilters(duration_ms=99), EVERYBODY),
        (TransactionFilters(duration_ms=100), ["a-1", "b-1", "b-2"]),
        (TransactionFilters(duration_ms=899), ["a-1", "b-1", "b-2"]),
        (TransactionFilters(duration_ms=900), ["b-2"]),
        (TransactionFilters(duration_ms=-5), EVERYBODY),
        (TransactionFilters(transactional_id_pattern="a-.*"), ["a-1", "a-2"]),
        (TransactionFilters(transactional_id_pattern="a"), []),
        (TransactionFilters(transactional_id_pattern=""), EVERYBODY),
        (TransactionFilters(states=("Ongoing",), transactional_id_pattern=".*1"), ["a-1"]),
    ],
)
def test_a_transactional_id_is_listed_if_it_matches_all_filters(
    it: Coordinated, filters: TransactionFilters, expected: list[str]
) -> None:
    assert listed(it, filters) == expected


def test_unknown_state_filters_are_returned(it: Coordinated) -> None:
    filters = TransactionFilters(states=("Nonsense", "Ongoing", "ongoing", "Nonsense"))
    found = list_transactions(it.coordinator, filters, NOW_MS)
    assert found.unknown_state_filters == ("Nonsense", "ongoing")


@pytest.mark.parametrize("pattern", ["(", "*", "[", "a{2,1}", "(?P<n>a)(?P<n>b)", "a" * 10 + "("])
def test_an_invalid_pattern_is_refused(it: Coordinated, pattern: str) -> None:
    with pytest.raises(ApiError) as refusal:
        listed(it, TransactionFilters(transactional_id_pattern=pattern))
    assert refusal.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


@pytest.mark.parametrize(
    "pattern",
    [r"(a)\1", "(?=a)a.*", "(?!b)a.*", "(?<=x)a", "(?<!x)a.*", "(?>a*)b", "(?P<n>a)(?P=n)", "a*+"],
)
def test_a_pattern_that_re2_does_not_support_is_refused(it: Coordinated, pattern: str) -> None:
    with pytest.raises(ApiError) as refusal:
        listed(it, TransactionFilters(transactional_id_pattern=pattern))
    assert refusal.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


@pytest.mark.parametrize("pattern", ["(?:a)-.*", r"(?P<name>a)\-.*", "(?i)A-.*", r"a[\-*+].*"])
def test_a_pattern_that_re2_supports_is_accepted(it: Coordinated, pattern: str) -> None:
    filters = TransactionFilters(transactional_id_pattern=pattern)
    assert listed(it, filters) == ["a-1", "a-2"]


def test_nothing_is_listed_while_anything_loads(it: Coordinated) -> None:
    it.coordinator.on_election(0, 1)
    with pytest.raises(ApiError) as refusal:
        listed(it, TransactionFilters())
    assert refusal.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    it.host.run_pending()
    assert listed(it, TransactionFilters()) == EVERYBODY
