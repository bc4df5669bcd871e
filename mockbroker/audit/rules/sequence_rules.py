"""DUPLICATE_APPEND, SEQUENCE_GAP, UNKNOWN_PID_RESET and EPOCH_REGRESSION.

There is a machine for each producer in each partition. The sequences of its batches increase by one
per record, from 0 in each epoch. Batches are compared with the running maximum, so that a duplicate
is not also reported as a gap after it, and a late batch is not reported as a duplicate.
"""

from collections import Counter, defaultdict
from typing import ClassVar, Final

from mockbroker.audit.producer_state import (
    HALF,
    NO_EPOCH,
    PartitionProducer,
    Stretch,
    is_within,
    overlap,
    rest_of,
)
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules import sequence_findings as texts
from mockbroker.audit.rules.rule_table import Need
from mockbroker.audit.runs.run import NO_SEQUENCE, SEQUENCES, Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import place_text


class Sequences:
    """Judges the batches of each producer in each partition."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without producers."""
        self._context: Final = context
        self._places: Final[defaultdict[tuple[str, int], dict[int, PartitionProducer]]] = (
            defaultdict(dict)
        )
        self._began_before: Final[Counter[tuple[str, int]]] = Counter()
        self._reads_markers: Final = not context.has(Need.TRANSITIONS)

    def end(self) -> None:
        """Report the collected irregularities, and the producers whose start is unknown."""
        for producers in self._places.values():
            for producer in producers.values():
                self._close(producer)
        for place, count in self._began_before.items():
            whose = "a producer" if count == 1 else f"{count} producers"
            self._context.leave_unknown(
                f"{place_text(place)}: the batches of {whose} before the evidence begins"
            )

    # Logs

    def _truncated(self, run: Run) -> None:
        end = run.log_end_offset
        assert end is not None, run
        for producer in self._places[run.place].values():
            if producer.last_offset >= end:
                self._close(producer)
                producer.may_repeat = True
                if producer.epoch_base_offset >= end:
                    producer.producer_epoch = NO_EPOCH

    def _deleted(self, run: Run) -> None:
        for place in [each for each in self._places if each[0] == run.topic]:
            for producer in self._places[place].values():
                self._close(producer)
                producer.producer_epoch, producer.last_offset = NO_EPOCH, -1

    def _expired(self, run: Run) -> None:
        producers = self._places[run.place]
        if run.producer_id in producers:
            producers[run.producer_id].is_forgotten = True

    def _log_start(self, run: Run) -> None:
        for producer in self._places[run.place].values():
            if producer.last_offset < (run.log_start_offset or 0):
                producer.is_forgotten = True

    # Producers

    def _marker(self, run: Run) -> None:
        """Apply a marker's epoch, if no coordinator defines the newest epoch."""
        assert run.producer_id is not None, run
        assert run.producer_epoch is not None, run
        producer = self._places[run.place].get(run.producer_id)
        if producer is None or not self._reads_markers:
            return
        if run.producer_epoch < producer.producer_epoch:
            self._odd(producer, run, "EPOCH_REGRESSION", "a marker")
        elif run.producer_epoch > producer.producer_epoch:
            self._close(producer)
            producer.accept(run._replace(base_sequence=0, record_count=0))

    def _batch(self, run: Run) -> None:
        if run.producer_id is None or run.producer_id < 0:
            return
        assert run.producer_epoch is not None, run
        producers = self._places[run.place]
        producer = producers.get(run.producer_id)
        if producer is None:
            producers[run.producer_id] = self._begun(run)
        elif producer.producer_epoch == NO_EPOCH:
            producer.accept(run)
        elif run.producer_epoch < producer.producer_epoch:
            self._regressed(producer, run)
        elif run.producer_epoch > producer.producer_epoch:
            self._close(producer)
            if run.base_sequence != 0 and run.is_numbered:
                self._gap(producer, run, 0)
            producer.accept(run)
        else:
            self._go_on(producer, run)

    def _begun(self, run: Run) -> PartitionProducer:
        base, producer_epoch = run.base_offset, run.producer_epoch
        assert base is not None, run
        assert producer_epoch is not None, run
        producer = PartitionProducer(producer_epoch, 0, run.seq, run.virtual_time_ms, -1, base)
        if run.base_sequence != 0 and run.is_numbered:
            if (
                self._context.logs.begins(run.place)
                and run.topic not in self._context.source.compacted
                # A topic does not tell whether it was created again while its producers went on.
                and self._context.has(Need.ANSWERS)
            ):
                self._gap(producer, run, 0, is_first=True)
            else:
                self._began_before[run.place] += 1
        producer.accept(run)
        return producer

    def _regressed(self, producer: PartitionProducer, run: Run) -> None:
        self._odd(producer, run, "EPOCH_REGRESSION", f"epoch {producer.producer_epoch}")

    def _go_on(self, producer: PartitionProducer, run: Run) -> None:
        """Judge a batch of the producer's current epoch."""
        base, expected = run.base_sequence, producer.next_sequence
        assert base is not None, run
        is_numbered = run.is_numbered and expected != NO_SEQUENCE
        if base in {expected, producer.outlier_end} or not is_numbered:
            self._close(producer)
            producer.accept(run)
        elif (base - expected) % SEQUENCES < HALF:
            self._close(producer)
            self._gap(producer, run, expected)
            missing = (*producer.missing, (expected, base))
            producer.accept(run)
            producer.missing = missing
            producer.outlier_end = (expected + (run.record_count or 0)) % SEQUENCES
        else:
            self._behind(producer, run)

    def _gap(
        self, producer: PartitionProducer, run: Run, expected: int, *, is_first: bool = False
    ) -> None:
        if run.topic in self._context.source.compacted:
            self._context.leave_unknown(
                f"{run.topic}: compaction removed records, so sequence gaps are no findings"
            )
            return
        before = None if is_first else producer.maximum_seq
        self._context.report(texts.gap(run, before, expected))

    def _behind(self, producer: PartitionProducer, run: Run) -> None:
        """Judge a batch with sequences below the maximum, which were used or skipped."""
        base, end = run.base_sequence or 0, run.sequence_after
        filled = [each for each in producer.missing if overlap(each, (base, end))]
        rested_ms = run.virtual_time_ms - producer.last_ms
        if producer.may_repeat:
            producer.accept(run)
        elif filled and is_within((base, end), filled[0]):
            others = (each for each in producer.missing if each != filled[0])
            producer.missing = (*others, *rest_of(filled[0], (base, end)))
            producer.touch(run)
        elif base == 0 and (
            producer.is_forgotten or rested_ms >= self._context.thresholds.producer_id_expiration_ms
        ):
            self._close(producer)
            self._context.report(texts.reset(run, producer, rested_ms))
            producer.missing = ()
            producer.accept(run)
        else:
            expected = producer.next_sequence
            is_new = self._odd(producer, run, "DUPLICATE_APPEND", f"sequence {expected}")
            outlier_end = (expected + (run.record_count or 0)) % SEQUENCES
            producer.outlier_end = outlier_end if is_new else None
            if 0 < (end - expected) % SEQUENCES < HALF:
                producer.next_sequence, producer.maximum_seq = end, run.seq

    # Collected irregularities

    def _odd(self, producer: PartitionProducer, run: Run, rule: str, about: str) -> bool:
        """Collect an irregular batch, and return whether it begins a finding."""
        stretch = producer.stretch
        producer.touch(run)
        producer.outlier_end = None
        if (
            stretch is not None
            and stretch.rule == rule
            and stretch.last.producer_epoch == run.producer_epoch
            and stretch.last.kind != "marker"
            and stretch.last.sequence_after == run.base_sequence
        ):
            stretch.last = run
            stretch.batches += 1
            return False
        self._close(producer)
        producer.stretch = Stretch(rule, run, run, producer.maximum_seq, about)
        return True

    def _close(self, producer: PartitionProducer) -> None:
        """Report the collected irregularity."""
        stretch, producer.stretch = producer.stretch, None
        if stretch is not None:
            self._context.report(texts.stretch_of(stretch))

    handlers: ClassVar[Handlers] = {
        "append": _batch,
        "marker": _marker,
        "truncation": _truncated,
        "topic_deleted": _deleted,
        "producer_expired": _expired,
        "log_start": _log_start,
    }
