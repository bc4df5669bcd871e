"""The run: alternating rounds, limits, failures, and the command line."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager

import pytest

from bench import loadgen
from bench.__main__ import Run, parse
from bench.arena import RETENTION_CHECK, Arena
from bench.competitors import Competitor, Server, Settings
from bench.errors import CannotMeasureError
from bench.measurement import Measurement, Sample


class Someone:
    """A competitor that is never started."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = name
        self.about = ""

    def running(self, settings: Settings) -> AbstractContextManager[Server]:
        raise AssertionError(settings)


class Served(Someone):
    """A competitor of whose brokers there is a list."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.lives: list[str] = []

    @contextmanager
    def running(self, settings: Settings) -> Generator[Server, None, None]:
        assert settings == RETENTION_CHECK
        self.lives.append("started")
        yield Server(address="127.0.0.1:1", process_id=1, start_ms=1.0)
        self.lives.append("stopped")


class Calls:
    """A measurement that only records the competitors."""

    def __init__(self, failing: str = "", error: Exception | None = None) -> None:
        self.names: list[str] = []
        self._failing = failing
        self._error = error or CannotMeasureError("no Java")

    def __call__(self, arena: Arena, competitor: Competitor) -> Sample:
        del arena
        self.names.append(competitor.name)
        if competitor.name == self._failing:
            raise self._error
        return Sample({"start_ms": 1.0})


def run_of(measurement: Measurement, *, rounds: int, limit_s: float = 60) -> Run:
    run = Run([Someone("mockbroker"), Someone("kafka")], rounds, limit_s)
    with Arena() as arena:
        run.measure(arena, measurement)
    return run


def test_rounds_alternate_between_the_competitors() -> None:
    calls = Calls()
    run_of(Measurement(key="x", measure=calls), rounds=2)
    assert calls.names == ["mockbroker", "kafka", "mockbroker", "kafka"]


@pytest.mark.parametrize(("keeps_up", "lives"), [(False, 2), (True, 1)])
def test_each_round_has_a_new_broker_unless_keeps_up_is_set(
    keeps_up: bool, lives: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(address: str, mode: str, **_flags: object) -> None:
        assert (address, mode) == ("127.0.0.1:1", "produce")

    def measure(arena: Arena, competitor: Competitor) -> Sample:
        return Sample({"start_ms": arena.server(competitor).start_ms})

    monkeypatch.setattr(loadgen, "run", load)
    served = Served("mockbroker")
    run = Run([served], 2, 60)
    with Arena(keeps_up=keeps_up) as arena:
        run.measure(arena, Measurement(key="x", measure=measure))
    assert served.lives == ["started", "stopped"] * lives


def test_a_competitor_that_cannot_be_measured_is_named_and_not_tried_again() -> None:
    calls = Calls(failing="kafka")
    run = run_of(Measurement(key="x", measure=calls), rounds=2)
    assert calls.names == ["mockbroker", "kafka", "mockbroker"]
    assert run.results.notes == ["x: kafka was not measured: no Java"]


def test_earlier_samples_survive_a_measurement_that_breaks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls = Calls(failing="kafka", error=OSError("reset by peer"))
    run = run_of(Measurement(key="x", measure=calls), rounds=2)
    assert run.results.samples == {"start_ms": {"mockbroker": [1.0, 1.0]}}
    assert run.broken == ["x: kafka broke with OSError: reset by peer"]
    assert "Traceback" in capsys.readouterr().err


def test_a_competitor_without_the_feature_is_left_out_with_the_reason() -> None:
    calls = Calls()
    run = run_of(Measurement(key="x", measure=calls, not_for={"kafka": "no library"}), rounds=1)
    assert calls.names == ["mockbroker"]
    assert run.results.notes == ["x: not for kafka: no library"]


@pytest.mark.parametrize(
    ("has_floor", "names"), [(True, ["mockbroker", "floor"]), (False, ["mockbroker"])]
)
def test_the_floor_is_measured_where_it_has_answers(has_floor: bool, names: list[str]) -> None:
    calls = Calls()
    run = Run([Someone("mockbroker"), Someone("floor")], 1, 60)
    with Arena() as arena:
        run.measure(arena, Measurement(key="x", measure=calls, has_floor=has_floor))
    assert calls.names == names


def test_a_seed_can_be_repeated() -> None:
    assert parse(["--seed", "7"]).seed == 7


def test_what_a_reader_has_to_know_is_among_the_notes() -> None:
    run = run_of(Measurement(key="x", measure=Calls(), note="cores differ"), rounds=2)
    assert run.results.notes == ["x: cores differ"]


def test_long_rounds_can_be_limited_for_one_competitor() -> None:
    calls = Calls()
    run_of(Measurement(key="x", measure=calls, rounds_max={"kafka": 1}), rounds=2)
    assert calls.names == ["mockbroker", "kafka", "mockbroker"]


def test_past_the_time_limit_one_round_is_taken() -> None:
    calls = Calls()
    run = run_of(Measurement(key="x", measure=calls), rounds=3, limit_s=-1)
    assert calls.names == ["mockbroker", "kafka"]
    assert run.results.notes == ["x: 1 round(s), the time was used up"]


def test_groups_and_rivals_are_selected_by_name() -> None:
    options = parse(["--only", "fetch,start", "--rivals", "kfake", "--rounds", "1"])
    assert [measurement.key for measurement in options.measurements] == ["start", "fetch"]
    assert [competitor.name for competitor in options.competitors] == ["mockbroker", "kfake"]


def test_everything_is_measured_by_default() -> None:
    options = parse([])
    assert len(options.measurements) == 22
    names = [competitor.name for competitor in options.competitors]
    assert names == ["mockbroker", "floor", "kafka", "rdkafka-mock", "kfake"]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--only", "speed", "speed: choose from start, fresh"),
        ("--rivals", "redpanda", "redpanda: choose from floor"),
        ("--rounds", "0", "--rounds must be at least 1"),
    ],
)
def test_a_wrong_option_is_refused_with_the_choices(
    option: str, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse([option, value])
    assert said in capsys.readouterr().err
