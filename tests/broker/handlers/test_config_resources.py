"""Config resources of a request, with and without repetition."""

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.config_resources import (
    altered,
    answered_type,
    check_named_once,
    distinct,
    repeated_resources,
    resource_of,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.alter_configs import AlterConfigsResource
from mockbroker.state.config.configuration_control import ConfigResource, ResourceType
from tests.support.in_process import Brokers
from tests.support.logged import Logged


def call_to(release: str) -> Call:
    return Call(
        Brokers(release=release).service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.ALTER_CONFIGS,
        api_version=1,
        correlation_id=1,
        client_id=None,
    )


def named(name: str) -> AlterConfigsResource:
    return AlterConfigsResource(resource_type=ResourceType.TOPIC, resource_name=name)


FIRST, OTHER, SECOND = named("a"), named("b"), named("a")


def test_a_part_of_a_request_names_a_resource() -> None:
    assert resource_of(FIRST) == ConfigResource(type=2, name="a")


def test_newer_releases_see_every_part() -> None:
    assert distinct(call_to("4.4"), [FIRST, OTHER, SECOND]) == [FIRST, OTHER, SECOND]


def test_older_releases_see_the_last_part_about_a_resource() -> None:
    first, other = distinct(call_to("2.4"), [FIRST, OTHER, SECOND])
    assert first is SECOND
    assert other is OTHER


def test_a_resource_is_named_once_or_refused() -> None:
    repeated = repeated_resources([FIRST, OTHER, SECOND])
    assert repeated == {resource_of(FIRST)}
    check_named_once(resource_of(OTHER), repeated)
    with pytest.raises(ApiError) as refusal:
        check_named_once(resource_of(FIRST), repeated)
    assert (refusal.value.code, refusal.value.why) == (
        ErrorCode.INVALID_REQUEST,
        "Each resource must appear at most once.",
    )


def test_altering_returns_a_code_and_logs_refusals(logged: Logged) -> None:
    call = call_to("4.4")
    done: list[str] = []

    def refuse() -> None:
        raise ApiError(ErrorCode.INVALID_CONFIG, "no")

    resource = resource_of(FIRST)
    assert altered(call, resource, (), lambda: done.append("a")) == (ErrorCode.NONE, None)
    assert altered(call, resource, (), refuse) == (ErrorCode.INVALID_CONFIG, "no")
    code, _ = altered(call, resource, {resource}, lambda: done.append("b"))
    assert code is ErrorCode.INVALID_REQUEST
    assert done == ["a"]
    refusals = logged.named("alter_configs_refused")
    assert [each["error"] for each in refusals] == ["INVALID_CONFIG", "INVALID_REQUEST"]
    assert {each["resource"] for each in refusals} == {"2:a"}


@pytest.mark.parametrize(("release", "unknown"), [("4.4", 99), ("2.4", 0)])
def test_the_type_in_an_answer_for_an_unknown_type_depends_on_the_release(
    release: str, unknown: int
) -> None:
    call = call_to(release)
    assert answered_type(call, 99) == unknown
    assert answered_type(call, ResourceType.TOPIC) == ResourceType.TOPIC
