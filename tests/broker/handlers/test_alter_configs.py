"""AlterConfigs replaces all configs of a resource."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from tests.support.in_process import Brokers

TOPIC, BROKER = 2, 4

Wanted = tuple[int, str, dict[str, str | None]]


def request_for(*wanted: Wanted, validate_only: bool = False) -> AlterConfigsRequest:
    return AlterConfigsRequest(
        resources=[
            AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[AlterableConfig(name=key, value=value) for key, value in configs.items()],
            )
            for kind, name, configs in wanted
        ],
        validate_only=validate_only,
    )


def alter(
    brokers: Brokers, *wanted: Wanted, validate_only: bool = False
) -> list[tuple[int, str, int, str | None]]:
    version = 1 if brokers.state.options.release == "2.4" else 2
    request = request_for(*wanted, validate_only=validate_only)
    answer = brokers.ask(request, version, AlterConfigsResponse)
    return [
        (each.resource_type, each.resource_name, each.error_code, each.error_message)
        for each in answer.responses
    ]


def test_omitted_configs_are_unset() -> None:
    brokers = Brokers(topics={"orders": 1})
    alter(brokers, (TOPIC, "orders", {"retention.ms": "5", "segment.ms": "6"}))
    assert alter(brokers, (TOPIC, "orders", {"segment.ms": "7"})) == [
        (TOPIC, "orders", ErrorCode.NONE, None)
    ]
    assert brokers.state.configs.topic_overrides == {"orders": {"segment.ms": "7"}}
    assert brokers.partition("orders").config.log.segment_ms == 7


def test_each_resource_has_its_own_answer() -> None:
    brokers = Brokers(topics={"orders": 1})
    answers = alter(
        brokers,
        (TOPIC, "orders", {"bogus": "1"}),
        (BROKER, "1", {"log.retention.ms": "5"}),
        (TOPIC, "nope", {}),
    )
    assert answers == [
        (TOPIC, "orders", ErrorCode.INVALID_CONFIG, "Unknown topic config name: bogus"),
        (BROKER, "1", ErrorCode.NONE, None),
        (
            TOPIC,
            "nope",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "The topic 'nope' does not exist.",
        ),
    ]


def test_only_checking_changes_nothing() -> None:
    brokers = Brokers(topics={"orders": 1})
    answers = alter(brokers, (TOPIC, "orders", {"retention.ms": "5"}), validate_only=True)
    assert answers == [(TOPIC, "orders", ErrorCode.NONE, None)]
    assert brokers.state.configs.topic_overrides == {}


def test_a_resource_that_is_named_twice_is_refused() -> None:
    brokers = Brokers(topics={"orders": 1})
    twice: tuple[Wanted, Wanted] = (
        (TOPIC, "orders", {"retention.ms": "5"}),
        (TOPIC, "orders", {"retention.ms": "6"}),
    )
    refused = (
        TOPIC,
        "orders",
        ErrorCode.INVALID_REQUEST,
        "Each resource must appear at most once.",
    )
    assert alter(brokers, *twice) == [refused, refused]
    brokers = Brokers(release="2.4", topics={"orders": 1})
    assert alter(brokers, *twice) == [(TOPIC, "orders", ErrorCode.NONE, None)]
    assert brokers.state.configs.topic_overrides == {"orders": {"retention.ms": "6"}}


@pytest.mark.parametrize(("release", "answered"), [("4.4", 3), ("2.4", 0)])
def test_an_unknown_type_of_resource_is_refused(release: str, answered: int) -> None:
    ((kind, name, code, _),) = alter(Brokers(release=release), (3, "x", {}))
    assert (kind, name, code) == (answered, "x", ErrorCode.INVALID_REQUEST)


def test_null_is_refused_or_closes_the_connection() -> None:
    null: Wanted = (TOPIC, "orders", {"retention.ms": None})
    ((_, _, code, why),) = alter(Brokers(topics={"orders": 1}), null)
    assert (code, why) == (
        ErrorCode.INVALID_REQUEST,
        "Null value not supported for : retention.ms",
    )
    peer = Brokers(release="2.4", topics={"orders": 1}).connect()
    peer.send(request_for(null), 1)
    assert peer.new_frames() == []
    assert peer.is_hung_up


def test_older_releases_stay_connected_without_null() -> None:
    peer = Brokers(release="2.4", topics={"orders": 1}).connect()
    peer.send(request_for((TOPIC, "orders", {"retention.ms": "5"})), 1)
    answer = peer.receive(ApiKey.ALTER_CONFIGS, 1, AlterConfigsResponse)
    assert answer.responses[0].error_code == ErrorCode.NONE
