"""Judges evidence: what a journal, a ledger or a topic says of what happened, by Kafka's rules."""

from mockbroker.audit.finding import AuditFinding, Severity
from mockbroker.audit.judge import judge
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.verdict import Verdict

__all__ = ["RULES", "AuditFinding", "Severity", "Verdict", "journal_runs", "judge"]
