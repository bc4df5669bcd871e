"""LOST_ACKED, ACKED_NOT_DURABLE and DUPLICATE_PAYLOAD, judged by a journal's requests.

The `call` joins a request with its append and its response. `loss_rules` and `payload_rules` then
judge the result.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.log_evidence import (
    Decided,
    Elected,
    Extent,
    Identities,
    LogEvidence,
    LogTruncation,
    by_producer,
)
from mockbroker.audit.log_facts import DISCARDED, NOBODY, REPEATED, STALE_BATCH, STALE_MARKER
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.records.loss_rules import LogLosses, lost
from mockbroker.audit.rules.records.lost_marker_rules import other_ends
from mockbroker.audit.rules.records.payload_rules import payload_findings
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.storage.attempt_store import AttemptStore
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

_PRODUCE: Final = "Produce"
_NO_ERROR: Final = "NONE"
_NO_LIMIT: Final = 1 << 62
_Key: TypeAlias = tuple[int, str, int]


class _Call:
    """Events of one request to one partition."""

    __slots__ = ("answer", "appends", "sent")

    def __init__(self) -> None:
        self.sent: Run | None = None
        self.appends: list[Run] = []
        self.answer: Run | None = None

    @property
    def is_clean(self) -> bool:
        """True if the batch was appended once and acknowledged, so that the call is complete."""
        appends, answer = self.appends, self.answer
        return (
            len(appends) == 1
            and not appends[0].is_duplicate
            and answer is not None
            and answer.error == _NO_ERROR
        )

    def attempts(self) -> list[Attempt]:
        """Return the appended batches, and batches that were acknowledged without an append."""
        if self.appends:
            return [
                _attempt(self.sent or each, each, self.answer, self.sent, is_repeated=index > 0)
                for index, each in enumerate(self.appends)
            ]
        if self.sent is None or self.answer is None or self.answer.error != _NO_ERROR:
            return []
        return [_attempt(self.sent, None, self.answer, self.sent, is_repeated=False)]


class _Log:
    """Events of a partition until its topic is deleted."""

    __slots__ = (
        "attempts", "cuts", "elections", "gone", "has_anonymous", "is_odd", "kept", "leader_epoch",
        "log_end", "log_start", "markers", "reach", "retry_reach", "starts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.attempts: Final = AttemptStore()
        self.cuts: Final[list[LogTruncation]] = []
        self.elections: Final[list[Elected]] = []
        self.markers: Final[list[Decided]] = []
        """All that were written; those that the log still has are `kept`, in order."""
        self.kept: Final[list[Decided]] = []
        self.gone: Final[set[Decided]] = set()
        self.starts: Final[dict[int, int]] = {}
        """The first offset of each leader epoch."""
        self.reach: Final[dict[int, int]] = {}
        """The last offset of the batches that were appended under each leader epoch."""
        self.retry_reach = -1
        """The last offset of the batches that were retried."""
        self.leader_epoch = -1
        self.log_start = 0
        self.log_end = _NO_LIMIT
        self.is_odd = False
        """True if a batch was acknowledged without an append, or appended by an old leader."""
        self.has_anonymous = False
        """True if a batch has no producer, so that only its checksum identifies it."""

    def epoch_end(self, leader_epoch: int) -> int:
        """Return the end of the records of a leader epoch: the start of the next one."""
        later = (start for each, start in self.starts.items() if each > leader_epoch)
        return min(later, default=_NO_LIMIT)

    def appended(self, run: Run) -> None:
        """Update the offsets of the log."""
        leader_epoch, base_offset = run.leader_epoch or 0, run.base_offset or 0
        if base_offset < self.starts.get(leader_epoch, _NO_LIMIT):
            self.starts[leader_epoch] = base_offset
        if leader_epoch >= self.leader_epoch:
            self.leader_epoch = leader_epoch
            if run.log_end_offset is not None:
                self.log_end = run.log_end_offset
        if run.log_start_offset is not None and run.log_start_offset > self.log_start:
            self.log_start = run.log_start_offset

    def add(self, each: Attempt) -> None:
        """Add an attempt, and note what may make it or others irregular."""
        self.attempts.append(each)
        last_offset = each.last_offset
        if each.appended == Appended.YES:
            if last_offset > self.reach.get(each.leader_epoch, -1):
                self.reach[each.leader_epoch] = last_offset
            if each.producer_id < 0 and each.crc is not None:
                self.has_anonymous = True
        elif each.appended == Appended.RETRY:
            self.retry_reach = max(self.retry_reach, last_offset)
        else:
            self.is_odd = True

    def may_have_lost(self) -> bool:
        """Return whether any batch may not be in the log; most logs need no closer look."""
        lowest = min(self.starts, default=0)
        return (
            self.is_odd
            or bool(self.cuts)
            or any(reach >= self.epoch_end(each) for each, reach in self.reach.items())
            or self.retry_reach >= min(self.log_end, self.epoch_end(lowest))
        )

    def end(self, marker: Decided) -> None:
        """Add a marker of the log."""
        self.markers.append(marker)
        self.kept.append(marker)

    def truncate(self, end_offset: int) -> None:
        """Note the markers that a truncation removes."""
        while self.kept and self.kept[-1].offset >= end_offset:
            self.gone.add(self.kept.pop())

    def ends(self) -> dict[int, bool]:
        """Return by base offset whether another marker commits a batch whose own one is gone."""
        concerned = {each.producer_id for each in self.gone}
        markers = by_producer(m for m in (*self.kept, *self.gone) if m.producer_id in concerned)
        found: dict[int, bool] = {}
        for attempt in self.attempts if markers else ():
            own = markers.get(attempt.producer_id, [])
            first = bisect_right(own, attempt.appended_at, key=lambda each: each.at)
            if attempt.is_stored and first < len(own) and own[first] in self.gone:
                later = (own[each] for each in range(first, len(own)))
                end = next((each for each in later if each not in self.gone), None)
                if end is not None:
                    found[attempt.base_offset] = end.is_commit
        return found


class Acknowledgements:
    """A machine that joins requests, appends and responses."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without logs."""
        self._context: Final = context
        self._calls: Final[dict[_Key, _Call]] = {}
        self._logs: Final[dict[tuple[str, int], _Log]] = {}

    def end(self) -> None:
        """Judge all logs."""
        self._judge(None)

    def _judge(self, of_topic: str | None) -> None:
        """Judge each log that has anything irregular, of one topic or of all, and forget it."""
        for key in [key for key in self._calls if of_topic in {None, key[1]}]:
            log = self._logs.setdefault(key[1:], _Log())
            for each in self._calls.pop(key).attempts():
                log.add(each)
        for place in sorted(place for place in self._logs if of_topic in {None, place[0]}):
            log = self._logs.pop(place)
            evidence = self._evidence(*place, log)
            if log.may_have_lost():
                losses = sorted(lost(evidence), key=lambda each: _arrival(each.attempt))
                ends = [*other_ends(evidence)]
                found = LogLosses(evidence.without_attempts(), losses, ends)
                self._context.outcome.losses += [found] if found.producers else []
            if log.has_anonymous:
                for finding in payload_findings(evidence.in_order(_arrival)):
                    self._context.report(finding)

    def _evidence(self, topic: str, partition: int, log: _Log) -> LogEvidence:
        return LogEvidence(
            topic=topic,
            partition=partition,
            attempts=log.attempts,
            extent=Extent(log.log_start, log.log_end, log.epoch_end),
            identities=checksums,
            cuts=log.cuts,
            elections=log.elections,
            decisions=by_producer(log.markers),
            reset_seq=self._context.reset_seq,
            ends=log.ends,
        )

    # Events

    def _log(self, run: Run) -> _Log:
        log = self._logs.get(run.place)
        if log is None:
            log = self._logs[run.place] = _Log()
        return log

    def _call(self, run: Run) -> _Call | None:
        if run.call is None or run.topic is None or run.partition is None:
            return None
        key = run.call, run.topic, run.partition
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = _Call()
        return call

    def _sent(self, run: Run) -> None:
        call = self._call(run)
        if call is not None:
            call.sent = run

    def _appended(self, run: Run) -> None:
        self._log(run).appended(run)
        self._joined(run)

    def _appended_alone(self, run: Run) -> None:
        self._log(run).is_odd = True
        self._joined(run)

    def _joined(self, run: Run) -> None:
        """Join an append, or a retry, with its request and its response."""
        if run.answered_seq is not None:
            self._log(run).add(_acknowledged(run))
            return
        call = self._call(run) if run.api == _PRODUCE else None
        if call is not None:
            call.appends.append(run)

    def _ended(self, run: Run) -> None:
        log = self._log(run)
        log.appended(run)
        log.end(_decided(run))

    def _decided_alone(self, run: Run) -> None:
        self._log(run).markers.append(_decided(run))

    def _answered(self, run: Run) -> None:
        call = self._call(run)
        if call is not None and call.answer is None:
            call.answer = run
            if call.is_clean:
                assert run.call is not None
                del self._calls[run.call, *run.place]
                log = self._log(run)
                for each in call.attempts():
                    log.add(each)

    def _truncated(self, run: Run) -> None:
        assert run.log_end_offset is not None
        log = self._log(run)
        log.cuts.append(LogTruncation(run.seq, run.log_end_offset))
        log.log_end = run.log_end_offset
        log.truncate(run.log_end_offset)

    def _discarded(self, run: Run) -> None:
        """Record what a broker removed that nobody else had: the log has not changed."""
        assert run.log_end_offset is not None, run
        cut = LogTruncation(run.seq, run.log_end_offset, run.leader_epoch)
        self._log(run).cuts.append(cut)

    def _elected(self, run: Run) -> None:
        """Record an election, unless the partition has no leader: then appends still count."""
        if run.leader_epoch is not None and run.broker != NOBODY:
            self._log(run).elections.append(Elected(run.seq, run.leader_epoch))

    def _log_start(self, run: Run) -> None:
        log = self._log(run)
        log.log_start = max(log.log_start, run.log_start_offset or 0)

    def _deleted(self, run: Run) -> None:
        """Judge the logs of a topic before they go: what is deleted with them is not lost."""
        self._judge(run.topic)

    handlers: ClassVar[Handlers] = {
        "request Produce": _sent,
        "append": _appended,
        REPEATED: _joined,
        STALE_BATCH: _appended_alone,
        "answer Produce": _answered,
        "lost Produce": _answered,
        "marker": _ended,
        STALE_MARKER: _decided_alone,
        "truncation": _truncated,
        DISCARDED: _discarded,
        "leader": _elected,
        "topic_deleted": _deleted,
        "log_start": _log_start,
    }


def checksums(attempt: Attempt, last: int) -> Sequence[tuple[int, int, int]]:
    """Return the checksum of a batch without a producer; others are identified by sequences."""
    if attempt.crc is None or attempt.producer_id >= 0 or last < attempt.last_offset:
        return ()
    return ((attempt.base_offset, attempt.record_count, attempt.crc),)


_: Identities = checksums


def _decided(run: Run) -> Decided:
    """Return what a marker proves."""
    assert run.producer_id is not None, run
    return Decided(run.seq, run.producer_id, None, run.marker == "COMMIT", run.base_offset or 0)


def _answer(answer: Run | None, sent: Run | None) -> ResponseOutcome:
    if answer is not None:
        return ResponseOutcome.LOST if answer.kind == "lost" else ResponseOutcome.GIVEN
    return (
        ResponseOutcome.UNWANTED
        if sent is not None and sent.acks == 0
        else ResponseOutcome.NONE_YET
    )


def _acknowledged(run: Run) -> Attempt:
    """Return the attempt of a run that has its request and its response."""
    assert run.came_seq is not None, run
    assert run.answered_seq is not None, run
    return Attempt(
        run.call or 0,
        run.connection or 0,
        run.client_id,
        run.came_seq,
        -1 if run.producer_id is None else run.producer_id,
        -1 if run.producer_epoch is None else run.producer_epoch,
        -1 if run.base_sequence is None else run.base_sequence,
        run.record_count or 0,
        bool(run.is_transactional),
        run.crc,
        Appended.RETRY if run.is_duplicate else Appended.YES,
        run.seq,
        -1 if run.base_offset is None else run.base_offset,
        run.leader_epoch or 0,
        ResponseOutcome.GIVEN,
        None,
        run.answered_seq,
        False,  # by position it is twice as fast
        run.came_ms or 0,
    )


def _arrival(attempt: Attempt) -> tuple[int, int]:
    return attempt.came_at, attempt.appended_at


def _attempt(
    came: Run, append: Run | None, answer: Run | None, sent: Run | None, *, is_repeated: bool
) -> Attempt:
    batch = append or came
    is_error = answer is not None and answer.error not in {None, _NO_ERROR}
    appended = Appended.NO
    if append is not None:
        appended = Appended.RETRY if append.is_duplicate else Appended.YES
    return Attempt(
        call=came.call or 0,
        connection=came.connection or 0,
        client_id=came.client_id,
        came_at=came.seq,
        producer_id=-1 if batch.producer_id is None else batch.producer_id,
        producer_epoch=-1 if batch.producer_epoch is None else batch.producer_epoch,
        base_sequence=-1 if batch.base_sequence is None else batch.base_sequence,
        record_count=batch.record_count or 0,
        is_transactional=bool(batch.is_transactional),
        crc=batch.crc,
        appended=appended,
        appended_at=0 if append is None else append.seq,
        base_offset=-1 if append is None or append.base_offset is None else append.base_offset,
        leader_epoch=batch.leader_epoch or 0,
        answer=_answer(answer, sent),
        error=answer.error if answer is not None and is_error else None,
        answered_at=0 if answer is None else answer.seq,
        is_repeated=is_repeated,
        time_ms=came.virtual_time_ms,
    )
