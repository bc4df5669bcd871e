"""Judgement of runs by all rules.

The rules are state machines over runs in order of `seq`; a machine stores a few numbers for each
partition, producer or group. One loop judges all runs, or a shard with those of one of them.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from types import MethodType
from typing import Final

from mockbroker.audit.coordinated import Decisions
from mockbroker.audit.counting import counted
from mockbroker.audit.log_facts import REPEATED, STALE_BATCH, STALE_MARKER, LogFacts, as_logged
from mockbroker.audit.rule_context import Machine, RuleContext
from mockbroker.audit.rules.applications.commit_rules import Commits
from mockbroker.audit.rules.applications.dirty_read_rules import DirtyReads
from mockbroker.audit.rules.applications.order_rules import Order
from mockbroker.audit.rules.applications.outside_commit_rules import OutsideCommits
from mockbroker.audit.rules.applications.unread_rules import UnreadCommits
from mockbroker.audit.rules.ending_rules import Endings, Expiries
from mockbroker.audit.rules.fencing_rules import Fencing
from mockbroker.audit.rules.groups.delivery_rules import Deliveries
from mockbroker.audit.rules.groups.ownership_rules import Ownership
from mockbroker.audit.rules.offset_rules import Offsets
from mockbroker.audit.rules.reader_rules import Readers
from mockbroker.audit.rules.records.acknowledgement_rules import Acknowledgements
from mockbroker.audit.rules.retry_rules import Retries
from mockbroker.audit.rules.sequence_rules import Sequences
from mockbroker.audit.rules.stable_offset_rules import StableOffsets
from mockbroker.audit.rules.transaction_rules import TransactionRules
from mockbroker.audit.rules.visibility_rules import Visibility
from mockbroker.audit.runs.run import CALLS, RESET, Run, exact_kind, sort_key
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.storage.paused_collection import paused_collection
from mockbroker.audit.verdict import Verdict

MACHINES: Final[tuple[type[Machine], ...]] = (
    Acknowledgements,
    Visibility,
    Decisions,
    Offsets,
    StableOffsets,
    Sequences,
    Expiries,
    Endings,
    TransactionRules,
    Fencing,
    Retries,
    Readers,
    Ownership,
    Deliveries,
    Commits,
    DirtyReads,
    OutsideCommits,
    UnreadCommits,
    Order,
)
"""All machines, in the order in which they see a run."""
TIMED: Final = frozenset({"append", "marker", "transaction", "clock"})
"""Kinds whose last time is the end of the evidence."""
_NAMED: Final = CALLS | {"event"}
"""Kinds of which machines see the runs of some names."""
_LOGGED: Final = frozenset(
    {"append", "marker", "truncation", "log_start", "leader", "topic_created", "topic_deleted"}
)
"""Kinds that tell something of logs."""


@paused_collection()
def judge(
    runs: Iterable[Run], source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> Verdict:
    """Judge runs, which may be in any order."""
    ordered = sorted(runs, key=sort_key)
    judgement = Judgement(source, thresholds)
    judgement.see(ordered)
    outcome = judgement.end()
    for run in ordered:
        counted(outcome, run)
    return outcome.verdict(source, len(ordered) if source.events is None else source.events)


def machines_of(scope: ShardScope) -> tuple[type[Machine], ...]:
    """Return the machines of a scope, in the order in which they see a run."""
    return tuple(make for make in MACHINES if make.scope is scope)


def kinds_of(scope: ShardScope) -> frozenset[str]:
    """Return the kinds that the machines of a scope see; of calls with their API."""
    return frozenset(kind for make in machines_of(scope) for kind in make.handlers)


class Judgement:
    """Some machines, and what they share."""

    def __init__(
        self,
        source: Source = A_JOURNAL,
        thresholds: Thresholds = THRESHOLDS,
        machines: Sequence[type[Machine]] = MACHINES,
        last_time_ms: int = 0,
    ) -> None:
        """Start without runs; `last_time_ms` is the end of evidence of which these are a part."""
        self._context: Final = RuleContext(source, thresholds)
        self._last_time_ms: Final = last_time_ms
        self._makes: Final = machines
        self._has_logs: Final = any(make.scope is ShardScope.PARTITION for make in machines)
        self._seers: Final[defaultdict[str, list[Callable[[Run], object]]]] = defaultdict(list)
        self._begin()

    def _begin(self) -> None:
        self._context.last_time_ms = self._last_time_ms
        self._machines = [make(self._context) for make in self._makes]
        self._seers.clear()
        for machine in self._machines:
            for kind, handler in machine.handlers.items():
                self._seers[kind].append(MethodType(handler, machine))

    def see(self, runs: Iterable[Run]) -> None:
        """Apply runs, which are in order, and follow those before."""
        context, seers = self._context, self._seers
        for row in runs:
            run, kind = row, row.kind
            if kind in _NAMED:
                kind = exact_kind(run)
                if kind == RESET:
                    self._begin_anew(run)
            elif kind in TIMED and run.virtual_time_ms > context.last_time_ms:
                context.last_time_ms = run.virtual_time_ms
            if kind in _LOGGED:
                run = as_logged(row)
                kind = run.kind
                self._follow_log(run)
                if run.is_duplicate:
                    kind = REPEATED
                elif context.logs.is_stale(run):
                    kind = STALE_BATCH if kind == "append" else STALE_MARKER
            for see in seers[kind]:
                see(run)

    def _follow_log(self, run: Run) -> None:
        """Update the facts about a log; other shards need some of them."""
        logs, outcome = self._context.logs, self._context.outcome
        if not self._has_logs:
            if run.kind == "topic_created":
                logs.see(run)
            return
        implied = logs.see(run)
        if implied is not None:
            outcome.truncations.append(implied)
            for see in self._seers["truncation"]:
                see(implied)
        if run.kind == "truncation":
            outcome.truncations.append(run)
        elif logs.is_stale(run) and (run.is_transactional or run.kind == "marker"):
            outcome.stale.add((run.place, run.seq))

    def _begin_anew(self, reset: Run) -> None:
        """Judge the life of the cluster that a reset ends; what is open in it never ends."""
        context = self._context
        opened = list(context.outcome.open_transactions)
        context.reset_seq = reset.seq
        context.last_time_ms = json.loads(reset.detail or "{}").get("ended_ms", 0)
        self.end()
        context.outcome.open_transactions = opened
        context.reset_seq, context.logs = None, LogFacts(is_whole=True)
        self._begin()

    def end(self) -> ShardOutcome:
        """Return the outcome of all runs."""
        for machine in self._machines:
            machine.end()
        return self._context.outcome
