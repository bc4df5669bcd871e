"""ORDER_CHANGED: a batch without sequences that was retried after a later one was appended."""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import offsets_text

_RULE: Final = RULES["ORDER_CHANGED"]
_LATER_MAX: Final = 64
"""Batches that are remembered as sent after another one."""
_REFUSED_MAX: Final = 64
"""Refused batches that are remembered in a partition."""
_Identity: TypeAlias = tuple[str | None, int | None]
"""Client id and checksum: a retry has both of the first try."""


@dataclass(slots=True)
class _Sent:
    """A batch that a client has sent."""

    request: Run
    """The first one."""
    appended: Run | None = None
    is_retry: bool = False
    """True if it was sent before: its place in the order is that of the first try."""
    later: list["_Sent"] = field(default_factory=list["_Sent"])
    """Batches that were sent after it, over the same connection, while it was not appended."""


@dataclass(slots=True)
class _Place:
    """A partition: its batches in flight, or refused."""

    in_flight: dict[int | None, _Sent] = field(default_factory=dict[int | None, _Sent])
    """By call."""
    refused: dict[_Identity, _Sent] = field(default_factory=dict[_Identity, _Sent])
    """Those whose response was an error, or lost."""


class Order:
    """Compares the order in which a connection sent batches with that in the log.

    Producers with sequences are not judged: brokers keep their order.

    Scope: a partition. It needs all rows of the partition about Produce calls and batches; and of
    no partition, the deletions of topics.
    """

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without batches."""
        self._context: Final = context
        self._places: Final[dict[tuple[str, int], _Place]] = {}

    def end(self) -> None:
        """Do nothing: a batch that was not appended is in no order."""

    def _forget(self, run: Run) -> None:
        for place in [each for each in self._places if each[0] == run.topic]:
            del self._places[place]

    def _send(self, run: Run) -> None:
        if (run.producer_id or 0) >= 0 or run.acks == 0:
            return
        if run.topic is None or run.partition is None:
            return
        sent, place = _Sent(run), self._places.setdefault(run.place, _Place())
        for other in (*place.in_flight.values(), *place.refused.values()):
            is_after = other.request.connection == run.connection
            if is_after and len(other.later) < _LATER_MAX:
                other.later.append(sent)
        place.in_flight[run.call] = sent

    def _append(self, run: Run) -> None:
        place = self._places.get(run.place)
        sent = None if place is None else place.in_flight.get(run.call)
        if place is None or sent is None:
            return
        sent.appended = run
        first = place.refused.pop((run.client_id, run.crc), None)
        if first is None:
            return
        first.appended, sent.is_retry = run, True
        later = [each.appended for each in first.later if not each.is_retry]
        offset = run.base_offset or 0
        before = [each for each in later if each is not None and (each.base_offset or 0) < offset]
        if before:
            self._context.report(_finding(first, run, before))

    def _answer(self, run: Run) -> None:
        if run.topic is None or run.partition is None:
            return
        place = self._places.get(run.place)
        if place is None:
            return
        sent = place.in_flight.pop(run.call, None)
        is_refused = run.kind == "lost" or run.error != "NONE"
        if sent is None or sent.appended is not None or not is_refused or run.crc is None:
            return
        place.refused.setdefault((run.client_id, run.crc), sent)
        if len(place.refused) > _REFUSED_MAX:
            del place.refused[next(iter(place.refused))]

    handlers: ClassVar[Handlers] = {
        "request Produce": _send,
        "append": _append,
        "answer Produce": _answer,
        "lost Produce": _answer,
        "topic_deleted": _forget,
    }


def _finding(sent: _Sent, run: Run, before: list[Run]) -> Finding:
    first, last = run.base_offset or 0, run.last_offset or 0
    overtaken = min(each.base_offset or 0 for each in before)
    until = max(each.last_offset or 0 for each in before)
    earliest = min(before, key=lambda each: each.seq)
    is_one = first == last
    return _RULE.finding_at(
        run,
        f"{offsets_text(first, last)} {'was' if is_one else 'were'} sent"
        f" by {run.client_id!r} in call {sent.request.call}, before"
        f" {offsets_text(overtaken, until)}, and appended after"
        f" {'it' if overtaken == until else 'them'} by a retry in call {run.call}",
        first,
        last,
        (sent.request.seq, earliest.seq, run.seq),
    )
