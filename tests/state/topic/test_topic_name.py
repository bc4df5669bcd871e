"""Validation of topic names, with the errors of both generations."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.release.admin_refusals import KRAFT_REFUSALS, ZOOKEEPER_REFUSALS
from mockbroker.state.topic.topic_name import (
    check_collision,
    check_topic_name,
    collision_key,
    is_legal_topic_name,
)

LONGEST = "a" * 249


@pytest.mark.parametrize("name", ["orders", "a.b", "a_b", "A-1", "...", LONGEST])
def test_a_legal_name_passes(name: str) -> None:
    check_topic_name(name, KRAFT_REFUSALS)
    assert is_legal_topic_name(name)


@pytest.mark.parametrize(
    ("name", "kraft", "zookeeper"),
    [
        (
            "",
            "Topic name is invalid: the empty string is not allowed",
            "Topic name is illegal, it can't be empty",
        ),
        (
            ".",
            "Topic name is invalid: '.' is not allowed",
            'Topic name cannot be "." or ".."',
        ),
        (
            "..",
            "Topic name is invalid: '..' is not allowed",
            'Topic name cannot be "." or ".."',
        ),
        (
            "bad name",
            (
                "Topic name is invalid: 'bad name' contains one or more characters other than ASCII"
                " alphanumerics, '.', '_' and '-'"
            ),
            (
                'Topic name "bad name" is illegal, it contains a character other than ASCII'
                " alphanumerics, '.', '_' and '-'"
            ),
        ),
        (
            f"{LONGEST}a",
            (
                f"Topic name is invalid: the length of '{LONGEST}a' is longer than the max allowed"
                " length 249"
            ),
            (
                "Topic name is illegal, it can't be longer than 249 characters, topic name:"
                f" {LONGEST}a"
            ),
        ),
    ],
)
def test_an_illegal_name_is_rejected_with_the_reason(name: str, kraft: str, zookeeper: str) -> None:
    for refusals, why in ((KRAFT_REFUSALS, kraft), (ZOOKEEPER_REFUSALS, zookeeper)):
        with pytest.raises(ApiError) as refusal:
            check_topic_name(name, refusals)
        assert (refusal.value.code, refusal.value.why) == (ErrorCode.INVALID_TOPIC_EXCEPTION, why)
    assert not is_legal_topic_name(name)


def test_letters_beyond_ascii_are_illegal() -> None:
    assert not is_legal_topic_name("ü")
    assert not is_legal_topic_name("a\n")


def test_names_that_metrics_would_merge_collide() -> None:
    assert collision_key("a.b") == collision_key("a_b") != collision_key("a-b")
    with pytest.raises(ApiError, match=r"Topic 'a_b' collides with existing topic: a\.b"):
        check_collision("a_b", ["a.b"], KRAFT_REFUSALS)
    with pytest.raises(ApiError, match="collides with existing topics"):
        check_collision("a_b", ["a.b"], ZOOKEEPER_REFUSALS)


def test_a_name_alone_does_not_collide() -> None:
    check_collision("a_b", [], KRAFT_REFUSALS)
