"""ListConfigResources by type, or for all types."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from tests.support.in_process import Brokers

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32


def ask(types: list[int], version: int = 1) -> tuple[int, list[tuple[str, int]]]:
    brokers = Brokers(brokers=2, topics={"t": 1, "u": 1})
    request = ListConfigResourcesRequest(resource_types=types)
    answer = brokers.ask(request, version, ListConfigResourcesResponse)
    return answer.error_code, [
        (each.resource_name, each.resource_type) for each in answer.config_resources
    ]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([TOPIC], [("t", TOPIC), ("u", TOPIC)]),
        ([BROKER, BROKER], [("1", BROKER), ("2", BROKER)]),
        ([LOGGER, METRICS], [("1", LOGGER), ("2", LOGGER)]),
        ([METRICS, GROUP], []),
    ],
)
def test_resources_of_a_type_are_listed(types: list[int], expected: list[tuple[str, int]]) -> None:
    assert ask(types) == (ErrorCode.NONE, expected)


def test_all_resources_are_listed_without_a_type() -> None:
    every = [("t", TOPIC), ("u", TOPIC), ("1", BROKER), ("2", BROKER), ("1", LOGGER), ("2", LOGGER)]
    assert ask([]) == (ErrorCode.NONE, every)


def test_groups_with_configs_are_listed() -> None:
    brokers = Brokers()
    brokers.state.configs.set_named_overrides(GROUP, "g", {"consumer.session.timeout.ms": "50000"})
    request = ListConfigResourcesRequest(resource_types=[GROUP, METRICS])
    (listed,) = brokers.ask(request, 1, ListConfigResourcesResponse).config_resources
    assert (listed.resource_name, listed.resource_type) == ("g", GROUP)


def test_the_first_version_is_about_client_metrics() -> None:
    assert ask([], version=0) == (ErrorCode.NONE, [])


@pytest.mark.parametrize("types", [[0], [99], [TOPIC, -1]])
def test_an_unknown_type_is_not_supported(types: list[int]) -> None:
    assert ask(types) == (ErrorCode.UNSUPPORTED_VERSION, [])
