"""Rules of the audit on a running cluster, as assertions use them."""

from collections.abc import Collection
from typing import Final

from mockbroker.audit.cluster.cluster_input import ClusterInput, read_cluster
from mockbroker.audit.cluster.transaction_runs import transaction_runs
from mockbroker.audit.cluster.visible_batches import wrongly_shown
from mockbroker.audit.finding import Finding, sort_key
from mockbroker.audit.rule_context import RuleContext, apply
from mockbroker.audit.rules import transaction_findings
from mockbroker.audit.rules.records.loss_rules import loss_findings
from mockbroker.audit.rules.records.payload_rules import payload_findings
from mockbroker.audit.rules.transaction_rules import TransactionRules
from mockbroker.audit.rules.visibility_rules import visible_finding
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import OpenTransaction

_OF_LOGS: Final = {
    "LOST_ACKED": loss_findings,
    "ACKED_NOT_DURABLE": loss_findings,
    "ABORTED_VISIBLE": loss_findings,
    "DUPLICATE_PAYLOAD": payload_findings,
}
_OF_TRANSACTIONS: Final = ("ZOMBIE_WRITE_ACCEPTED", "APPEND_AFTER_MARKER")


def cluster_findings(
    ledger: Ledger,
    cluster: ClusterState,
    topic: str | None,
    now_ms: int,
    rules: Collection[str],
) -> list[Finding]:
    """Judge a topic, or all topics that are not internal, by the given rules.

    Raises:
        LookupError: there is no such topic.

    """
    findings = input_findings(read_cluster(ledger, cluster, topic, now_ms), rules)
    if "ABORTED_VISIBLE" in rules:
        findings += map(visible_finding, wrongly_shown(cluster, topic, now_ms))
    return findings


def input_findings(given: ClusterInput, rules: Collection[str]) -> list[Finding]:
    """Judge the input from a cluster by the given rules."""
    judges = dict.fromkeys(_OF_LOGS[rule] for rule in _OF_LOGS if rule in rules)
    judged = (each for judge in judges for log in given.logs for each in judge(log))
    findings = [each for each in judged if each.rule in rules]
    transactional = _transaction_findings(given)
    for rule in _OF_TRANSACTIONS:
        findings += [each for each in transactional if each.rule == rule and rule in rules]
    return findings


def _transaction_findings(given: ClusterInput) -> list[Finding]:
    if not given.late:
        return []
    context = RuleContext(A_JOURNAL, THRESHOLDS)
    machine = TransactionRules(context)
    for run in transaction_runs(given):
        context.logs.see(run)
        if not context.logs.is_stale(run):
            apply(machine, run)
    machine.end()
    return sorted(context.outcome.findings, key=sort_key)


def hanging_finding(opened: OpenTransaction) -> Finding:
    """Return the finding for a hanging transaction."""
    first_batch = Run(
        *("append", 0, 0),
        topic=opened.topic,
        partition=opened.partition,
        producer_id=opened.producer_id,
        producer_epoch=opened.producer_epoch,
        base_offset=opened.first_offset,
    )
    return transaction_findings.hanging(first_batch, None)
