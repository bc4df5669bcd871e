"""Journal of the done runs of an exploration, from which an interrupted one goes on."""

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.outcome import ExperimentOutcome, Kind
from mockbroker.exploration.points import SeenCall
from mockbroker.report.failure_page import FailedCluster

FILE: Final = "experiments.jsonl"
_END: Final = b"\n"


class _Line(msgspec.Struct, omit_defaults=True):
    """A done run: an experiment by its name, and what became of it."""

    name: str
    number: int
    kind: Kind
    reasons: tuple[str, ...]
    took_s: float
    shown: FailedCluster | None = None
    learned: tuple[SeenCall, ...] = ()


class DoneRuns:
    """The done runs, by the name of their experiment and their number, from 0.

    The first line of the file is what the exploration was asked.
    """

    def __init__(
        self, folder: str | Path | None, asked: Mapping[str, Any], *, resumes: bool
    ) -> None:
        """Open the journal in a folder, or keep none.

        Raises:
            OSError: it cannot be read or written.
            ValueError: it is that of an exploration that was asked something else.

        """
        self._path: Final = None if folder is None else Path(folder) / FILE
        self._lock: Final = threading.Lock()
        self._lines: Final[dict[tuple[str, int], _Line]] = {}
        if self._path is None:
            return
        if resumes and self._path.exists() and self._read(self._path, asked):
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_bytes(_line(asked))

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self._lines)

    def find(self, experiment: Experiment, number: int) -> ExperimentOutcome | None:
        """Return the outcome of a run; None if it was not done."""
        found = self._lines.get((experiment.name, number))
        if found is None:
            return None
        return ExperimentOutcome(
            experiment,
            found.kind,
            found.reasons,
            found.took_s,
            shown=found.shown,
            learned=found.learned,
        )

    def add(self, outcome: ExperimentOutcome, number: int) -> None:
        """Write the outcome of a run.

        Raises:
            OSError: it cannot be written.

        """
        if self._path is None:
            return
        line = _Line(
            name=outcome.experiment.name,
            number=number,
            kind=outcome.kind,
            reasons=outcome.reasons,
            took_s=outcome.took_s,
            shown=outcome.shown,
            learned=outcome.learned,
        )
        with self._lock, self._path.open("ab") as file:
            file.write(_line(line))

    def _read(self, path: Path, asked: Mapping[str, Any]) -> bool:
        """Read the lines; return False if even the first one was interrupted."""
        first, *lines = path.read_bytes().splitlines(keepends=True) or [b""]
        if not first.endswith(_END):
            return False
        before, now = json.loads(first), json.loads(_line(asked))
        for name, value in now.items():
            if before.get(name) != value:
                raise ValueError(
                    f"{path} is of another exploration: {name} was {before.get(name)!r}, "
                    f"and is {value!r}; give another folder"
                )
        whole = [each for each in lines if each.endswith(_END)]
        if len(whole) < len(lines):  # the run that was interrupted while it was written
            path.write_bytes(b"".join([first, *whole]))
        for each in whole:
            line = msgspec.convert(json.loads(each), _Line)
            self._lines[line.name, line.number] = line
        return True


def _line(value: object) -> bytes:
    """Return a line. It may hold half of a surrogate pair, of the name of a client."""
    return json.dumps(msgspec.to_builtins(value)).encode() + _END
