"""Shared checks of topic changes: the controller, the timeout, repeated names."""

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.admin_requests import (
    Deadline,
    check_asked_controller,
    repeated_last,
    wake_readers,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.schema.message import Message
from tests.support.in_process import Brokers


def call_to(brokers: Brokers, broker_id: int = 1) -> Call:
    return Call(
        brokers.service,
        broker_id=broker_id,
        connection_id=1,
        api_key=ApiKey.CREATE_TOPICS,
        api_version=4,
        correlation_id=1,
        client_id=None,
    )


def test_any_broker_of_a_newer_release_accepts_requests() -> None:
    check_asked_controller(call_to(Brokers(brokers=2), broker_id=2))


def test_only_the_controller_of_an_older_release_accepts_requests() -> None:
    brokers = Brokers(release="2.4", brokers=2)
    check_asked_controller(call_to(brokers, broker_id=1))
    with pytest.raises(ApiError) as refusal:
        check_asked_controller(call_to(brokers, broker_id=2))
    assert refusal.value.code is ErrorCode.NOT_CONTROLLER


@pytest.mark.parametrize("release", ["2.4", "4.4"])
def test_any_positive_timeout_is_enough(release: str) -> None:
    deadline = Deadline(call_to(Brokers(release=release)), 1)
    deadline.check_before_work()
    deadline.check_after_work()
    assert not deadline.is_over


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_without_time_newer_releases_do_not_begin(timeout_ms: int) -> None:
    deadline = Deadline(call_to(Brokers(release="4.4")), timeout_ms)
    with pytest.raises(ApiError) as refusal:
        deadline.check_before_work()
    assert refusal.value.code is ErrorCode.REQUEST_TIMED_OUT
    deadline.check_after_work()


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_without_time_older_releases_work_and_hide_the_result(timeout_ms: int) -> None:
    deadline = Deadline(call_to(Brokers(release="2.4")), timeout_ms)
    deadline.check_before_work()
    with pytest.raises(ApiError) as refusal:
        deadline.check_after_work()
    assert refusal.value.code is ErrorCode.REQUEST_TIMED_OUT


def test_newer_releases_remove_repeated_names() -> None:
    call = call_to(Brokers(release="4.4"))
    assert repeated_last(call, ["b", "a", "b", "c"]) == (["a", "c"], {"b": None})


def test_older_releases_leave_repeated_names_in_place() -> None:
    call = call_to(Brokers(release="2.4"))
    assert repeated_last(call, ["b", "a", "b"]) == (["b", "a", "b"], {"b": None})


def test_delayed_fetches_of_any_partition_of_a_topic_are_retried() -> None:
    brokers = Brokers(topics={"orders": 2, "others": 1})
    tried: list[str] = []

    def wait_for(name: str) -> None:
        def attempt(_is_last: bool) -> Message | None:
            tried.append(name)
            return None

        delayed = DelayedResponse(list(brokers.topic(name).partitions), 1000, attempt)
        brokers.service.purgatory.delay(delayed, lambda _answer: None)

    wait_for("orders")
    wait_for("others")
    wake_readers(call_to(brokers), brokers.topic("orders"))
    brokers.loop.run()
    assert tried == ["orders"]
