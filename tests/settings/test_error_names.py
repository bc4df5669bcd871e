"""Errors by their names."""

import re
from typing import get_args

import pytest

from mockbroker import ERR
from mockbroker.settings.error_names import ErrorName, error_of


@pytest.mark.parametrize(
    "error",
    [
        ERR.NOT_COORDINATOR,
        "NOT_COORDINATOR",
        "not_coordinator",
        "NotCoordinator",
        "NotCoordinatorException",
        16,
    ],
)
def test_an_error_is_named_or_numbered(error: ERR | str | int) -> None:
    assert error_of(error) is ERR.NOT_COORDINATOR


def test_a_name_that_kafka_gave_up_is_known() -> None:
    assert error_of("NOT_LEADER_FOR_PARTITION") is ERR.NOT_LEADER_OR_FOLLOWER
    assert error_of("UNKNOWN") is ERR.UNKNOWN_SERVER_ERROR


def test_the_absence_of_an_error_has_a_name_too() -> None:
    assert error_of("NONE") is error_of(0) is ERR.NONE


@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("NOT_LEADER", "is not an error code of Kafka; did you mean 'NOT_LEADER_OR_FOLLOWER'?"),
        ("PRODUCER_FENCE", "is not an error code of Kafka; did you mean 'PRODUCER_FENCED'?"),
        ("xyz", "is not an error code of Kafka"),
        (9999, "is not the number of an error of Kafka"),
    ],
)
def test_an_unknown_error_is_refused_with_the_nearest_name(error: str | int, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(f'{error!r} {why}')}$"):
        error_of(error)


def test_type_checkers_know_the_names_that_there_are() -> None:
    assert set(get_args(ErrorName)) == {code.name for code in ERR}
