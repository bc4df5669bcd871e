"""Entries are chosen by the values of their columns."""

import pytest

from mockbroker.journal.entry import Entry
from mockbroker.journal.selection import Selection, errors_of
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

PRODUCE = Entry(1, "request", 0, 0, api=ApiKey.PRODUCE, topic="orders", partition=0)
ANSWER = PRODUCE._replace(seq=2, kind="answer", error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
FETCH = Entry(3, "request", 0, 0, api=ApiKey.FETCH, topic="payments", client_id="c[1]")
ALL = (PRODUCE, ANSWER, FETCH)


def chosen(api: ApiKey | tuple[ApiKey, ...] | None = None, **columns: object) -> list[Entry]:
    return list(Selection(api, None, columns).of(ALL))


def test_an_empty_selection_matches_every_entry() -> None:
    assert chosen() == [*ALL]


def test_all_selectors_have_to_match() -> None:
    assert chosen(ApiKey.PRODUCE) == [PRODUCE, ANSWER]
    assert chosen(ApiKey.PRODUCE, kind="request") == [PRODUCE]
    assert chosen((ApiKey.PRODUCE, ApiKey.FETCH), kind="request") == [PRODUCE, FETCH]
    assert chosen(topic="pay*") == [FETCH]
    assert chosen(client_id="c[1]") == [FETCH]
    assert chosen(partition=0, kind=("answer", "append")) == [ANSWER]
    assert chosen(partition=1) == []


def test_an_api_has_a_name() -> None:
    assert list(Selection("Fetch", None, {}).of(ALL)) == [FETCH]
    assert list(Selection(["FETCH", "Metadata"], None, {}).of(ALL)) == [FETCH]
    with pytest.raises(ValueError, match="no API 'Fetsch'; did you mean 'Fetch'"):
        Selection("Fetsch", None, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [ErrorCode.NOT_LEADER_OR_FOLLOWER, "NOT_LEADER_OR_FOLLOWER", 6])
def test_an_error_has_a_name_and_a_number(error: object) -> None:
    assert chosen(error=error) == [ANSWER]


def test_a_predicate_narrows_the_selection() -> None:
    selection = Selection(None, lambda entry: entry.seq > 2, {"topic": "*"})
    assert list(selection.of(ALL)) == [FETCH]


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"topics": "x"}, "unknown column topics"),
        ({"kind": "reply"}, "kind='reply': unknown"),
        ({"error": "OOPS"}, "'OOPS' is not an error code"),
        ({"error": ["PRODUCER_FENCE"]}, "did you mean 'PRODUCER_FENCED'"),
    ],
)
def test_unknown_columns_and_values_are_refused(columns: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Selection(None, None, columns)


def test_only_error_codes_count_as_errors() -> None:
    fine = PRODUCE._replace(error=ErrorCode.NONE)
    assert errors_of([PRODUCE, fine, ANSWER]) == {ErrorCode.NOT_LEADER_OR_FOLLOWER}
