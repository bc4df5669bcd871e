"""Facts about logs that all machines need: their starts, their leaders, their truncations."""

from dataclasses import dataclass
from typing import Final

from mockbroker.audit.runs.run import Run

NOBODY: Final = -1
REPEATED: Final = "repeated"
"""The kind of a run with a batch that the leader had, and recognised."""
STALE_BATCH: Final = "stale"
"""The kind of a run with a batch that only an isolated broker has, which was replaced."""
STALE_MARKER: Final = "stale_marker"
DISCARDED: Final = "discarded"
"""The kind of a run in which a broker removes records that only it had."""


@dataclass(slots=True)
class _Log:
    """A partition's log, until its topic is deleted."""

    begins: bool
    """True if the evidence contains the log from its beginning."""
    leader_epoch: int = -1
    """The leader epoch of its last batch."""
    log_end_offset: int | None = None
    log_start_offset: int | None = None


class LogFacts:
    """Follows all logs; it sees each run before the machines do."""

    def __init__(self, *, is_whole: bool = False) -> None:
        """Start without logs; `is_whole` if the evidence contains all topics from the beginning."""
        self._is_whole: Final = is_whole
        self._logs: Final[dict[tuple[str, int], _Log]] = {}
        self._elected: Final[dict[tuple[str, int], int]] = {}
        """The highest leader epoch in which a partition had a leader."""
        self._first_elected: Final[dict[tuple[str, int], int]] = {}
        """The leader epoch of the first election in the evidence."""
        self._created: Final[set[str]] = set()
        self._stale: Run | None = None

    def begins(self, place: tuple[str, int]) -> bool:
        """Return whether the evidence contains a log from its beginning."""
        return place in self._logs and self._logs[place].begins

    def end(self, place: tuple[str, int]) -> int | None:
        """Return the present end of a log; None if it is unknown."""
        log = self._logs.get(place)
        return None if log is None else log.log_end_offset

    def start(self, place: tuple[str, int]) -> int | None:
        """Return the present start of a log; None if it is unknown."""
        log = self._logs.get(place)
        return None if log is None else log.log_start_offset

    def is_created(self, topic: str) -> bool:
        """Return whether the evidence contains the creation of the topic."""
        return self._is_whole or topic in self._created

    def has_elections(self, place: tuple[str, int], leader_epoch: int) -> bool:
        """Return whether the evidence contains all elections after a leader epoch."""
        first = self._first_elected.get(place)
        return self.is_created(place[0]) or (first is not None and first <= leader_epoch + 1)

    def is_stale(self, run: Run) -> bool:
        """Return whether the last run is a batch of a leader that had been replaced.

        Such a leader is isolated: its appends are not part of the log, and are discarded when it
        rejoins.
        """
        return run is self._stale

    def see(self, run: Run) -> Run | None:
        """Apply one run, and return the truncation that it implies, as a run of its own.

        A new leader may have a shorter log than the old one. The offset of its first batch then
        shows the truncation.
        """
        match run.kind:
            case "append" | "marker":
                return None if run.is_duplicate else self._append(run)
            case "topic_created":
                assert run.topic is not None, run
                self._created.add(run.topic)
            case "topic_deleted":
                for known in (self._logs, self._elected, self._first_elected):
                    for place in [place for place in known if place[0] == run.topic]:
                        del known[place]
            case "leader":
                self._elect(run)
            case "truncation" | "log_start":
                self._cut(run)
            case _:
                pass
        return None

    def _elect(self, run: Run) -> None:
        reached = -1 if run.leader_epoch is None else run.leader_epoch
        self._first_elected.setdefault(run.place, reached)
        if run.broker != NOBODY:  # without a leader, the appends of an isolated one still count
            self._elected[run.place] = max(reached, self._elected.get(run.place, -1))

    def _cut(self, run: Run) -> None:
        """Apply the removal of records at an end of a log, which had some before."""
        place = run.place
        log = self._logs.setdefault(place, _Log(begins=self.is_created(place[0])))
        if run.kind == "truncation":
            log.log_end_offset = run.log_end_offset
        else:
            log.log_start_offset = run.log_start_offset

    def _append(self, run: Run) -> Run | None:
        place, base = run.place, run.base_offset
        assert base is not None, run
        log = self._logs.get(place)
        leader_epoch = -1 if run.leader_epoch is None else run.leader_epoch
        newest = -1 if log is None else log.leader_epoch
        newest = max(newest, self._elected.get(place, -1))
        if run.leader_epoch is not None and leader_epoch < newest:
            self._stale = run
            return None
        if log is None:
            # Before an election that is not in the evidence the log may have had other batches.
            is_first = leader_epoch <= 0 or self.has_elections(place, 0)
            begins = self.is_created(place[0]) or (base == 0 and is_first)
            log = self._logs[place] = _Log(begins=begins)
        end, is_new = log.log_end_offset, leader_epoch > log.leader_epoch
        log.leader_epoch = max(leader_epoch, log.leader_epoch)
        log.log_start_offset = run.log_start_offset
        log.log_end_offset = None if run.last_offset is None else run.last_offset + 1
        if not is_new or end is None or base >= end:
            return None
        return run._replace(kind="truncation", log_end_offset=base)


def as_logged(run: Run) -> Run:
    """Return a run as rules about logs see it.

    A broker that was isolated truncates what it has appended alone, when it rejoins: the row has
    the leader epoch of these records. It concerns whoever has sent them, and no rule about the log.
    A batch without a producer is in no transaction, whatever its bits say: no reader waits for it.
    """
    if run.kind == "truncation" and run.leader_epoch is not None:
        return run._replace(kind=DISCARDED)
    if run.is_transactional and (run.producer_id is None or run.producer_id < 0):
        return run._replace(is_transactional=False)
    return run
