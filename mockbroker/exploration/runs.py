"""Runs of an exploration: each is done once, several at the same time if that is asked."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final, TypeVar

from mockbroker.events.progress_bar import Advance, ignore_advance
from mockbroker.exploration.done_runs import DoneRuns
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import Laboratory
from mockbroker.exploration.outcome import ExperimentOutcome

T = TypeVar("T")


class Runs:
    """The runs of one program, with those that an earlier exploration has done."""

    def __init__(self, laboratory: Laboratory, done: DoneRuns, jobs: int) -> None:
        """Take what runs an experiment, the journal, and the number of runs at the same time."""
        self._laboratory: Final = laboratory
        self._done: Final = done
        self._jobs: Final = jobs

    def outcome(
        self, experiment: Experiment, number: int = 0, *, is_drawn: bool = False
    ) -> ExperimentOutcome:
        """Run an experiment for the n-th time, unless that was done.

        A failure of the first run is drawn for its page, and of others on request.
        """
        found = self._done.find(experiment, number)
        if found is None:
            found = self._laboratory.run(experiment, is_drawn=is_drawn or number == 0)
            self._done.add(found, number)
        return found

    def outcomes(
        self,
        plan: Iterable[T],
        ends_s: float,
        do: Callable[[T], ExperimentOutcome],
        advance: Advance = ignore_advance,
    ) -> list[ExperimentOutcome]:
        """Do each item of a plan in its order, until the time is over.

        Raises:
            OSError: the program cannot be started, or the journal cannot be written.

        """
        waiting = enumerate(plan)
        found: dict[int, ExperimentOutcome] = {}
        lock = threading.Lock()
        is_over = threading.Event()

        def work() -> None:
            while not is_over.is_set():
                with lock:
                    index, given = next(waiting, (0, None))
                    if given is None or time.monotonic() >= ends_s:
                        return
                outcome = do(given)
                with lock:
                    found[index] = outcome
                    advance(1)

        if self._jobs == 1:
            work()
        else:
            _in_threads(work, self._jobs, is_over)
        return [found[index] for index in sorted(found)]


def _in_threads(work: Callable[[], None], count: int, is_over: threading.Event) -> None:
    with ThreadPoolExecutor(count, "exploring") as pool:
        jobs = [pool.submit(work) for _ in range(count)]
        try:
            for job in as_completed(jobs):  # the first one that fails ends all
                job.result()
        finally:
            is_over.set()
