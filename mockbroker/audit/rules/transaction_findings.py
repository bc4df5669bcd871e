"""Texts of the findings about transactions in logs."""

from typing import Final

from mockbroker.audit.coordinated import Coordinated
from mockbroker.audit.finding import Finding
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.words import batch_text, marker_text, producer_text

_ENDED: Final = {"COMMIT": "committed", "ABORT": "aborted"}


def zombie(run: Run, known: Coordinated) -> Finding:
    """Return the finding for a batch of a fenced producer."""
    fence = known.fence
    assert fence is not None, known
    return _finding(
        "ZOMBIE_WRITE_ACCEPTED",
        run,
        known,
        f"{batch_text(run)} was appended after {known.transactional_id!r} had got "
        f"{producer_text(fence)}, which fenced the sender",
        (fence.seq, run.seq),
    )


def late(run: Run, known: Coordinated, came_seq: int) -> Finding:
    """Return the finding for a batch that was appended after the end of its transaction."""
    whose = repr(known.transactional_id)
    if known.decision is None:
        what = f"arrived while {whose} had no transaction with that partition"
    elif came_seq < known.decision_seq:
        what = f"was sent before {whose} {_ENDED[known.decision]}, arrived after it"
    else:
        what = f"arrived after {whose} had {_ENDED[known.decision]}"
    seqs = (known.decision_seq,) if known.decision_seq else ()
    return _finding(
        "APPEND_AFTER_MARKER",
        run,
        known,
        f"{batch_text(run)} {what}",
        (*seqs, run.seq),
    )


def late_until(finding: Finding, marker: Run) -> Finding:
    """Return the finding for a late batch with what became of it."""
    is_commit = marker.marker == "COMMIT"
    fate = "committed with the next transaction" if is_commit else "aborted"
    return finding._replace(text=f"{finding.text}, and is {fate}")


def hanging(run: Run, known: Coordinated | None) -> Finding:
    """Return the finding for a hanging transaction."""
    return _finding(
        "HANGING_TXN",
        run,
        known,
        f"{producer_text(run)} has a transaction open since offset {run.base_offset} that no "
        "coordinator knows, so it will never end, and read_committed readers cannot read past it",
        (run.seq,) if known is None else (known.seq, run.seq),
    )


def marker_without_transaction(run: Run, known: Coordinated) -> Finding:
    """Return the finding for a marker without a decision of a coordinator."""
    why = f"{known.transactional_id!r} was {known.state}"
    if known.decision is not None and not known.is_at_rest and known.state != "Ongoing":
        why = f"{known.transactional_id!r} was to be {_ENDED[known.decision]}"
    return _finding(
        "MARKER_WITHOUT_TXN",
        run,
        known,
        f"{marker_text(run)} of {producer_text(run)} is at offset {run.base_offset}, and {why}",
        (known.seq, run.seq),
    )


def double_marker(run: Run, first: Run, known: Coordinated) -> Finding:
    """Return the finding for a repeated marker."""
    return _finding(
        "DOUBLE_MARKER",
        run,
        known,
        f"the transaction of {known.transactional_id!r} ({producer_text(run)}) has its "
        f"{run.marker} marker at offset {first.base_offset}, and another at {run.base_offset}, "
        "from the same coordinator",
        (first.seq, run.seq),
    )


def _finding(
    rule: str, run: Run, known: Coordinated | None, text: str, evidence: tuple[int, ...]
) -> Finding:
    rows = {*evidence} - {0}  # 0: a state without a row
    finding = RULES[rule].finding_at(run, text, run.base_offset, run.last_offset, rows)
    return finding._replace(transactional_id=None if known is None else known.transactional_id)
