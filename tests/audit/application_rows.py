"""Runs of consumers for tests: what they request, get and commit in `a-0`."""

import json

from mockbroker.audit.runs.run import Run
from tests.audit.rows import an_event, asked

_UNKNOWN = 1 << 40
"""A log end that no test reaches."""


def fetched(seq: int, offset: int, client: str = "reader", connection: int = 1) -> Run:
    """Make a Fetch request."""
    detail = json.dumps({"fetch_offset": offset})
    request = asked(seq, "Fetch", call=seq, topic="a", partition=0, client_id=client)
    return request._replace(detail=detail, connection=connection)


def committed(
    seq: int,
    offset: int,
    *,
    client: str | None = "reader",
    member: str | None = "m",
    producer: int | None = None,
    end: int | None = _UNKNOWN,
    kind: str = "offset_committed",
) -> Run:
    """Make a commit of the group `g`."""
    return an_event(seq, kind)._replace(
        group="g",
        client_id=client,
        producer_id=producer,
        base_offset=offset,
        log_end_offset=end,
        log_start_offset=None,
        detail=None if member is None else json.dumps({"member": member}),
    )


def pending(seq: int, offset: int, producer: int, **said: str | None) -> Run:
    """Make the commit of an offset in a transaction."""
    return committed(seq, offset, producer=producer, kind="offset_pending", **said)  # type: ignore[arg-type]


def applied(seq: int, offset: int, producer: int) -> Run:
    """Make the end of a transaction that has committed an offset."""
    return committed(seq, offset, producer=producer, client=None, member=None)


def removed(seq: int) -> Run:
    """Make the removal of the group's offset."""
    return committed(seq, -1, kind="offset_removed", member=None)


def answered(
    seq: int,
    first: int,
    last: int,
    client: str = "reader",
    *,
    level: int = 0,
    stable: int = _UNKNOWN,
    connection: int = 1,
) -> Run:
    """Make a response to a Fetch, with the records of some offsets."""
    answer = asked(seq, "Fetch", call=seq, topic="a", partition=0, client_id=client)
    detail = {"bytes": 9, **({"isolation_level": level} if level else {})}
    return answer._replace(
        kind="answer",
        error="NONE",
        base_offset=first,
        last_offset=last,
        last_stable_offset=stable,
        connection=connection,
        detail=json.dumps(detail, separators=(",", ":")),
    )
