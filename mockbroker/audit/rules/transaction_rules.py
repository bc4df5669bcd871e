"""Rules for transactions in logs: appends after their end, markers without them, open ends.

APPEND_AFTER_MARKER, HANGING_TXN, ZOMBIE_WRITE_ACCEPTED, MARKER_WITHOUT_TXN and DOUBLE_MARKER. There
is a machine for each producer id, which sees its batches and markers in all partitions, and the
transitions in its coordinator's log.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple

from mockbroker.audit.cluster.present_states import ASKED, OPEN, PRESENT, PresentStates
from mockbroker.audit.coordinated import Coordinated
from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules import transaction_findings as texts
from mockbroker.audit.runs.run import COORDINATORS_LOG, Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import place_text

_ENDED_MAX: Final = 50_000
"""Number of ended transactions that are remembered: a truncation may remove their markers."""


@dataclass(slots=True)
class _Suspect:
    """A batch that is a finding unless it is truncated."""

    finding: Finding
    run: Run
    is_zombie: bool
    ended: str | None
    """The outcome of the transaction after whose end the batch was appended."""
    begun_seq: int | None = None
    """The start of the transaction that the batch may belong to, if its partition is added yet."""


@dataclass(slots=True)
class _Open:
    """An open transaction in a partition's log."""

    first: Run
    suspects: list[_Suspect] = field(default_factory=list[_Suspect])


class _Ended(NamedTuple):
    """A transaction that was ended in a partition."""

    place: tuple[str, int]
    offset: int
    """The offset of its marker."""
    first: Run
    """Its first batch."""


class TransactionRules:
    """Judges batches and markers by the state of coordinators."""

    scope: ClassVar = ShardScope.PRODUCER

    def __init__(self, context: RuleContext) -> None:
        """Start without producers and coordinators."""
        self._context: Final = context
        self._coordinated: Final[dict[int, Coordinated]] = {}
        self._ids: Final[dict[str, int]] = {}
        self._open: Final[defaultdict[int, dict[tuple[str, int], _Open]]] = defaultdict(dict)
        self._ended: deque[_Ended] = deque(maxlen=_ENDED_MAX)
        self._present: Final = PresentStates()
        self._requested: Final[dict[tuple[int | None, str, int], int]] = {}
        """Arrival of each Produce whose batch is not appended yet."""

    def end(self) -> None:
        """Judge the transactions that are open at the end of the evidence."""
        for producer_id, places in self._open.items():
            known = self._present.of(producer_id) or self._coordinated.get(producer_id)
            for place, opened in places.items():
                self._end_of(place, opened, known)
        for producer_id, known in self._coordinated.items():
            is_last = self._ids.get(known.transactional_id) == producer_id
            if is_last and not known.is_at_rest:
                whose = f"{known.transactional_id} ({known.state}, producer {producer_id})"
                self._context.outcome.open_transactions.append(whose)

    # Coordinators

    def _transition(self, run: Run) -> None:
        assert run.producer_id is not None, run
        assert run.producer_epoch is not None, run
        transactional_id = run.transactional_id or ""
        before = self._ids.get(transactional_id, run.producer_id)
        old = self._coordinated.get(before)
        if before != run.producer_id and old is not None:
            self._succeeded(old, run)
        known = self._coordinated.get(run.producer_id)
        if known is None:
            given = run.producer_epoch - (run.api == "InitProducerId")
            known = self._coordinated[run.producer_id] = Coordinated(
                transactional_id, given, run.state_before or "Empty", run.seq
            )
        known.change(run)
        self._ids[transactional_id] = run.producer_id

    def _succeeded(self, old: Coordinated, run: Run) -> None:
        """Replace a producer id whose epochs are exhausted, or that expired."""
        if run.state_after in {"CompleteCommit", "CompleteAbort"}:
            old.state = run.state_after
        old.fence, old.fence_epoch = run, 1 << 16

    def _was_asked(self, run: Run) -> None:
        self._present.asked(run)

    def _is_present(self, run: Run) -> None:
        self._present.take(run)

    def _asked(self, run: Run) -> None:
        """Record the arrival of a batch, which may be appended much later."""
        if run.topic is not None and run.partition is not None and run.is_transactional:
            self._requested[run.call, run.topic, run.partition] = run.seq

    def _answered(self, run: Run) -> None:
        if run.topic is not None and run.partition is not None:
            self._requested.pop((run.call, run.topic, run.partition), None)

    # Logs

    def _append(self, run: Run) -> None:
        if not run.is_transactional or self._present.is_later(run):
            return
        producer_id, producer_epoch, place = run.producer_id, run.producer_epoch, run.place
        assert producer_id is not None, run
        assert producer_epoch is not None, run
        came_seq = run.came_seq
        if came_seq is None:
            came_seq = self._requested.pop((run.call, *place), run.seq)
        known = self._coordinated.get(producer_id)
        opened = self._open[producer_id].get(place) or self._begin(run)
        if known is None:
            return
        is_inside = known.is_in_transaction(place_text(place), producer_epoch)
        if not is_inside:
            is_zombie = producer_epoch < known.fence_epoch
            finding = texts.zombie(run, known) if is_zombie else texts.late(run, known, came_seq)
            begun_seq = known.begun_seq if known.state == "Ongoing" else None
            suspect = _Suspect(finding, run, is_zombie, known.decision, begun_seq)
            opened.suspects.append(suspect)
        elif came_seq < known.decision_seq and known.state == "Ongoing":
            finding = texts.late(run, known, came_seq)
            opened.suspects.append(_Suspect(finding, run, is_zombie=False, ended=known.decision))

    def _begin(self, run: Run) -> _Open:
        assert run.producer_id is not None, run
        opened = self._open[run.producer_id][run.place] = _Open(run)
        return opened

    def _marker(self, run: Run) -> None:
        producer_id, place = run.producer_id, run.place
        assert producer_id is not None, run
        known = self._coordinated.get(producer_id)
        opened = self._take(producer_id, place)
        if opened is not None:
            self._ended.append(_Ended(place, run.base_offset or 0, opened.first))
        if self._present.is_later(run):
            return  # the answers did not know it yet: it ends what is open, and is not judged
        if known is not None:
            self._judge_marker(run, known, is_open=opened is not None)
        for suspect in () if opened is None else opened.suspects:
            if not self._is_harmless(suspect, run, known):
                finding = suspect.finding
                self._context.report(
                    finding if suspect.is_zombie else texts.late_until(finding, run)
                )

    def _is_harmless(self, suspect: _Suspect, marker: Run, known: Coordinated | None) -> bool:
        """Return whether a batch was truncated, or belonged to the transaction after all."""
        if marker.marker == "ABORT" and (suspect.is_zombie or suspect.ended in {"ABORT", None}):
            return True
        return (
            not suspect.is_zombie
            and known is not None
            and suspect.begun_seq is not None
            and suspect.begun_seq == known.begun_seq
            and place_text(marker.place) in known.partitions
        )

    def _judge_marker(self, run: Run, known: Coordinated, *, is_open: bool) -> None:
        place = place_text(run.place)
        if known.expects(place) != run.marker:
            is_by_hand = run.api == "WriteTxnMarkers" and run.marker == "ABORT"
            if not (is_by_hand and is_open and not self._is_known_open(known, place)):
                self._context.report(texts.marker_without_transaction(run, known))
            return
        first = known.marked.get(place)
        if first is None:
            known.marked[place] = run
        elif is_open:
            known.marked[place] = run  # it ends a late batch, which has a finding of its own
        elif (run.coordinator_epoch or 0) <= (first.coordinator_epoch or 0):
            self._context.report(texts.double_marker(run, first, known))
        else:
            known.marked[place] = run

    def _is_known_open(self, known: Coordinated, place: str) -> bool:
        return not known.is_at_rest and place in known.partitions and place not in known.marked

    def _deleted(self, run: Run) -> None:
        places = {each for of_id in self._open.values() for each in of_id}
        for place in [each for each in places if each[0] == run.topic]:
            self._let_go(place, 0)
        kept = [each for each in self._ended if each.place[0] != run.topic]
        self._ended = deque(kept, maxlen=_ENDED_MAX)

    def _expired(self, run: Run) -> None:
        assert run.producer_id is not None, run
        opened = self._take(run.producer_id, run.place)
        for suspect in () if opened is None else opened.suspects:
            self._context.report(suspect.finding)

    def _truncated(self, run: Run) -> None:
        assert run.log_end_offset is not None, run
        if run.topic == COORDINATORS_LOG:
            for known in self._coordinated.values():
                known.may_be_lost = True
        self._reopen(run.place, run.log_end_offset)
        self._let_go(run.place, run.log_end_offset)

    def _reopen(self, place: tuple[str, int], end: int) -> None:
        """Open the transactions again whose markers are truncated, and whose records are not."""
        ended, self._ended = self._ended, deque(maxlen=_ENDED_MAX)
        for each in ended:
            if each.place != place or each.offset < end:
                self._ended.append(each)
                continue
            assert each.first.producer_id is not None, each
            if (each.first.base_offset or 0) < end:
                # What is open now begins behind the marker, and is truncated, too.
                self._open[each.first.producer_id][place] = _Open(each.first)

    def _let_go(self, place: tuple[str, int], from_offset: int) -> None:
        """Drop the transactions whose records are all deleted."""
        for producer_id, places in self._open.items():
            opened = places.get(place)
            if opened is None:
                continue
            if (opened.first.base_offset or 0) >= from_offset:
                self._take(producer_id, place)
            else:
                opened.suspects = [
                    each for each in opened.suspects if (each.run.base_offset or 0) < from_offset
                ]

    def _take(self, producer_id: int, place: tuple[str, int]) -> _Open | None:
        return self._open[producer_id].pop(place, None)

    # The end

    def _end_of(self, place: tuple[str, int], opened: _Open, known: Coordinated | None) -> None:
        for suspect in opened.suspects:
            if suspect.is_zombie:
                self._context.report(suspect.finding)
        if known is not None and self._is_known_open(known, place_text(place)):
            return
        is_unseen = known is None and not self._context.logs.is_created(place[0])
        is_lost = known is not None and known.may_be_lost
        is_unseen &= not (self._present.cover(place) and self._context.source.has_all_ids)
        if is_unseen or is_lost:
            self._context.leave_unknown(
                f"{place_text(place)}: whether a coordinator knows the transaction of "
                f"producer {opened.first.producer_id} that is open since offset "
                f"{opened.first.base_offset}"
            )
            return
        self._context.report(texts.hanging(opened.first, known))

    handlers: ClassVar[Handlers] = {
        "transaction": _transition,
        "append": _append,
        "marker": _marker,
        "request Produce": _asked,
        "answer Produce": _answered,
        "truncation": _truncated,
        "topic_deleted": _deleted,
        "producer_expired": _expired,
        ASKED: _was_asked,
        PRESENT: _is_present,
        OPEN: _begin,
    }
