"""ABORTED_VISIBLE: aborted or undecided records that read_committed consumers can read.

Consumers read up to the last stable offset. If that is beyond the first offset of an open
transaction, they can read records that may yet be aborted; if the transaction commits in the end,
there is no finding. A leader that was elected without producer state does not hold the last stable
offset back, and its index lacks the aborted transactions that it did not know.
"""

import json
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

ABORTED_VISIBLE: Final = "ABORTED_VISIBLE"
_ELECTION: Final = "event leader_election"
_WITHOUT_STATE: Final = "none"
_NEVER: Final = 1 << 62
_RANGES_MAX: Final = 1_000
"""Number of ranges of offsets that are remembered of an open transaction."""
Fate: TypeAlias = Literal["aborted", "open"]

_KEEP_STATE: Final = (
    "the leader no longer knew the transaction, and so did not hold readers back. Check whether it "
    "was elected without producer state."
)


class Shown(NamedTuple):
    """Offsets of one producer that consumers can read."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int
    producer_id: int
    producer_epoch: int
    fate: Fate


def visible_finding(
    shown: Shown, *, time_ms: int | None = None, evidence: tuple[int, ...] = ()
) -> Finding:
    """Return the finding for records that consumers should not be able to read."""
    rule = RULES[ABORTED_VISIBLE]
    outcome = "was aborted" if shown.fate == "aborted" else "is undecided"
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        text=f"{shown.topic}-{shown.partition}: read_committed readers get offsets "
        f"{shown.first_offset} to {shown.last_offset} of producer {shown.producer_id} epoch "
        f"{shown.producer_epoch}, whose transaction {outcome}",
        advice=_KEEP_STATE,
        topic=shown.topic,
        partition=shown.partition,
        producer_id=shown.producer_id,
        producer_epoch=shown.producer_epoch,
        first_offset=shown.first_offset,
        last_offset=shown.last_offset,
        virtual_time_ms=time_ms,
        evidence=evidence,
    )


class _Open:
    """An open transaction in a log."""

    __slots__ = ("evidence", "producer_epoch", "ranges", "shown_to", "time_ms")

    def __init__(self, run: Run) -> None:
        self.producer_epoch = run.producer_epoch or 0
        self.ranges: list[tuple[int, int]] = []
        """Offsets of its batches, both included; other producers' are between them."""
        self.time_ms = run.virtual_time_ms
        self.evidence: tuple[int, ...] = (run.seq,)
        self.shown_to = -1
        """The offset after the last one that was visible."""

    @property
    def first_offset(self) -> int:
        return self.ranges[0][0]

    @property
    def last_offset(self) -> int:
        return self.ranges[-1][1]

    def add(self, first: int, last: int) -> None:
        """Add a batch behind the others; it replaces the last range if there are very many."""
        begin, end = self.ranges[-1] if self.ranges else (first, first - 1)
        if end + 1 == first:
            self.ranges[-1:] = [(begin, last)]
        else:
            self.ranges[_RANGES_MAX - 1 :] = [(first, last)]

    def keep(self, start: int, end: int) -> None:
        """Forget the offsets before a start, and from an end on."""
        self.ranges = [
            (max(first, start), min(last, end - 1))
            for first, last in self.ranges
            if first < end and last >= start
        ]


class Visibility:
    """A machine that compares the last stable offset with the open transactions."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without transactions."""
        self._context: Final = context
        self._logs: Final[dict[tuple[str, int], dict[int, _Open]]] = {}

    def _deleted(self, run: Run) -> None:
        for place in [place for place in self._logs if place[0] == run.topic]:
            del self._logs[place]

    def end(self) -> None:
        """Report the visible records of transactions that are still open."""
        for place, opened in self._logs.items():
            for producer_id, each in opened.items():
                self._report(place, producer_id, each, "open")

    def _appended(self, run: Run) -> None:
        if run.is_transactional:
            assert run.producer_id is not None
            assert run.base_offset is not None
            assert run.last_offset is not None
            log = self._logs.setdefault(run.place, {})
            opened = log.get(run.producer_id)
            if opened is None:
                opened = log[run.producer_id] = _Open(run)
            opened.add(run.base_offset, run.last_offset)
        self._compare(run)

    def _ended(self, run: Run) -> None:
        log = self._logs.get(run.place)
        if log is None:
            return
        assert run.producer_id is not None
        opened = log.pop(run.producer_id, None)
        if opened is not None and run.marker == "ABORT":
            opened.evidence += (run.seq,)
            opened.time_ms = run.virtual_time_ms
            self._report(run.place, run.producer_id, opened, "aborted")
        self._compare(run)

    def _compare(self, run: Run) -> None:
        """Record the parts of open transactions that are below a last stable offset."""
        stable = run.last_stable_offset
        opened = self._logs.get(run.place)
        if not opened or stable is None:
            return
        for each in opened.values():
            if each.first_offset < stable and each.shown_to < stable:
                if each.shown_to < 0:
                    each.evidence += (run.seq,)
                each.shown_to = stable

    def _log_start(self, run: Run) -> None:
        """Forget what is deleted before any reader got it: no last stable offset is below."""
        start = run.log_start_offset or 0
        log = self._logs.get(run.place, {})
        for producer_id, each in [each for each in log.items() if each[1].shown_to < 0]:
            each.keep(start, _NEVER)
            if not each.ranges:
                del log[producer_id]

    def _elected(self, run: Run) -> None:
        """Record that a leader has no producer state, so that it holds no reader back."""
        if run.topic is None or run.partition is None:
            return
        if json.loads(run.detail or "{}").get("state") == _WITHOUT_STATE:
            for each in self._logs.get(run.place, {}).values():
                each.evidence += (run.seq,)
                each.shown_to = max(each.shown_to, each.last_offset + 1)

    def _truncated(self, run: Run) -> None:
        end = run.log_end_offset
        log = self._logs.get(run.place)
        if log is None or end is None:
            return
        for producer_id, each in list(log.items()):
            each.keep(0, end)
            each.shown_to = min(each.shown_to, end)
            if not each.ranges:
                del log[producer_id]

    def _report(self, place: tuple[str, int], producer_id: int, each: _Open, fate: Fate) -> None:
        if each.shown_to > each.first_offset:
            each.keep(0, each.shown_to)
            last = each.last_offset
            shown = Shown(*place, each.first_offset, last, producer_id, each.producer_epoch, fate)
            evidence = tuple(sorted(set(each.evidence)))
            self._context.report(visible_finding(shown, time_ms=each.time_ms, evidence=evidence))

    handlers: ClassVar[Handlers] = {
        "append": _appended,
        "marker": _ended,
        "truncation": _truncated,
        "log_start": _log_start,
        _ELECTION: _elected,
        "topic_deleted": _deleted,
    }
