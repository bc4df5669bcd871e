"""TOPIC_ID_CHANGED_UNDER_READER: a consumer uses offsets of a deleted topic in its successor."""

import json
import re
from typing import ClassVar, Final, TypeAlias

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


class Readers:
    """Tracks the position of each consumer, and its position when the topic was deleted."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without readers."""
        self._context: Final = context
        self._positions: Final[dict[_Reader, Run]] = {}
        self._left: Final[dict[_Reader, Run]] = {}
        """By reader of a deleted topic: its last request."""
        self._pending: Final[dict[_Reader, tuple[Run, Finding]]] = {}
        """Findings whose requests may still be refused."""

    def end(self) -> None:
        """Report the reads that were not refused."""
        for _, finding in self._pending.values():
            self._context.report(finding)

    def _deleted(self, run: Run) -> None:
        for reader in [each for each in self._positions if each[1] == run.topic]:
            self._left[reader] = self._positions.pop(reader)

    def _refused(self, run: Run) -> None:
        reader = _reader(run)
        pending = None if reader is None else self._pending.get(reader)
        if reader is None or pending is None or pending[0].call != run.call or run.error == "NONE":
            return
        del self._pending[reader]
        if run.error != "OFFSET_OUT_OF_RANGE":
            self._left[reader] = pending[
                0
            ]  # a client repeats the request by itself, from the same offset

    def _asked(self, run: Run) -> None:
        reader = _reader(run)
        if reader is None:
            return
        self._positions[reader] = run
        left = self._left.pop(reader, None)
        if left is None:
            return
        offset = offset_of(run)
        # Another reader with the same client id may begin at the end, by auto.offset.reset.
        is_same = 0 < offset_of(left) == offset != self._context.logs.end(run.place)
        if is_same or self._goes_on(run, left, offset):
            self._pending[reader] = run, _finding(run, left, offset)

    def _goes_on(self, run: Run, left: Run, offset: int) -> bool:
        """Return whether a known reader certainly continues after the records that it got."""
        is_sure = run.connection is not None and run.connection == left.connection
        is_sure |= _SPARK_QUERY.search(run.client_id or "") is not None
        end = self._context.logs.old_end(run.place)
        return is_sure and end is not None and max(1, offset_of(left)) <= offset <= end

    handlers: ClassVar[Handlers] = {
        "request Fetch": _asked,
        "answer Fetch": _refused,
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
