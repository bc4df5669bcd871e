"""Seeded runs of a Spark query into the sink: its driver is another process, which may die."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random
from select import select
from typing import IO, Any, Final, Self

from bench.machine import peaks_of_tree
from mockbroker import API, ERR, Cluster
from mockbroker.faults.fault import Fault
from tests.support.sink_driver import DONE, FAILED

BATCHES: Final = 3
STARTS_MAX: Final = 5
IN_PROCESS: Final = ("raise", "exit")
ON_EXECUTORS: Final = ("raise", "exit", "executor", "slow")
_STRUCK: Final = {
    "raise": "a task's own code fails",
    "exit": "a task dies",
    "executor": "an executor is killed",
    "slow": "a task is slow, and another copy starts",
}
_POLL_S: Final = 0.05
_APIS: Final = (API.INIT_PRODUCER_ID, API.ADD_PARTITIONS_TO_TXN, API.END_TXN, API.PRODUCE)
_RETRIABLE: Final = (ERR.NOT_COORDINATOR, ERR.COORDINATOR_NOT_AVAILABLE)


def write_lines(path: Path, ids: Iterable[int]) -> None:
    """Write a file with a line for each id, which is there as a whole."""
    hidden = path.with_name(f".{path.name}")
    hidden.parent.mkdir(parents=True, exist_ok=True)
    hidden.write_text("".join(f'{{"id": {each}}}\n' for each in ids), "utf-8")
    hidden.rename(path)


class SparkDriver:
    """A driver that runs one query after the other; it starts again after it was killed."""

    def __init__(self, master: str, log: IO[bytes]) -> None:
        """Set Spark's master; nothing is started yet."""
        self.has_executors: Final = master.startswith("local-cluster")
        self._master: Final = master
        self._log: Final = log
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, plan: dict[str, Any], dies_at: Fault | None) -> str:
        """Run a query, and return its outcome; kill the driver once a request is held."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(plan).encode() + b"\n")
        process.stdin.flush()
        while True:
            if dies_at is not None and dies_at.held:
                self.kill()
                return "the driver is killed"
            if select([process.stdout], [], [], _POLL_S)[0]:
                line = process.stdout.readline().decode().strip()
                if line.startswith((DONE, FAILED)):
                    return line
                assert process.poll() is None, f"the driver ended: {line}"

    def kill(self) -> None:
        """Kill the driver, and all that belongs to it."""
        process, self._process = self._process, None
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def kill_executor(self) -> None:
        """Kill the one executor that has begun to run Python, and leave its workers to themselves.

        Raises:
            AssertionError: none has, or several have.

        """
        assert self._process is not None
        busy = [
            number
            for number, each in peaks_of_tree(self._process.pid).items()
            if "CoarseGrainedExecutorBackend" in each.command
            and any("pyspark.daemon" in one.command for one in peaks_of_tree(number).values())
        ]
        assert len(busy) == 1, f"executors that run Python: {busy}"
        os.kill(busy[0], signal.SIGKILL)

    def __enter__(self) -> Self:
        """Return the driver itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it."""
        self.kill()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.sink_driver", self._master],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,
            )
        return self._process


class SparkRun:
    """A query of some batches, and what strikes it; `story` is what happened."""

    def __init__(
        self, seed: int, driver: SparkDriver, cluster: Cluster, options: dict[str, str]
    ) -> None:
        """Draw the rows of the batches."""
        self._random: Final = Random(seed)
        self._driver: Final = driver
        self._cluster: Final = cluster
        self._options: Final = options
        self._prefix: Final = options["transactionalIdPrefix"]
        self._kills: int = self._random.choice((0, 0, 1))
        self.story: Final[list[str]] = []
        self._batches: Final = [
            [100 * batch + number for number in range(self._random.randint(1, 30))]
            for batch in range(BATCHES)
        ]
        self.ids: Final = [number for batch in self._batches for number in batch]

    def run(self, folder: Path) -> None:
        """Copy the batches in two rounds, between which all transactions expire."""
        first = self._random.randint(1, BATCHES - 1)
        for number, ids in enumerate(self._batches):
            if number == first:
                self._until_done(folder)
                self._cluster.clock.advance("16m")
                self.story.append("all open transactions expire")
            write_lines(folder / "in" / f"{number}.txt", ids)
        self._until_done(folder)

    def _until_done(self, folder: Path) -> None:
        for start in range(STARTS_MAX):
            is_calm = start == STARTS_MAX - 1
            strikes = {} if is_calm or start else self._strikes()
            plan = {
                "folder": str(folder),
                "tasks": self._random.randint(1, 3),
                "strikes": strikes,
                "options": self._options,
            }
            faults = [] if is_calm else self._faults()
            dies_at = None if is_calm else self._death()
            outcome = self._driver.run(plan, dies_at)
            self.story.append(outcome)
            for fault in [*faults, *([dies_at] if dies_at else [])]:
                fault.remove()
            if outcome == DONE:
                return
        raise AssertionError("the query does not end although nothing fails any more")

    def _strikes(self) -> dict[str, str]:
        kinds = ON_EXECUTORS if self._driver.has_executors else IN_PROCESS
        strikes = {
            f"{batch}/{task}": self._random.choice(kinds)
            for batch in range(BATCHES)
            for task in range(3)
            if self._random.random() < 0.2
        }
        self.story.extend(f"{_STRUCK[kind]}, in {place}" for place, kind in strikes.items())
        return strikes

    def _faults(self) -> list[Fault]:
        faults: list[Fault] = []
        for _ in range(self._random.randint(0, 3)):
            call = self._random.randint(1, 8)
            api = self._random.choice(_APIS)
            fault = self._cluster.fault(api)
            if api is API.PRODUCE or self._random.random() < 0.6:
                fault = fault.lose_response()
                what = "the answer is lost"
            else:
                fault = fault.answer(self._random.choice(_RETRIABLE))
                what = "a retriable error"
            faults.append(fault.on_call(call))
            self.story.append(f"{api.name} {call}: {what}")
        if self._random.random() < 0.2:
            call = self._random.randint(1, 3)
            fatal = self._cluster.fault(API.END_TXN, transactional_id=f"{self._prefix}-*")
            faults.append(fatal.answer(ERR.UNKNOWN_SERVER_ERROR).on_call(call))
            self.story.append(f"EndTxn {call} of tasks: a fatal error")
        return faults

    def _death(self) -> Fault | None:
        if not self._kills:
            return None
        self._kills -= 1
        api = self._random.choice(_APIS)
        call = self._random.randint(1, 4)
        fault = self._cluster.fault(api)
        is_before = self._random.random() < 0.5
        fault = (fault.hold() if is_before else fault.hold_response()).on_call(call)
        self.story.append(f"the driver dies {'before' if is_before else 'after'} {api.name} {call}")
        return fault
