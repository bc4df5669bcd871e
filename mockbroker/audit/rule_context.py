"""Context that the machines of all rules share: findings, what is unknown, what is undecided."""

from typing import Final, Protocol

from mockbroker.audit.finding import Finding
from mockbroker.audit.log_facts import LogFacts
from mockbroker.audit.rules.rule_table import RULES, Need
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.source import Source, Thresholds


class RuleContext:
    """One judgement in the making."""

    def __init__(self, source: Source, thresholds: Thresholds) -> None:
        """Begin with nothing."""
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
        """How far the evidence has got in the cluster's time."""

    def tells(self, need: Need) -> bool:
        """Return whether the evidence can tell something."""
        return need in self.source.tells

    def is_judged(self, rule: str) -> bool:
        """Return whether the evidence tells what a rule needs."""
        return RULES[rule].needs <= self.source.tells

    def report(self, finding: Finding) -> None:
        """Note what is wrong, unless its rule cannot be judged."""
        if self.is_judged(finding.rule):
            self.findings.append(finding)

    def leave_unknown(self, sentence: str) -> None:
        """Note what the evidence does not say."""
        self.unknown.setdefault(sentence)

    def leave_undecided(self, stream: StreamKey) -> None:
        """Ask for a stream event by event: a folded run of it is not regular where it is."""
        self.undecided.add(stream)


class Machine(Protocol):
    """A state machine of one rule or several that look at the same things.

    It sees the runs in order of their first event: all runs of one event, and the folded runs of
    the streams that it looks at. The same findings must come of folded and of unfolded runs.
    """

    def see(self, run: Run) -> None:
        """Go on by one run."""

    def end(self) -> None:
        """Judge what is still open where the evidence ends."""
