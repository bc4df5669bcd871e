"""Runs for tests, with default values for most columns."""

import json
from collections.abc import Sequence
from typing import Any

from mockbroker.audit.finding import Finding
from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds


def batch(
    seq: int,
    sequence: int = -1,
    *,
    offset: int,
    count: int = 1,
    producer: tuple[int, int] = (7, 0),
    partition: int = 0,
    transactional: bool = False,
    leader_epoch: int = 0,
    call: int | None = None,
    stable: int | None = None,
) -> Run:
    """Make a batch that was appended to `a`."""
    end = offset + count
    return Run(
        "append", seq, seq,
        topic="a", partition=partition, leader_epoch=leader_epoch, call=call, api="Produce",
        producer_id=producer[0], producer_epoch=producer[1],
        base_sequence=sequence, record_count=count, base_offset=offset, last_offset=end - 1,
        is_transactional=transactional, is_duplicate=False, high_watermark=end, log_end_offset=end,
        last_stable_offset=stable if transactional or stable is not None else end,
        log_start_offset=0,
    )  # fmt: skip


def end_of(
    seq: int, marker: str, *, offset: int, producer: tuple[int, int] = (7, 0), partition: int = 0,
    coordinator_epoch: int = 0, api: str | None = None,
) -> Run:  # fmt: skip
    """Make a marker in `a`."""
    made = batch(seq, offset=offset, producer=producer, partition=partition)
    return made._replace(
        kind="marker", marker=marker, coordinator_epoch=coordinator_epoch, api=api,
        base_sequence=None, record_count=None, is_transactional=None,
    )  # fmt: skip


def an_event(
    seq: int, kind: str, *, partition: int | None = 0, producer_id: int | None = None,
    offset: int | None = None, leader_epoch: int | None = None,
) -> Run:  # fmt: skip
    """Build an event of the topic `a`."""
    return Run(
        kind, seq, seq, topic="a", partition=partition,
        producer_id=producer_id, log_end_offset=offset, log_start_offset=offset,
        leader_epoch=leader_epoch,
    )  # fmt: skip


def transition(
    seq: int, before: str, after: str | None, *, producer: tuple[int, int] = (7, 0),
    partitions: Sequence[str] = (), api: str | None = None, transactional_id: str = "svc",
) -> Run:  # fmt: skip
    """Make a transition of a transactional id."""
    return Run(
        "transaction", seq, seq, transactional_id=transactional_id,
        producer_id=producer[0], producer_epoch=producer[1],
        state_before=before, state_after=after, api=api, call=None if api is None else seq,
        detail=json.dumps({"partitions": list(partitions)}) if partitions else None,
    )  # fmt: skip


def asked(
    seq: int, api: str, kind: str = "request", *, call: int, error: str | None = None,
    **columns: Any,
) -> Run:  # fmt: skip
    """Make a request, or an answer."""
    run = Run(kind, seq, seq, api=api, call=call, error=error)
    return run._replace(**columns)


def found(
    *runs: Run, source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> list[Finding]:
    """Judge runs, and return the findings."""
    return list(judge(runs, source, thresholds).findings)


def rules_of(
    *runs: Run, source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> list[str]:
    """Judge, and return which rules are broken."""
    return [each.rule for each in found(*runs, source=source, thresholds=thresholds)]
