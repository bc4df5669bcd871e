"""An exploration that was interrupted goes on with what it has not done."""

from pathlib import Path
from typing import Any

import pytest

from mockbroker import API
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration import Report, explore
from mockbroker.exploration.done_runs import FILE, DoneRuns
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import Laboratory
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.points import Point
from mockbroker.wire import WireProducer

pytestmark = pytest.mark.slow

ORDERS = {"orders": 1}
ERRORS = ["Produce 1*: it is answered with *"]


def send(cluster: ClusterHandle) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        error = producer.produce("orders", b"order-1", base_sequence=0).error
        assert not error, error.name


def explored(folder: Path, **options: Any) -> Report:
    return explore(
        send, topics=ORDERS, only=ERRORS, repeats=1, output=folder, resume=True, **options
    )


class Interrupted:
    """A laboratory that is interrupted after some runs, and counts them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runs: list[str] = []
        self.last = 5
        run = Laboratory.run

        def counted(
            laboratory: Laboratory, experiment: Experiment, *, is_drawn: bool
        ) -> ExperimentOutcome:
            if len(self.runs) == self.last:
                raise KeyboardInterrupt
            self.runs.append(experiment.name)
            return run(laboratory, experiment, is_drawn=is_drawn)

        monkeypatch.setattr(Laboratory, "run", counted)


def test_an_interrupted_exploration_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laboratory = Interrupted(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        explored(tmp_path)
    first = list(laboratory.runs)
    laboratory.last = -1
    report = explored(tmp_path)
    names = [each.experiment.name for each in report.outcomes]
    assert laboratory.runs == names + [each for each in names if _failed(report, each)]
    assert names[: len(first)] == first
    assert report.failures
    assert all(each.runs == 2 and each.shown for each in report.failures)
    done = len(laboratory.runs)
    again = explored(tmp_path)
    assert len(laboratory.runs) == done
    assert list(again.lines()) == list(report.lines())
    assert [again.page(each) for each in again.failures] == [
        report.page(each) for each in report.failures
    ]


def _failed(report: Report, name: str) -> bool:
    return any(each.experiment.name == name for each in report.failures)


def test_a_run_that_was_half_written_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = explored(tmp_path)
    file = tmp_path / FILE
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    laboratory = Interrupted(monkeypatch)
    assert list(explored(tmp_path).lines()) == list(report.lines())
    assert len(laboratory.runs) == 1
    assert file.read_bytes().count(b"\n") == whole.count(b"\n")


@pytest.mark.parametrize("content", [b"", b'{"progr'])
def test_an_exploration_that_was_interrupted_at_its_begin_begins_again(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / FILE
    file.write_bytes(content)
    assert len(DoneRuns(tmp_path, {"seed": 0}, resumes=True)) == 0
    assert file.read_bytes() == b'{"seed": 0}\n'


def test_another_exploration_is_refused_with_what_differs(tmp_path: Path) -> None:
    explored(tmp_path)
    with pytest.raises(ValueError, match="of another exploration: seed was 0, and is 7"):
        explored(tmp_path, seed=7)
    with pytest.raises(ValueError, match=r"exploration: timeout_s was None, and is 90.0"):
        explored(tmp_path, timeout="90s")


def test_the_name_of_a_client_may_be_no_unicode(tmp_path: Path) -> None:
    experiment = Experiment(Point(API.PRODUCE, "app\ud800", None, 1), "it is late", "", ())
    outcome = ExperimentOutcome(experiment, "stopped", ("no \ud800",), 0.5)
    DoneRuns(tmp_path, {}, resumes=False).add(outcome, 0)
    done = DoneRuns(tmp_path, {}, resumes=True)
    assert done.find(experiment, 0) == outcome
    assert done.find(experiment, 1) is None
