"""Frames that the report of a failure leaves out."""

import traceback
from collections.abc import Callable

import pytest

from mockbroker.control.assertions.failure_frames import leave_out_our_frames

CALL = """
def call(function):
    return function()
"""


def in_module(name: str) -> Callable[[Callable[[], object]], object]:
    """Return a function of a module with this name, which calls another one."""
    module: dict[str, object] = {"__name__": name}
    exec(compile(CALL, f"<{name}>", "exec"), module)
    call = module["call"]
    assert callable(call)
    return call


def shown(failure: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(failure.__traceback__)]


def refuse() -> None:
    raise ValueError("refused")


def test_our_frames_below_the_tests_call_are_left_out() -> None:
    ours = in_module("mockbroker.control.sample")
    with pytest.raises(ValueError, match="refused") as caught:
        ours(refuse)
    leave_out_our_frames(caught.value)
    assert shown(caught.value) == [
        "test_our_frames_below_the_tests_call_are_left_out",
        "refuse",
    ]


def test_a_failure_without_us_is_whole() -> None:
    other = in_module("applications.sample")
    with pytest.raises(ValueError, match="refused") as caught:
        other(refuse)
    before = shown(caught.value)
    leave_out_our_frames(caught.value)
    assert shown(caught.value) == before
    assert "call" in before


def test_replaced_and_grouped_failures_are_cut_too() -> None:
    ours = in_module("mockbroker.control.sample")
    failures: list[Exception] = []
    for _ in range(2):
        with pytest.raises(ValueError, match="refused") as caught:
            ours(refuse)
        failures.append(caught.value)
    group = ValueError("outer")
    group.__cause__ = failures[0]
    group.exceptions = (failures[1],)  # type: ignore[attr-defined]
    leave_out_our_frames(group)
    assert all("call" not in shown(each) for each in failures)


def test_failures_that_replace_each_other_are_cut_once() -> None:
    ours = in_module("mockbroker.control.sample")
    failures: list[Exception] = []
    for _ in range(2):
        with pytest.raises(ValueError, match="refused") as caught:
            ours(refuse)
        failures.append(caught.value)
    first, second = failures
    first.__context__, second.__context__ = second, first
    leave_out_our_frames(first)
    assert all("call" not in shown(each) for each in failures)
