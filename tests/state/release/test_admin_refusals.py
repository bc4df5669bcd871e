"""The codes and texts of admin refusals, by release."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.release.admin_refusals import KRAFT_REFUSALS, ZOOKEEPER_REFUSALS, Refusal
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options

EITHER = "Unexpected broker id, expected 1 or empty string, but received"


def test_a_text_is_filled_with_values() -> None:
    error = Refusal(ErrorCode.INVALID_REQUEST, "{1} before {0}").error("b", "a")
    assert (error.code, error.why) == (ErrorCode.INVALID_REQUEST, "a before b")


def test_a_refusal_without_a_text_has_none() -> None:
    assert Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, None).error("x").why == ""


@pytest.mark.parametrize("release", SUPPORTED_RELEASES)
def test_every_text_can_be_filled(release: str) -> None:
    for refusal in Options.for_release(release).admin_refusals:
        assert "{" not in refusal.error("a", 1, "c").why


@pytest.mark.parametrize(
    ("release", "why"),
    [
        ("0.11", "Unexpected broker id, expected 1, but received 2"),
        (
            "1.1",
            f"{EITHER} Resource(type=BROKER, name='2'}}.name",
        ),
        (
            "2.3",
            f"{EITHER} ConfigResource(type=BROKER, name='2').name",
        ),
        ("2.4", f"{EITHER} 2"),
        ("4.4", f"{EITHER} 2"),
    ],
)
def test_each_release_has_its_own_texts(release: str, why: str) -> None:
    refusals = Options.for_release(release).admin_refusals
    assert refusals.config_describe_other_broker.error(1, 2).why == why


def test_releases_have_different_texts_for_topic_names() -> None:
    words = [
        refusals.topic_name_too_long.error("x", 249).why
        for refusals in (KRAFT_REFUSALS, ZOOKEEPER_REFUSALS)
    ]
    assert words == [
        "Topic name is invalid: the length of 'x' is longer than the max allowed length 249",
        "Topic name is illegal, it can't be longer than 249 characters, topic name: x",
    ]
