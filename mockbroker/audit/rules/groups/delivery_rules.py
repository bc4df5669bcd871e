"""DELIVERED_BEYOND_LIMIT and ACKNOWLEDGED_TWICE: the deliveries of share groups."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple

from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.groups.offset_ranges import OffsetRanges, gaps
from mockbroker.audit.rules.rule_table import RULES, AuditRule
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

DONE: Final[Mapping[str, str]] = {"accept": "accepted", "reject": "rejected", "gap": "skipped"}
"""The acknowledgements after which a record is not delivered again."""
_BEYOND: Final = RULES["DELIVERED_BEYOND_LIMIT"]
_TWICE: Final = RULES["ACKNOWLEDGED_TWICE"]
_END: Final = (1 << 63) - 1
_NO_LIMIT_SEEN: Final = 0


class DeliveryPlace(NamedTuple):
    """A partition in a share group."""

    group: str
    topic: str
    partition: int


class Delivered(NamedTuple):
    """The history of a record in a share group."""

    deliveries: int = 0
    stored_deliveries: int = 0
    """Those that a new leader knows."""
    is_known: bool = True
    """True if the evidence has the first delivery."""
    limit: int = _NO_LIMIT_SEEN
    """The limit at the last release."""
    member: str = ""
    """The member that has acquired it, or has had the last word on it."""
    is_acquired: bool = False
    is_archived: bool = False
    """True if it was released after its last delivery."""
    is_beyond: bool = False
    """True if it was reported as delivered too often."""
    done: str = ""
    """A key of `DONE`; empty for a record that may be delivered again."""
    seq: int = 0
    """The last event."""


class ShareHistory:
    """What happened to the records of a partition in a share group."""

    def __init__(self) -> None:
        """Start without records."""
        self.records: Final = OffsetRanges[Delivered]()
        self.start_offset: int | None = None
        """Where the group began to read; None if the evidence does not have it."""


class Deliveries:
    """Tracks the records of all share groups, with its own count of deliveries."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without groups."""
        self._context: Final = context
        self.histories: Final[dict[DeliveryPlace, ShareHistory]] = {}

    def end(self) -> None:
        """Do nothing: what is not acknowledged may be delivered later."""

    def _history(self, run: Run) -> ShareHistory:
        return self.histories.setdefault(DeliveryPlace(run.group or "", *run.place), ShareHistory())

    # Records

    def _acquired(self, run: Run) -> None:
        first, last, detail = _range_of(run)
        reported = detail["delivery_count"]
        records = self._history(run).records
        known = records.take(first, last)
        for begin, end in gaps(first, last, known):
            records.put(begin, end, _acquired_by(run, detail, Delivered(is_known=reported == 1)))
        for begin, end, before in known:
            if before.done:
                what = f"delivered to {detail['member']!r}"
                self._report(_TWICE, run, (begin, end), f"{what} after {_done(before)}", before)
            after = _acquired_by(run, detail, before)
            limit = max(detail["limit"], before.limit)
            if after.deliveries > limit and not before.is_beyond:
                what = f"delivered {after.deliveries} times, at last to {detail['member']!r}"
                self._report(_BEYOND, run, (begin, end), f"{what}: the limit is {limit}", before)
                after = after._replace(is_beyond=True)
            records.put(begin, end, after)

    def _acknowledged(self, run: Run) -> None:
        first, last, detail = _range_of(run)
        kind, member = detail["type"], detail["member"]
        if kind == "renew":
            return
        if kind not in DONE:
            self._released(run)
            return
        records = self._history(run).records
        known = records.take(first, last)
        for begin, end in gaps(first, last, known):
            # The journal begins later, or these are offsets between records.
            unseen = Delivered(is_known=False, member=member, done=kind, seq=run.seq)
            records.put(begin, end, unseen)
        for begin, end, before in known:
            if before.done and not before.is_acquired:
                what = f"{DONE[kind]} by {member!r} after {_done(before)}"
                self._report(_TWICE, run, (begin, end), what, before)
            after = before._replace(is_acquired=False, member=member, done=kind, seq=run.seq)
            records.put(begin, end, after)

    def _released(self, run: Run) -> None:
        first, last, detail = _range_of(run)
        is_stored = detail.get("is_stored", True)
        records = self._history(run).records
        for begin, end, before in records.take(first, last):
            stored = before.deliveries if is_stored else before.stored_deliveries
            after = before._replace(
                is_acquired=False, limit=detail["limit"], stored_deliveries=stored
            )
            records.put(begin, end, after)

    def _archived(self, run: Run) -> None:
        first, last, _ = _range_of(run)
        records = self._history(run).records
        for begin, end, before in records.take(first, last):
            records.put(begin, end, before._replace(is_archived=True))

    # Share partitions

    def _loaded(self, run: Run) -> None:
        """Forget what the leader has not stored, and deliveries that the evidence lacks."""
        history = self._history(run)
        if history.start_offset is None:
            history.start_offset = run.base_offset
        for begin, end, before in history.records.take_all():
            if before.done or before.is_known:
                after = before._replace(deliveries=before.stored_deliveries, is_acquired=False)
                history.records.put(begin, end, after)

    def _begun_anew(self, run: Run) -> None:
        self.histories.pop(DeliveryPlace(run.group or "", *run.place), None)
        if run.base_offset is not None and run.base_offset >= 0:
            self._history(run).start_offset = run.base_offset

    def _topic_deleted(self, run: Run) -> None:
        for place in [each for each in self.histories if each.topic == run.topic]:
            del self.histories[place]

    def _truncated(self, run: Run) -> None:
        """Forget records whose offsets others will have."""
        for place, history in self.histories.items():
            if place[1:] == run.place:
                history.records.take(run.log_end_offset or 0, _END)

    def _report(
        self, rule: AuditRule, run: Run, offsets: tuple[int, int], what: str, before: Delivered
    ) -> None:
        first, last = offsets
        which = f"offset {first} was" if first == last else f"offsets {first} to {last} were"
        self._context.report(
            rule.finding_at(
                run, f"{which} {what} (group {run.group!r})", first, last, (before.seq, run.seq)
            )
        )

    handlers: ClassVar[Handlers] = {
        "acquired": _acquired,
        "acknowledged": _acknowledged,
        "lock_expired": _released,
        "session_released": _released,
        "archived": _archived,
        "share_loaded": _loaded,
        "share_reset": _begun_anew,
        "topic_deleted": _topic_deleted,
        "truncation": _truncated,
    }


def _range_of(run: Run) -> tuple[int, int, dict[str, Any]]:
    assert run.base_offset is not None, run
    assert run.last_offset is not None, run
    return run.base_offset, run.last_offset, json.loads(run.detail or "{}")


def _acquired_by(run: Run, detail: Mapping[str, Any], before: Delivered) -> Delivered:
    """Return the history after another delivery; a finding's causes are not reported again."""
    return before._replace(
        deliveries=max(before.deliveries + 1, detail["delivery_count"]),
        member=detail["member"],
        is_acquired=True,
        is_archived=False,
        done="",
        seq=run.seq,
    )


def _done(before: Delivered) -> str:
    return f"{before.member!r} had {DONE[before.done]} it"
