"""The context of a request: loops of its handler, in one piece or in slices."""

import pytest

from mockbroker.broker.call import ANONYMOUS, Call
from mockbroker.broker.slices.steps import SLICE_STEPS, Pace
from mockbroker.events.event_types import CallId
from mockbroker.protocol.api_keys import ApiKey
from tests.support.in_process import Brokers


@pytest.fixture
def call() -> Call:
    return Call(
        Brokers().service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.DESCRIBE_GROUPS,
        api_version=5,
        correlation_id=1,
        client_id=None,
    )


@pytest.fixture
def pauses(call: Call) -> list[str]:
    """Make the request a large one, each of whose items takes a slice."""
    pauses: list[str] = []
    call.pace = Pace(lambda: pauses.append("pause"))
    call.pace.steps_per_item = SLICE_STEPS
    return pauses


def test_the_items_of_a_usual_request_are_the_list_itself(call: Call) -> None:
    items = ["a", "b"]
    assert call.paced(items) is items
    assert call.each(str.upper, items) == ["A", "B"]


def test_a_large_request_pauses_between_its_items(call: Call, pauses: list[str]) -> None:
    seen: list[str] = []
    for item in call.paced(["a", "b"]):
        seen += [*pauses, item]
        pauses.clear()
    assert seen == ["a", "pause", "b"]


def test_items_of_a_large_response_are_made_when_they_are_encoded(
    call: Call, pauses: list[str]
) -> None:
    made = call.each(str.upper, ["a", "b"])
    assert (len(made), pauses) == (2, [])
    assert list(made) == ["A", "B"]
    assert pauses == ["pause", "pause"]


def test_subscribers_see_the_whole_response(call: Call, pauses: list[str]) -> None:
    call.call_id = CallId(1, 1, 1, None, call.api_key, 5, 1, ANONYMOUS)
    assert call.each(str.upper, ["a", "b"]) == ["A", "B"]
    assert pauses == ["pause", "pause"]
