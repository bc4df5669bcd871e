"""The brokers that are up during a run."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from bench import loadgen
from bench.arena import RETENTION_CHECK, Arena
from bench.competitors import Server, Settings
from bench.errors import CannotMeasureError


class Someone:
    """A competitor without a process."""

    name = "someone"
    title = "Someone"
    about = ""

    def __init__(self, *, is_missing: bool = False) -> None:
        self.started: list[Settings] = []
        self.stopped: list[Settings] = []
        self._is_missing = is_missing

    @contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        self.started.append(settings)
        if self._is_missing:
            raise CannotMeasureError("no Java")
        yield Server(address="127.0.0.1:1", process_id=len(self.started), start_ms=1.0)
        self.stopped.append(settings)


@pytest.fixture(autouse=True)
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace loads by a record of the warmed-up brokers."""
    loaded: list[str] = []

    def run(address: str, mode: str, **flags: float) -> None:
        loaded.append(f"{address} {mode} {flags['t']}")

    monkeypatch.setattr(loadgen, "run", run)
    return loaded


def test_a_broker_is_started_once_and_stopped_at_the_end(loads: list[str]) -> None:
    someone = Someone()
    with Arena() as arena:
        assert arena.server(someone) is arena.server(someone)
        assert someone.stopped == []
    assert someone.started == someone.stopped == [RETENTION_CHECK]
    assert loads == ["127.0.0.1:1 produce 2.0"]


def test_other_settings_start_another_broker() -> None:
    someone = Someone()
    with Arena() as arena:
        plain, special = arena.server(someone), arena.server(someone, {"a": "1"})
        assert plain is not special
        arena.drop_special()
        assert someone.stopped == [{**RETENTION_CHECK, "a": "1"}]
        assert arena.server(someone) is plain


def test_a_dropped_broker_is_replaced() -> None:
    someone = Someone()
    with Arena() as arena:
        first = arena.server(someone)
        arena.drop(someone)
        assert arena.server(someone) is not first


def test_a_competitor_that_does_not_start_is_not_tried_again() -> None:
    someone = Someone(is_missing=True)
    with Arena() as arena:
        for _ in range(2):
            with pytest.raises(CannotMeasureError, match="no Java"):
                arena.server(someone)
    assert someone.started == [RETENTION_CHECK]


def test_a_round_has_a_broker_of_its_own() -> None:
    someone = Someone()
    with Arena() as arena:
        first = arena.server(someone)
        arena.end_round(someone)
        assert someone.stopped == [RETENTION_CHECK]
        assert arena.server(someone) is not first


def test_with_keeps_up_a_broker_serves_the_next_round() -> None:
    someone = Someone()
    with Arena(keeps_up=True) as arena:
        first = arena.server(someone)
        arena.end_round(someone)
        assert arena.server(someone) is first
