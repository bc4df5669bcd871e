"""Runs of the late producers, reconstructed from a running cluster.

The ledger has the requests, the appends, the coordinators' decisions and the epochs that they
assigned, in one order. The logs have the markers, whose position is their offset. The first batch
of a transaction stands for its transition to Ongoing.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.cluster.cluster_input import ClusterInput
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.audit.runs.run import Run, sort_key
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven

_STEP: Final = 4
"""Numbers per moment, for events before and after the one at the moment."""
_NEVER: Final = 1 << 62
_DECIDED: Final = {True: "PrepareCommit", False: "PrepareAbort"}
_ONGOING: Final = "Ongoing"
_EMPTY: Final = "Empty"
_Stored: TypeAlias = tuple[LogEvidence, Attempt]
_Event: TypeAlias = "Decision | EpochGiven | _Stored"


def transaction_runs(given: ClusterInput) -> list[Run]:
    """Return the runs of the late producers, in order."""
    stored = [(log, each) for log in given.logs for each in _stored(given, log)]
    runs = [*_Coordinator(given).runs(stored), *_markers(given)]
    return sorted(runs, key=sort_key)


def _stored(given: ClusterInput, log: LogEvidence) -> list[Attempt]:
    """Return the batches of late producers that the log still has, in the log's order."""
    late = [
        each
        for each in log.attempts
        if each.is_stored and each.producer_id in given.late and log.cut_offset(each) is None
    ]
    held = {batch.base_offset for batch in given.views(log).batches} if late else set[int]()
    return sorted(
        (each for each in late if each.base_offset in held), key=lambda each: each.base_offset
    )


class _Coordinator:
    """Reconstructs the transitions that a coordinator would have logged."""

    def __init__(self, given: ClusterInput) -> None:
        self._input: Final = given
        self._states: Final[dict[str, str]] = {}
        self._current: Final[dict[str, tuple[int, int]]] = {}
        """The producer id and epoch that each transactional id has."""
        self._ids: Final[dict[int, str]] = {}
        """The transactional ids of producer ids."""

    def runs(self, stored: Sequence[_Stored]) -> Iterator[Run]:
        """Yield the transitions, and the appends with their requests."""
        given = self._input
        events: list[tuple[int, int, _Event]] = [
            *((each.order, 0, each) for each in given.decisions),
            *((each.order, 1, each) for each in given.epochs),
            *((each.appended_at, 2, (log, each)) for log, each in stored),
        ]
        for moment, _, event in sorted(events, key=lambda event: event[:2]):
            if isinstance(event, Decision):
                yield self._decided(moment, event)
            elif isinstance(event, EpochGiven):
                yield self._epoch_given(moment, event)
            else:
                yield from self._appended(moment, *event)

    def _decided(self, moment: int, decision: Decision) -> Run:
        name = decision.transactional_id
        self._ids[decision.producer_id] = name
        self._current.setdefault(name, (decision.producer_id, decision.producer_epoch))
        run = self._transition(
            moment * _STEP,
            name,
            (decision.producer_id, decision.producer_epoch),
            _DECIDED[decision.is_commit],
        )
        return run._replace(api="EndTxn")

    def _epoch_given(self, moment: int, given: EpochGiven) -> Run:
        """Return the transition to a new epoch; a decision at the same moment sets the state."""
        name, state = given.transactional_id, _EMPTY
        if any(each.order == moment for each in self._input.decisions):
            state = self._states.get(name, _EMPTY)
        self._ids[given.producer_id] = name
        self._current[name] = given.producer_id, given.producer_epoch
        run = self._transition(moment * _STEP + 1, name, self._current[name], state)
        return run._replace(api="InitProducerId")

    def _appended(self, moment: int, log: LogEvidence, attempt: Attempt) -> Iterator[Run]:
        producer = attempt.producer_id, attempt.producer_epoch
        name = self._ids.get(attempt.producer_id)
        is_current = name is not None and self._current[name] == producer
        if name is not None and is_current and self._states.get(name) != _ONGOING:
            yield self._transition(moment * _STEP - 1, name, producer, _ONGOING)
        yield _of_attempt(log, attempt, "request", attempt.came_at * _STEP)
        yield _of_attempt(log, attempt, "append", moment * _STEP)._replace(
            base_offset=attempt.base_offset,
            last_offset=attempt.last_offset,
            leader_epoch=attempt.leader_epoch,
            is_duplicate=False,
        )

    def _transition(self, seq: int, name: str, producer: tuple[int, int], state: str) -> Run:
        before = self._states.get(name, _EMPTY)
        self._states[name] = state
        partitions = [log.place for log in self._input.logs]
        return _run(
            seq,
            "transaction",
            producer,
            transactional_id=name,
            state_before=before,
            state_after=state,
            detail=json.dumps({"partitions": partitions}),
        )


def _markers(given: ClusterInput) -> Iterator[Run]:
    """Yield the markers of late producers, each after the batch that precedes it in the log."""
    for log in given.logs:
        stored = _stored(given, log)
        offsets = [each.base_offset for each in stored]
        for batch in given.views(log).batches if stored else ():
            if batch.outcome != "marker" or batch.producer_id not in given.late:
                continue
            index = bisect_left(offsets, batch.base_offset)
            before = stored[index - 1].appended_at if index else 0
            after = stored[index].appended_at if index < len(stored) else _NEVER
            decided = max(
                (
                    each.order
                    for each in given.decisions
                    if each.producer_id == batch.producer_id and each.order < after
                ),
                default=0,
            )
            yield _run(
                max(before, decided) * _STEP + 2,
                "marker",
                (batch.producer_id, batch.producer_epoch),
                topic=log.topic,
                partition=log.partition,
                marker="COMMIT" if batch.is_commit else "ABORT",
                base_offset=batch.base_offset,
                last_offset=batch.base_offset,
            )


def _of_attempt(log: LogEvidence, attempt: Attempt, kind: str, seq: int) -> Run:
    return _run(
        seq,
        kind,
        (attempt.producer_id, attempt.producer_epoch),
        topic=log.topic,
        partition=log.partition,
        base_sequence=attempt.base_sequence,
        record_count=attempt.record_count,
        is_transactional=True,
        call=attempt.call,
        api="Produce",
    )


def _run(seq: int, kind: str, producer: tuple[int, int], **columns: Any) -> Run:
    producer_id, producer_epoch = producer
    return Run(
        kind,
        seq,
        0,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        **columns,
    )
