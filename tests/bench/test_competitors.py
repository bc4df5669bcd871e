"""The measured brokers, as far as they can be tested without a start."""

import sys

import pytest

from bench.competitors import Mockbroker, Server, environment, everyone
from bench.errors import CannotMeasureError


def test_mockbroker_comes_first() -> None:
    names = [competitor.name for competitor in everyone()]
    assert names == ["mockbroker", "floor", "kafka", "rdkafka-mock", "kfake"]


def test_every_competitor_has_a_description() -> None:
    assert [competitor.name for competitor in everyone() if not competitor.about] == []


def test_the_port_is_the_end_of_the_address() -> None:
    assert Server(address="127.0.0.1:9092", process_id=1, start_ms=1.0).port == 9092


def test_a_measured_python_may_cache_its_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("KEPT", "yes")
    assert "PYTHONDONTWRITEBYTECODE" not in environment()
    assert environment()["KEPT"] == "yes"


def test_a_process_that_ends_early_is_reported_with_its_last_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/sh")  # knows no -m
    with (
        pytest.raises(CannotMeasureError, match=r"it ended instead of serving: .+"),
        Mockbroker().running({}),
    ):
        pass
