"""Facts about logs that all machines need: their starts, their leaders, their truncations."""

from dataclasses import dataclass
from typing import Final

from mockbroker.audit.runs.run import Run, Stream

_NOBODY: Final = -1


@dataclass(slots=True)
class _Log:
    """A partition's log, until its topic is deleted."""

    begins: bool
    """True if the evidence contains the log from its beginning."""
    leader_epoch: int = -1
    """The highest one that a leader had."""
    last_leader_epoch: int = -1
    """The leader epoch of its last batch."""
    log_end_offset: int | None = None


class LogFacts:
    """Follows all logs; it sees each run before the machines do."""

    def __init__(self) -> None:
        """Start without logs."""
        self._logs: Final[dict[tuple[str, int], _Log]] = {}
        self._created: Final[set[str]] = set()
        self._old_ends: Final[dict[tuple[str, int], int | None]] = {}

    def begins(self, place: tuple[str, int]) -> bool:
        """Return whether the evidence contains a log from its beginning."""
        return place in self._logs and self._logs[place].begins

    def old_end(self, place: tuple[str, int]) -> int | None:
        """Return the end of a log when its topic was last deleted; None if it is unknown."""
        return self._old_ends.get(place)

    def is_created(self, topic: str) -> bool:
        """Return whether the evidence contains the creation of the topic."""
        return topic in self._created

    def is_stale(self, run: Run) -> bool:
        """Return whether a batch was written by a leader that had been replaced.

        Such a leader is isolated: its appends are not part of the log, and are discarded when it
        rejoins.
        """
        if run.leader_epoch is None:
            return False
        log = self._logs.get(run.place)
        return log is not None and run.leader_epoch < log.leader_epoch

    def see(self, run: Run) -> Run | None:
        """Apply one run, and return the truncation that it implies, as a run of its own.

        A new leader may have a shorter log than the old one. The offset of its first batch then
        shows the truncation.
        """
        match run.kind:
            case "topic_created":
                assert run.topic is not None, run
                self._created.add(run.topic)
            case "topic_deleted":
                for place in [place for place in self._logs if place[0] == run.topic]:
                    self._old_ends[place] = self._logs.pop(place).log_end_offset
            case "leader":
                self._elected(run)
            case "truncation":
                if run.place in self._logs:
                    self._logs[run.place].log_end_offset = run.log_end_offset
            case "append" | "marker" | "log" if not run.is_duplicate:
                return self._append(run)
            case _:
                pass
        return None

    def _elected(self, run: Run) -> None:
        """Record the leader epoch; without a leader, appends of an isolated one still count."""
        log = self._logs.get(run.place)
        if log is not None and run.leader_epoch is not None and run.broker != _NOBODY:
            log.leader_epoch = max(log.leader_epoch, run.leader_epoch)

    def _append(self, run: Run) -> Run | None:
        log = self._logs.get(run.place)
        base = run.base_offset
        assert base is not None, run
        if log is None:
            begins = base == 0 or run.place[0] in self._created
            log = self._logs[run.place] = _Log(begins=begins)
        leader_epoch = -1 if run.leader_epoch is None else run.leader_epoch
        if leader_epoch < log.leader_epoch:
            return None
        end, is_new = log.log_end_offset, leader_epoch > log.last_leader_epoch
        log.leader_epoch = log.last_leader_epoch = leader_epoch
        log.log_end_offset = None if run.last_offset is None else run.last_offset + 1
        if not is_new or end is None or base >= end:
            return None
        return run._replace(stream=Stream.EVENT, kind="truncation", log_end_offset=base, events=1)
