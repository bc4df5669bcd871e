"""Context that the machines of all rules share: findings, unknown facts, undecided streams."""

from typing import Final, Protocol

from mockbroker.audit.finding import Finding
from mockbroker.audit.log_facts import LogFacts
from mockbroker.audit.rules.rule_table import RULES, Need
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.source import Source, Thresholds


class RuleContext:
    """State of one judgement."""

    def __init__(self, source: Source, thresholds: Thresholds) -> None:
        """Start without findings."""
        self.source: Final = source
        self.thresholds: Final = thresholds
        self.findings: Final[list[Finding]] = []
        self.unknown: Final[dict[str, None]] = {}
        self.undecided: Final[set[StreamKey]] = set()
        self.open_transactions: Final[list[str]] = []
        self.logs: Final = LogFacts()
        self.holders: Final[dict[tuple[str, int], dict[int, Run]]] = {}
        """By place and first offset: the first batch of each transaction that is open there."""
        self.last_time_ms = 0
        """The time of the last event, on the cluster's clock."""

    def has(self, need: Need) -> bool:
        """Return whether the evidence has a kind of facts."""
        return need in self.source.facts

    def is_judged(self, rule: str) -> bool:
        """Return whether the evidence has all facts that a rule needs."""
        return RULES[rule].needs <= self.source.facts

    def report(self, finding: Finding) -> None:
        """Add a finding, unless its rule cannot be judged."""
        if self.is_judged(finding.rule):
            self.findings.append(finding)

    def leave_unknown(self, sentence: str) -> None:
        """Add a sentence about facts that the evidence lacks."""
        self.unknown.setdefault(sentence)

    def leave_undecided(self, stream: StreamKey) -> None:
        """Request the single events of a stream, in which a folded run is not regular."""
        self.undecided.add(stream)


class Machine(Protocol):
    """A state machine of one rule, or of several rules about the same state.

    It sees the runs in order of their first event: all runs of one event, and the folded runs of
    its streams. Folded and unfolded runs must lead to the same findings.
    """

    def see(self, run: Run) -> None:
        """Apply one run."""

    def end(self) -> None:
        """Judge what is still open at the end of the evidence."""
