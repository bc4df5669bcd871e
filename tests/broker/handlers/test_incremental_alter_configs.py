"""IncrementalAlterConfigs changes individual configs."""

from collections.abc import Sequence

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from mockbroker.state.config.configuration_control import ConfigOperation
from tests.support.in_process import Brokers
from tests.support.logged import Logged

TOPIC, BROKER = 2, 4
SET, DELETE, APPEND, _ = ConfigOperation

Change = tuple[str, int, str | None]


def alter(
    brokers: Brokers,
    *wanted: tuple[int, str, Sequence[Change]],
    version: int = 1,
    validate_only: bool = False,
) -> list[tuple[int, str, int, str | None]]:
    request = IncrementalAlterConfigsRequest(
        resources=[
            AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    AlterableConfig(name=key, config_operation=operation, value=value)
                    for key, operation, value in changes
                ],
            )
            for kind, name, changes in wanted
        ],
        validate_only=validate_only,
    )
    answer = brokers.ask(request, version, IncrementalAlterConfigsResponse)
    return [
        (each.resource_type, each.resource_name, each.error_code, each.error_message)
        for each in answer.responses
    ]


def test_configs_are_changed_one_by_one() -> None:
    brokers = Brokers(topics={"orders": 1})
    for changes in (
        [("retention.ms", SET, "5"), ("segment.ms", SET, "6")],
        [("retention.ms", DELETE, None), ("cleanup.policy", APPEND, "compact")],
    ):
        answers = alter(brokers, (TOPIC, "orders", changes), version=0)
        assert answers == [(TOPIC, "orders", ErrorCode.NONE, None)]
    assert brokers.state.configs.topic_overrides == {
        "orders": {"segment.ms": "6", "cleanup.policy": "delete,compact"}
    }
    assert brokers.partition("orders").config.log.cleanup_compact


def test_each_resource_has_its_own_answer() -> None:
    brokers = Brokers(topics={"orders": 1})
    answers = alter(
        brokers,
        (TOPIC, "orders", [("retention.ms", SET, "abc")]),
        (BROKER, "", [("log.retention.ms", SET, "5")]),
        (3, "x", []),
    )
    assert answers == [
        (
            TOPIC,
            "orders",
            ErrorCode.INVALID_CONFIG,
            "Invalid value abc for configuration retention.ms: Not a number of type LONG",
        ),
        (BROKER, "", ErrorCode.NONE, None),
        (3, "x", ErrorCode.INVALID_REQUEST, "Unknown resource type 3"),
    ]
    assert brokers.partition("orders").config.log.retention_ms == 5


def test_only_checking_changes_nothing() -> None:
    brokers = Brokers(topics={"orders": 1})
    changes: list[Change] = [("retention.ms", SET, "5")]
    answers = alter(brokers, (TOPIC, "orders", changes), validate_only=True)
    assert answers == [(TOPIC, "orders", ErrorCode.NONE, None)]
    assert brokers.state.configs.topic_overrides == {}


def test_a_resource_that_is_named_twice_is_refused() -> None:
    brokers = Brokers(topics={"orders": 1})
    answers = alter(brokers, (TOPIC, "orders", []), (TOPIC, "orders", []))
    assert [code for _, _, code, _ in answers] == [ErrorCode.INVALID_REQUEST] * 2
    brokers = Brokers(release="2.4", topics={"orders": 1})
    assert len(alter(brokers, (TOPIC, "orders", []), (TOPIC, "orders", []))) == 1


def test_a_refusal_is_logged_with_its_reason(logged: Logged) -> None:
    alter(Brokers(topics={"orders": 1}), (TOPIC, "orders", [("retention.ms", SET, "soon")]))
    (refusal,) = logged.named("incremental_alter_configs_refused")
    assert refusal["resource"] == "2:orders"
    assert refusal["error"] == "INVALID_CONFIG"
