"""Refusals have the codes and texts of their generation."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.admin_refusals import (
    KRAFT_REFUSALS,
    ZOOKEEPER_REFUSALS,
    AdminRefusals,
    Refusal,
)


def test_a_text_is_filled_with_values() -> None:
    error = Refusal(ErrorCode.INVALID_REQUEST, "{1} before {0}").error("b", "a")
    assert (error.code, error.why) == (ErrorCode.INVALID_REQUEST, "a before b")


def test_a_refusal_without_a_text_has_none() -> None:
    assert Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, None).error("x").why == ""


@pytest.mark.parametrize("refusals", [KRAFT_REFUSALS, ZOOKEEPER_REFUSALS])
def test_every_text_can_be_filled(refusals: AdminRefusals) -> None:
    for refusal in refusals:
        assert "{" not in refusal.error("a", 1, "c").why


def test_the_generations_word_topic_names_differently() -> None:
    words = [
        refusals.topic_name_too_long.error("x", 249).why
        for refusals in (KRAFT_REFUSALS, ZOOKEEPER_REFUSALS)
    ]
    assert words == [
        "Topic name is invalid: the length of 'x' is longer than the max allowed length 249",
        "Topic name is illegal, it can't be longer than 249 characters, topic name: x",
    ]
