"""Texts of the findings about sequences and epochs."""

from mockbroker.audit.finding import Finding
from mockbroker.audit.producer_state import PartitionProducer, Stretch
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.words import batch_text, duration_text, marker_text, producer_text


def gap(run: Run, before: int | None, expected: int) -> Finding:
    """Return the finding for missing batches before a run; `before` is the last one's `seq`."""
    begins = f"continues, without sequence {expected}, at" if before is not None else "starts with"
    return _finding(
        "SEQUENCE_GAP",
        run,
        f"{producer_text(run)} {begins} sequence {run.base_sequence}, at offset {run.base_offset}: "
        "earlier batches are missing",
        () if before is None else (before,),
    )


def reset(run: Run, producer: PartitionProducer, rested_ms: int) -> Finding:
    """Return the finding for a producer that the log had forgotten, and that started again."""
    return _finding(
        "UNKNOWN_PID_RESET",
        run,
        f"{producer_text(run)} had reached sequence {producer.next_sequence}, was idle for "
        f"{duration_text(rested_ms)}, was forgotten, and started again at sequence 0, at offset "
        f"{run.base_offset}: its sequences cannot show lost or duplicated records",
        (producer.maximum_seq,),
    )


def stretch_of(stretch: Stretch) -> Finding:
    """Return the finding for consecutive batches with the same irregularity."""
    first, last = stretch.first, stretch.last
    what = f"offsets {first.base_offset}..{last.last_offset} ({producer_text(first)})"
    if stretch.batches == 1:
        what = batch_text(first) if first.kind != "marker" else marker_text(first)
    was = "were" if stretch.batches > 1 else "was"
    finding = _finding(
        stretch.rule,
        first,
        f"{what} {was} appended after the partition had reached {stretch.about} of producer "
        f"{first.producer_id}",
        (stretch.before, last.seq),
    )
    return finding._replace(last_offset=last.last_offset)


def _finding(rule: str, run: Run, text: str, evidence: tuple[int, ...]) -> Finding:
    offset = run.base_offset
    return RULES[rule].finding_at(run, text, offset, offset, (*evidence, run.seq))
