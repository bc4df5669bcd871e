"""Meanings of error codes: Kafka's exceptions, KIP-1050's groups, and an advice for each."""

from typing import Any

from mockbroker.cli.error_codes.error_table import ErrorGroup, error_meaning
from mockbroker.protocol.errors import ErrorCode
from tests.support import facts

ADVICE_LENGTH_MAX = 95
# In the order in which they count where an exception is of several groups.
FLAGS = {
    "abortable": ErrorGroup.ABORTABLE,
    "refresh_retriable": ErrorGroup.REFRESH,
    "retriable": ErrorGroup.RETRIABLE,
    "application_recoverable": ErrorGroup.RECOVERABLE,
    "invalid_configuration": ErrorGroup.CONFIGURATION,
}


def group_of(fact: dict[str, Any]) -> ErrorGroup:
    return next((group for flag, group in FLAGS.items() if fact[flag]), ErrorGroup.OTHER)


def test_exceptions_and_groups_are_kafkas() -> None:
    found = {each: error_meaning(each) for each in ErrorCode}
    assert {code.name: (row.exception, row.group) for code, row in found.items()} == {
        fact["name"]: (fact["exception"], group_of(fact)) for fact in facts.read("errors.json")
    }


def test_every_group_has_a_code() -> None:
    assert {error_meaning(code).group for code in ErrorCode} == set(ErrorGroup)


def test_exactly_the_retriable_codes_are_in_a_retriable_group() -> None:
    retriable = {ErrorGroup.RETRIABLE, ErrorGroup.REFRESH}
    assert all((error_meaning(each).group in retriable) is each.is_retriable for each in ErrorCode)


def test_every_advice_is_a_short_sentence() -> None:
    for code in ErrorCode:
        advice = error_meaning(code).advice
        assert advice.endswith((".", "…")), code
        assert len(advice) <= ADVICE_LENGTH_MAX, code
