"""Counts of what an audit has judged."""

from mockbroker.audit.runs.run import Run
from mockbroker.audit.shards.outcome import ShardOutcome


def counted(outcome: ShardOutcome, run: Run) -> None:
    """Count a batch, a marker or a transition; of retries only the names."""
    if run.kind not in {"append", "marker", "transaction"}:
        return
    if run.producer_id is not None and run.producer_id >= 0:
        outcome.producers.add(run.producer_id)
    if run.transactional_id is not None:
        outcome.transactional_ids.add(run.transactional_id)
    if run.kind != "transaction" and not run.is_duplicate:
        outcome.appends += 1
        outcome.partitions.add(run.place)
        outcome.first_time_ms = min(run.virtual_time_ms, outcome.first_time_ms)
        outcome.last_time_ms = max(run.virtual_time_ms, outcome.last_time_ms)
