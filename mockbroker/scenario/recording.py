"""Recording: what was done to a cluster since its start, as a scenario.

Steps wait for what clients had done by then: the hits of faults, and the ends of the logs. What
clients requested is not a part of it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from mockbroker.control.actions.action_log import (
    ENTRIES_MAX,
    ActionLog,
    FaultCounts,
    LoggedCall,
    LoggedFault,
    Position,
)
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.fault_document import document_of, is_expressible
from mockbroker.faults.network.toxic import Toxic
from mockbroker.faults.trigger import Once
from mockbroker.scenario.actions import action_of
from mockbroker.scenario.reading import FAULT, WAIT_FOR
from mockbroker.scenario.yaml_text import write_yaml
from mockbroker.settings.settings import Settings
from mockbroker.state.clock import DEFAULT_CLOCK
from mockbroker.state.release.options import Options
from mockbroker.state.release.proposals import PROPOSALS
from mockbroker.version import __version__

Document = dict[str, Any]

_SEED: Final = "mockbroker.seed"
_NEVER: Final = FaultCounts(0, 0, 0)
_INCOMPLETE: Final = f"more than {ENTRIES_MAX} actions: the later ones are left out"


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded session."""

    document: Document
    """The scenario, as its file has it."""
    left_out: tuple[str, ...]
    """What a file has no form for, such as a fault with a predicate of Python."""

    def text(self, file: str) -> str:
        """Return the text of a file: JSON if its name ends in `.json`, else YAML.

        Raises:
            ScenarioError: YAML needs an extra that is not installed.

        """
        if file.endswith(".json"):
            return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"
        head = [f"Recorded by mockbroker {__version__}.", *self.left_out]
        return "".join(f"# {line}\n" for line in head) + write_yaml(self.document, file)

    def write(self, path: str | Path) -> None:
        """Write the scenario to a file, which is replaced.

        Raises:
            OSError: it cannot be written.
            ScenarioError: as `text`.

        """
        Path(path).write_text(self.text(str(path)), encoding="utf-8")


def record(cluster: ClusterHandle, *, waits: bool = True) -> Recording:
    """Return what was done to a cluster since its start, or since it was reset.

    Without `waits` the steps follow each other at once.

    Raises:
        RuntimeError: the cluster is not running.

    """
    log = cluster.action_log()
    recorder = _Recorder()
    for entry in list(log.entries):
        recorder.add(entry, waits=waits)
    if not log.is_complete:
        recorder.left_out.append(_INCOMPLETE)
    sections = {
        "cluster": _cluster(log),
        "faults": recorder.faults,
        "steps": recorder.steps,
    }
    return Recording(
        {name: each for name, each in sections.items() if each}, tuple(recorder.left_out)
    )


class _Recorder:
    """The faults and the steps of a scenario, made from the entries of a log."""

    def __init__(self) -> None:
        self.faults: list[Document] = []
        self.steps: list[Any] = []
        self.left_out: list[str] = []
        self._position = Position({}, {})

    def add(self, entry: LoggedCall | LoggedFault, *, waits: bool) -> None:
        """Add an action, after a wait for what clients had done before it."""
        step = self._step_of(entry)
        if step is None:
            return
        awaited = list(_waits(self._position, entry.before))
        self._position = entry.after
        is_first = not self.steps and not awaited and isinstance(entry, LoggedFault)
        if is_first and entry.change == "made":  # type: ignore[union-attr]
            self._add_fault(step[FAULT])
            return
        self.steps += awaited if waits else []
        self.steps.append(step)

    def _add_fault(self, document: Document) -> None:
        others = [each for each in self.faults if each["id"] != document["id"]]
        self.faults = [*others, document]

    def _step_of(self, entry: LoggedCall | LoggedFault) -> Any:
        if isinstance(entry, LoggedFault):
            return self._step_of_fault(entry)
        action = action_of(entry.method)
        assert action is not None, entry.method
        try:
            arguments = action.arguments_of(entry.holder, entry.args, entry.kwargs)
        except (TypeError, ValueError) as error:
            self.left_out.append(f"Left out: {action.name}: {error}")
            return None
        return {action.name: arguments} if arguments else action.name

    def _step_of_fault(self, entry: LoggedFault) -> Document | None:
        if entry.change != "made":
            verb = {"removed": "remove", "released": "release"}[entry.change]
            return {f"{FAULT}.{verb}": {FAULT: entry.name}}
        document = document_of(entry)
        if document is None or not is_expressible(entry):
            self.left_out.append(f"Left out: fault {entry.name!r}, which has a predicate of Python")
            return None
        plain: Document = msgspec.to_builtins(document)
        if isinstance(entry.trigger, Once) and not isinstance(entry.does, Toxic):
            plain.pop("trigger", None)
        return {FAULT: plain}


def _waits(last: Position, now: Position) -> Iterator[Document]:
    """Yield waits for what clients did between two positions."""
    for name, counts in now.faults.items():
        before = last.faults.get(name, _NEVER)
        for what in ("held", "hits"):
            if getattr(counts, what) > getattr(before, what):
                yield {WAIT_FOR: {FAULT: name, what: getattr(counts, what)}}
                break
    for (topic, partition), offset in now.log_end_offsets.items():
        if offset > last.log_end_offsets.get((topic, partition), 0):
            place = {"topic": topic, "partition": partition}
            yield {WAIT_FOR: {"log_end_offset": offset, **place}}


# Cluster


def _cluster(log: ActionLog) -> Document:
    """Return the settings of a cluster that differ from the defaults, and its release."""
    settings = log.settings
    if settings is None:
        return {}
    mode = log.first_clock_mode
    configs = {name: text for name, text in settings.configs.items() if name != _SEED}
    given: Document = {
        "brokers": len(settings.endpoints),
        "kafka": settings.options.release,
        "topics": _topics(settings),
        "config": configs,
        "features": _features(settings.options),
        "proposals": _proposals(settings.options),
        "clock": None if mode == DEFAULT_CLOCK else mode,
        "seed": settings.seed or None,
        "tls": settings.tls,
    }
    return {name: value for name, value in given.items() if value}


def _topics(settings: Settings) -> Mapping[str, int] | list[str]:
    if all(each.num_partitions < 0 for each in settings.topics):
        return [each.name for each in settings.topics]
    default = int(settings.configs.get("num.partitions", "1"))
    return {
        each.name: each.num_partitions if each.num_partitions > 0 else default
        for each in settings.topics
    }


def _features(options: Options) -> dict[str, int]:
    usual = {
        each.name: each.finalized_level for each in Options.for_release(options.release).features
    }
    return {
        each.name: each.finalized_level
        for each in options.features
        if each.finalized_level != usual.get(each.name)
    }


def _proposals(options: Options) -> list[str]:
    usual = Options.for_release(options.release)
    return [
        each.name
        for each in PROPOSALS
        if getattr(options, each.option) and not getattr(usual, each.option)
    ]
