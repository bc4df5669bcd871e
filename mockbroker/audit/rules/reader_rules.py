"""TOPIC_ID_CHANGED_UNDER_READER: a consumer uses offsets of a deleted topic in its successor."""

import json
import re
from typing import ClassVar, Final, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

_RULE: Final = RULES["TOPIC_ID_CHANGED_UNDER_READER"]
_Reader: TypeAlias = tuple[str, str, int]
"""The reader's name, topic, partition."""
_SPARK_QUERY: Final = re.compile(r"spark-kafka-source-[0-9a-f]{8}[0-9a-f-]{28}-(-?\d+)-")
"""The client id of a query's consumers: a random id for each start, and the hash of the
checkpoint's path, which stays the same."""


class _Position(NamedTuple):
    """Where a reader is in a partition."""

    request: Run
    """Its last one."""
    offset: int
    """The offset after the records that it got then, or else the one that it asked for."""


class Readers:
    """Tracks the position of each consumer, and its position when the topic was deleted."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without readers."""
        self._context: Final = context
        self._positions: Final[dict[_Reader, _Position]] = {}
        self._left: Final[dict[_Reader, _Position]] = {}
        """By reader of a deleted topic."""
        self._pending: Final[dict[_Reader, tuple[Run, Finding]]] = {}
        """Findings whose requests may still be refused."""

    def end(self) -> None:
        """Report the reads that were not refused."""
        for _, finding in self._pending.values():
            self._context.report(finding)

    def _deleted(self, run: Run) -> None:
        for reader in [each for each in self._positions if each[1] == run.topic]:
            self._left[reader] = self._positions.pop(reader)

    def _answered(self, run: Run) -> None:
        reader = _reader(run)
        if reader is None:
            return
        position = self._positions.get(reader)
        is_newest = position is not None and position.request.call == run.call
        if position is not None and is_newest and run.last_offset is not None:
            self._positions[reader] = position._replace(offset=run.last_offset + 1)
        pending = self._pending.get(reader)
        if pending is not None and pending[0].call == run.call and run.error != "NONE":
            del self._pending[reader]
            if run.error != "OFFSET_OUT_OF_RANGE":  # a client repeats the request by itself
                self._left[reader] = _Position(pending[0], offset_of(pending[0]))

    def _asked(self, run: Run) -> None:
        reader = _reader(run)
        if reader is None:
            return
        offset = offset_of(run)
        self._positions[reader] = _Position(run, offset)
        left = self._left.pop(reader, None)
        if left is not None and self._goes_on(run, left, offset):
            self._pending[reader] = run, _finding(run, left.request, offset)

    def _goes_on(self, run: Run, left: _Position, offset: int) -> bool:
        """Return whether a reader continues where it was, or after the records that it got.

        Another reader with the same client id, or one that is reset, may begin where the log does,
        or at its end. A query of Spark may have got more records than it has read.
        """
        logs, first = self._context.logs, offset_of(left.request)
        if offset in {0, logs.start(run.place), logs.end(run.place)}:
            return False
        if _SPARK_QUERY.search(run.client_id or "") is not None:
            return first <= offset <= left.offset
        is_known = run.connection is not None and run.connection == left.request.connection
        return offset == first or (is_known and offset == left.offset)

    handlers: ClassVar[Handlers] = {
        "request Fetch": _asked,
        "answer Fetch": _answered,
        "topic_deleted": _deleted,
    }


def _reader(run: Run) -> _Reader | None:
    if run.topic is None or run.partition is None:
        return None
    return reader_name(run.client_id or ""), run.topic, run.partition


def reader_name(client_id: str) -> str:
    """Return the part of a client id that stays the same when its program restarts."""
    query = _SPARK_QUERY.search(client_id)
    return client_id if query is None else f"spark-kafka-source {query[1]}"


def offset_of(run: Run) -> int:
    """Return the fetch offset of a request."""
    return int(json.loads(run.detail or "{}").get("fetch_offset", 0))


def _finding(run: Run, left: Run, offset: int) -> Finding:
    return _RULE.finding_at(
        run,
        f"{run.client_id!r} had read up to offset {offset} when the topic "
        f"was deleted, and continues from there in the new one: it never reads the records before "
        f"offset {offset}",
        0,
        offset - 1,
        (left.seq, run.seq),
    )
