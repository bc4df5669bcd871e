"""LOST_ACKED, ACKED_NOT_DURABLE and DUPLICATE_PAYLOAD, judged by a journal's requests.

The `call` joins a request with its append and its response. `loss_rules` and `payload_rules` then
judge the result.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.log_evidence import (
    Decided,
    Elected,
    Extent,
    Identities,
    LogEvidence,
    LogTruncation,
)
from mockbroker.audit.log_facts import DISCARDED, NOBODY
from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.rules.loss_rules import Loss, losses_by_cause, lost
from mockbroker.audit.rules.payload_rules import payload_findings
from mockbroker.audit.runs.run import (
    SEQUENCES,
    Run,
    Stream,
    StreamKey,
)
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

_PRODUCE: Final = "Produce"
_NO_ERROR: Final = "NONE"
_NO_LIMIT: Final = 1 << 62
_DECISIONS: Final = {"PrepareCommit": True, "PrepareAbort": False, "PrepareEpochFence": False}
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
        "attempts", "cuts", "elections", "folded", "log_end", "log_start", "markers", "produced",
        "starts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.cuts: list[LogTruncation] = []
        self.elections: list[Elected] = []
        self.markers: list[Decided] = []
        self.starts: dict[int, int] = {}
        """The first offset of each leader epoch."""
        self.folded: list[Run] = []
        self.produced: list[Run] = []
        """Folded runs of single producers."""
        self.log_start = 0
        self.log_end = _NO_LIMIT

    def epoch_end(self, leader_epoch: int) -> int:
        """Return the end of the records of a leader epoch: the start of the next one."""
        later = (start for each, start in self.starts.items() if each > leader_epoch)
        return min(later, default=_NO_LIMIT)

    def appended(self, run: Run) -> None:
        """Update the offsets of the log."""
        leader_epoch, base_offset = run.leader_epoch or 0, run.base_offset or 0
        self.starts[leader_epoch] = min(self.starts.get(leader_epoch, base_offset), base_offset)
        if leader_epoch == max(self.starts) and run.log_end_offset is not None:
            self.log_end = run.log_end_offset
        self.log_start = max(self.log_start, run.log_start_offset or 0)

    def is_undecided(self) -> bool:
        """Return whether the single events of folded runs are needed."""
        return (
            self.is_cut_in_a_fold()
            or self.may_be_again_in_a_fold()
            or self.may_repeat_what_is_folded()
        )

    def is_cut_in_a_fold(self) -> bool:
        """Return whether a part of a folded run was truncated."""
        return any(self._is_cut_before(_last(run), run) for run in self.folded)

    def may_be_again_in_a_fold(self) -> bool:
        """Return whether a folded run may repeat a batch whose client got no answer."""
        return any(
            each.crc is not None
            and each.producer_id < 0
            and each.is_stored
            and each.answer != ResponseOutcome.UNWANTED
            and not each.is_acknowledged
            and any(run.last_seq > each.came_at for run in self.folded)
            for each in self.attempts
        )

    def may_repeat_what_is_folded(self) -> bool:
        """Return whether a retry may be of a folded batch that was truncated."""
        retries = [
            each
            for each in self.attempts
            if each.appended == Appended.RETRY and each.is_acknowledged
        ]
        return any(
            (run.base_offset or 0) <= each.base_offset <= _last(run)
            and self._is_cut_before(each.last_offset, run)
            for each in retries
            for run in self.folded
        )

    def _is_cut_before(self, last_offset: int, run: Run) -> bool:
        """Return whether a run's records up to an offset were truncated after the run began."""
        leader_epoch = run.leader_epoch or 0
        return (
            last_offset >= self.epoch_end(leader_epoch)
            or any(
                cut.at > run.first_seq
                and cut.end_offset <= last_offset
                and cut.leader_epoch in {None, leader_epoch}
                for cut in self.cuts
            )
            or any(
                each.at < run.last_seq and each.leader_epoch > leader_epoch
                for each in self.elections
            )
        )

    def may_stand_in_a_fold(self, loss: Loss) -> bool:
        """Return whether a folded run may contain another copy of a lost batch."""
        attempt = loss.attempt
        return loss.first_offset >= 0 and any(
            run.producer_id == attempt.producer_id
            and _has_epoch(run, attempt.producer_epoch)
            and _has_sequence(run, attempt.base_sequence)
            for run in self.produced
        )


class _Coordinated(NamedTuple):
    producer_id: int
    producer_epoch: int


class Acknowledgements:
    """A machine that joins requests, appends and responses."""

    def __init__(self, context: RuleContext) -> None:
        """Start without logs."""
        self._context: Final = context
        self._calls: Final[dict[_Key, _Call]] = {}
        self._logs: Final[dict[tuple[str, int], _Log]] = {}
        self._decisions: Final[list[Decided]] = []
        self._producers: Final[dict[str, _Coordinated]] = {}
        self._takers: Final = {
            "request": self._sent,
            "append": self._appended,
            "answer": self._answered,
            "lost": self._answered,
            "marker": self._ended,
            "truncation": self._truncated,
            DISCARDED: self._discarded,
            "leader": self._elected,
            "topic_deleted": self._deleted,
            "log_start": self._log_start,
            "transaction": self._transition,
            str(Stream.LOG): self._folded,
            str(Stream.PRODUCER): self._folded_of_producer,
        }

    def see(self, run: Run) -> None:
        """Apply one run."""
        taker = self._takers.get(run.kind)
        if taker is not None and (run.api == _PRODUCE or run.kind not in {"request", "answer"}):
            taker(run)

    def end(self) -> None:
        """Judge each log."""
        for (_, topic, partition), call in self._calls.items():
            log = self._logs.setdefault((topic, partition), _Log())
            log.attempts += call.attempts()
        for (topic, partition), log in sorted(self._logs.items()):
            stream = StreamKey(Stream.LOG, topic, partition)
            log.attempts.sort(key=lambda each: (each.came_at, each.appended_at))
            if log.is_undecided():
                self._context.leave_undecided(stream)
                continue
            evidence = self._evidence(topic, partition, log)
            losses = list(lost(evidence))
            if any(map(log.may_stand_in_a_fold, losses)):
                self._context.leave_undecided(stream)
                continue
            for finding in losses_by_cause(losses, evidence):
                self._context.report(finding)
            for finding in payload_findings(evidence):
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
            decisions=sorted([*self._decisions, *log.markers], key=lambda each: each.at),
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
        return self._calls.setdefault((run.call, run.topic, run.partition), _Call())

    def _sent(self, run: Run) -> None:
        call = self._call(run)
        if call is not None:
            call.sent = run

    def _appended(self, run: Run) -> None:
        if not run.is_duplicate and not self._context.logs.is_stale(run):
            self._log(run).appended(run)
        call = self._call(run) if run.api == _PRODUCE else None
        if call is not None:
            call.appends.append(run)

    def _ended(self, run: Run) -> None:
        assert run.producer_id is not None
        log = self._log(run)
        if not self._context.logs.is_stale(run):
            log.appended(run)
        log.markers.append(Decided(run.first_seq, run.producer_id, None, run.marker == "COMMIT"))

    def _answered(self, run: Run) -> None:
        if run.api != _PRODUCE:
            return
        call = self._call(run)
        if call is not None and call.answer is None:
            call.answer = run
            if call.is_clean:
                assert run.call is not None
                del self._calls[run.call, *run.place]
                self._log(run).attempts += call.attempts()

    def _truncated(self, run: Run) -> None:
        assert run.log_end_offset is not None
        log = self._log(run)
        log.cuts.append(LogTruncation(run.first_seq, run.log_end_offset))
        log.log_end = run.log_end_offset

    def _discarded(self, run: Run) -> None:
        """Record what a broker removed that nobody else had: the log has not changed."""
        assert run.log_end_offset is not None, run
        cut = LogTruncation(run.first_seq, run.log_end_offset, run.leader_epoch)
        self._log(run).cuts.append(cut)

    def _elected(self, run: Run) -> None:
        """Record an election, unless the partition has no leader: then appends still count."""
        if run.leader_epoch is not None and run.broker != NOBODY:
            self._log(run).elections.append(Elected(run.first_seq, run.leader_epoch))

    def _log_start(self, run: Run) -> None:
        log = self._log(run)
        log.log_start = max(log.log_start, run.log_start_offset or 0)

    def _deleted(self, run: Run) -> None:
        """Drop the events of a deleted topic: its records are neither lost nor repeated."""
        for place in [place for place in self._logs if place[0] == run.topic]:
            del self._logs[place]
        for key in [key for key in self._calls if key[1] == run.topic]:
            del self._calls[key]

    def _transition(self, run: Run) -> None:
        """Record decisions, with the epoch that the producer had before them."""
        if run.transactional_id is None or run.producer_id is None or run.producer_epoch is None:
            return
        has = _Coordinated(run.producer_id, run.producer_epoch)
        had = self._producers.get(run.transactional_id, has)
        self._producers[run.transactional_id] = has
        is_commit = _DECISIONS.get(run.state_after or "")
        if is_commit is not None and run.state_before not in _DECISIONS:
            self._decisions.append(Decided(run.first_seq, *had, is_commit))

    def _folded(self, run: Run) -> None:
        log = self._log(run)
        if not self._context.logs.is_stale(run):
            log.appended(run)
        log.folded.append(run)

    def _folded_of_producer(self, run: Run) -> None:
        self._log(run).produced.append(run)


def _has_epoch(run: Run, producer_epoch: int) -> bool:
    first, last = run.producer_epoch, run.last_producer_epoch
    assert first is not None, run
    return first <= producer_epoch <= (first if last is None else last)


def _has_sequence(run: Run, base_sequence: int) -> bool:
    """Return whether a folded run may have a sequence; one with several epochs may have any."""
    if run.base_sequence is None or run.producer_epoch != run.last_producer_epoch:
        return True
    return (base_sequence - run.base_sequence) % SEQUENCES < (run.record_count or 0)


def checksums(attempt: Attempt, last: int) -> Sequence[tuple[int, int, int]]:
    """Return the checksum of a batch without a producer; others are identified by sequences."""
    if attempt.crc is None or attempt.producer_id >= 0 or last < attempt.last_offset:
        return ()
    return ((attempt.base_offset, attempt.record_count, attempt.crc),)


_: Identities = checksums


def _last(run: Run) -> int:
    return -1 if run.last_offset is None else run.last_offset


def _answer(answer: Run | None, sent: Run | None) -> ResponseOutcome:
    if answer is not None:
        return ResponseOutcome.LOST if answer.kind == "lost" else ResponseOutcome.GIVEN
    return (
        ResponseOutcome.UNWANTED
        if sent is not None and sent.acks == 0
        else ResponseOutcome.NONE_YET
    )


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
        came_at=came.first_seq,
        producer_id=-1 if batch.producer_id is None else batch.producer_id,
        producer_epoch=-1 if batch.producer_epoch is None else batch.producer_epoch,
        base_sequence=-1 if batch.base_sequence is None else batch.base_sequence,
        record_count=batch.record_count or 0,
        is_transactional=bool(batch.is_transactional),
        crc=batch.crc,
        appended=appended,
        appended_at=0 if append is None else append.first_seq,
        base_offset=-1 if append is None or append.base_offset is None else append.base_offset,
        leader_epoch=batch.leader_epoch or 0,
        answer=_answer(answer, sent),
        error=answer.error if answer is not None and is_error else None,
        answered_at=0 if answer is None else answer.first_seq,
        is_repeated=is_repeated,
        time_ms=came.first_time_ms,
    )
