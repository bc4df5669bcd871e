"""Context that the machines of all rules share: findings, unknown facts, and facts about logs."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.log_facts import LogFacts
from mockbroker.audit.rules.rule_table import RULES, Need
from mockbroker.audit.runs.run import Run, exact_kind
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.source import Source, Thresholds

Handlers: TypeAlias = Mapping[str, Callable[[Any, Run], object]]
"""The method of a machine for the runs of each kind, as in `exact_kind` and `log_facts`."""


class RuleContext:
    """State of one judgement."""

    def __init__(self, source: Source, thresholds: Thresholds) -> None:
        """Start without findings."""
        self.source: Final = source
        self.thresholds: Final = thresholds
        self.outcome: Final = ShardOutcome()
        self.logs = LogFacts()
        self.last_time_ms = 0
        """The time of the last event, on the cluster's clock."""
        self.reset_seq: int | None = None
        """The `seq` of the reset that ends the life of the cluster which is judged, if one does."""

    def has(self, need: Need) -> bool:
        """Return whether the evidence has a kind of facts."""
        return need in self.source.facts

    def is_judged(self, rule: str) -> bool:
        """Return whether the evidence has all facts that a rule needs."""
        return RULES[rule].needs <= self.source.facts

    def report(self, finding: Finding) -> None:
        """Add a finding, unless its rule cannot be judged."""
        if self.is_judged(finding.rule):
            self.outcome.findings.append(finding)

    def leave_unknown(self, sentence: str) -> None:
        """Add a sentence about facts that the evidence lacks."""
        self.outcome.unknown.add(sentence)


class Machine(Protocol):
    """A state machine of one rule, or of several rules about the same state.

    It sees the runs of its kinds in order of their numbers. Where a journal is judged in shards,
    there is a machine for each shard of its scope.
    """

    scope: ClassVar[ShardScope]
    """The runs that it has to see together."""
    handlers: ClassVar[Handlers]
    """Methods for the kinds of runs that it sees, as `append` or `request Produce`.

    They are functions: bound methods in an object would be a cycle, which only the garbage
    collector frees."""

    def __init__(self, context: RuleContext) -> None:
        """Start without runs."""

    def end(self) -> None:
        """Judge what is still open at the end of the evidence."""


def apply(machine: Machine, run: Run) -> None:
    """Apply a run to one machine, if it sees such runs."""
    handler = machine.handlers.get(exact_kind(run))
    if handler is not None:
        handler(machine, run)
