"""Runs of one event."""

from typing import Any, Final

from mockbroker.audit.runs.run import Run

PRODUCE: Final = "Produce"


def event(seq: int, kind: str, **columns: Any) -> Run:
    """Return a run of one event in `orders-0`."""
    usual: dict[str, Any] = {"topic": "orders", "partition": 0}
    return Run(kind, seq, 1_000 + seq, **{**usual, **columns})


def sent(seq: int, call: int, **columns: Any) -> Run:
    """Return a received Produce request."""
    return event(seq, "request", **{**_of_call(call), "acks": -1, **columns})


def appended(seq: int, call: int, base_offset: int, count: int = 1, **columns: Any) -> Run:
    """Return the append of a Produce request."""
    end = base_offset + count
    usual: dict[str, Any] = {
        "record_count": count,
        "base_offset": base_offset,
        "last_offset": end - 1,
        "log_end_offset": end,
        "high_watermark": end,
        "last_stable_offset": end,
        "leader_epoch": 0,
        "is_duplicate": False,
        "log_start_offset": 0,
    }
    return event(seq, "append", **{**_of_call(call), **usual, **columns})


def answered(seq: int, call: int, error: str = "NONE", **columns: Any) -> Run:
    """Return the answer to a Produce request."""
    return event(seq, "answer", **{**_of_call(call), "error": error, "acks": -1, **columns})


def lost(seq: int, call: int) -> Run:
    """Return the loss of the answer to a Produce request."""
    return event(seq, "lost", **_of_call(call))


def produced(seq: int, call: int, base_offset: int, **columns: Any) -> list[Run]:
    """Return a Produce request, its append and its answer."""
    return [
        sent(seq, call, **columns),
        appended(seq + 1, call, base_offset, **columns),
        answered(seq + 2, call, **columns),
    ]


def _of_call(call: int) -> dict[str, Any]:
    return {
        "call": call,
        "api": PRODUCE,
        "connection": 1,
        "client_id": "shop",
        "producer_id": -1,
        "producer_epoch": -1,
        "base_sequence": -1,
        "is_transactional": False,
    }
