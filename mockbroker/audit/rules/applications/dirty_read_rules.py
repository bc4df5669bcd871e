"""ABORTED_AFTER_DELIVERY: records that a reader got before their transaction was aborted."""

from dataclasses import dataclass, field
from typing import ClassVar, Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import offsets_text, producer_text

_RULE: Final = RULES["ABORTED_AFTER_DELIVERY"]
READ_COMMITTED: Final = '"isolation_level":1'


@dataclass(slots=True)
class _Delivered:
    """Offsets of an open transaction that a reader got."""

    first_offset: int
    last_offset: int
    batch_seq: int
    answer: Run


@dataclass(slots=True)
class _Open:
    """The batches of an open transaction in a log, and its readers by client id."""

    batches: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """First and last offset, and `seq`."""
    readers: dict[str | None, _Delivered] = field(default_factory=dict[str | None, _Delivered])


class DirtyReads:
    """Tracks what readers with read_uncommitted get of open transactions.

    Scope: a partition. It needs all rows of the partition about batches, markers, truncations and
    Fetch responses; and of no partition, the deletions of topics.
    """

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without transactions."""
        self._context: Final = context
        self._open: Final[dict[tuple[str, int], dict[int, _Open]]] = {}

    def end(self) -> None:
        """Do nothing: a transaction that is still open may be committed."""

    def _append(self, run: Run) -> None:
        if not run.is_transactional:
            return
        log = self._open.setdefault(run.place, {})
        opened = log.get(run.producer_id or 0)
        if opened is None:
            opened = log[run.producer_id or 0] = _Open()
        opened.batches.append((run.base_offset or 0, run.last_offset or 0, run.seq))

    def _end(self, run: Run) -> None:
        opened = self._open.get(run.place, {}).pop(run.producer_id or 0, None)
        if opened is not None and run.marker == "ABORT":
            for delivered in opened.readers.values():
                self._context.report(_finding(delivered, run))

    def _deliver(self, answer: Run) -> None:
        if answer.last_offset is None or READ_COMMITTED in (answer.detail or ""):
            return
        first, last = answer.base_offset or 0, answer.last_offset
        stable = answer.last_stable_offset
        undecided = first if stable is None or stable < 0 else max(first, stable)
        if undecided > last:
            return
        for opened in self._open.get(answer.place, {}).values():
            got = [each for each in opened.batches if each[0] <= last and each[1] >= first]
            if got:
                known = opened.readers.get(answer.client_id)
                if known is None:
                    delivered = _Delivered(got[0][0], got[-1][1], got[0][2], answer)
                    opened.readers[answer.client_id] = delivered
                else:
                    known.first_offset = min(known.first_offset, got[0][0])
                    known.last_offset = max(known.last_offset, got[-1][1])

    def _truncate(self, run: Run) -> None:
        """Forget batches that are gone: no marker decides them."""
        end = run.log_end_offset or 0
        opened = self._open.get(run.place, {})
        for producer_id, each in list(opened.items()):
            each.batches = [batch for batch in each.batches if batch[0] < end]
            if not each.batches:
                del opened[producer_id]

    def _forget(self, run: Run) -> None:
        for place in [each for each in self._open if each[0] == run.topic]:
            del self._open[place]

    handlers: ClassVar[Handlers] = {
        "append": _append,
        "marker": _end,
        "answer Fetch": _deliver,
        "truncation": _truncate,
        "topic_deleted": _forget,
    }


def _finding(delivered: _Delivered, marker: Run) -> Finding:
    first, last, answer = delivered.first_offset, delivered.last_offset, delivered.answer
    were = "was" if first == last else "were"
    return _RULE.finding_at(
        marker,
        f"{offsets_text(first, last)} {were} delivered to"
        f" {answer.client_id!r} (read_uncommitted) before the transaction of"
        f" {producer_text(marker)} was aborted",
        first,
        last,
        (delivered.batch_seq, answer.seq, marker.seq),
    )
