"""What the audit finds in an excerpt of the ledger, as assertions tell it: with notes for lanes."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

from mockbroker.audit.finding import AuditFinding, sort_key
from mockbroker.audit.rule_context import Case
from mockbroker.audit.rules import transaction_findings
from mockbroker.audit.rules.loss_rules import loss_findings
from mockbroker.audit.rules.payload_rules import payload_finding, repetitions
from mockbroker.audit.rules.transaction_rules import Transactions
from mockbroker.audit.rules.visibility_rules import Shown, visible_finding
from mockbroker.audit.runs.run import Lane, Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.control.assertions.finding import Finding, Ghost
from mockbroker.journal.compact.excerpt import Excerpt
from mockbroker.journal.compact.excerpt_reader import excerpt_of
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.transaction_runs import transaction_runs
from mockbroker.journal.compact.visible_batches import wrongly_shown
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import OpenTransaction

Law: TypeAlias = Literal["losses", "duplicates", "visibility", "zombies", "latecomers"]
"""What an excerpt is judged by."""
ZOMBIE: Final = "ZOMBIE_WRITE_ACCEPTED"
LATE: Final = "APPEND_AFTER_MARKER"


def judged(
    ledger: Ledger,
    cluster: ClusterState,
    topic: str | None,
    now_ms: int,
    laws: Collection[Law],
) -> list[Finding]:
    """Judge a topic, or all that are not internal, by some laws.

    Raises:
        LookupError: there is no such topic.

    """
    excerpt = excerpt_of(ledger, cluster, topic, now_ms)
    findings = [each for law in laws if law in _LAWS for each in _LAWS[law](excerpt)]
    if "visibility" in laws:
        findings += map(visible, wrongly_shown(cluster, topic, now_ms))
    return findings


def told(found: AuditFinding, note: str = "") -> Finding:
    """Tell a finding, with what to write under the batch that it is about."""
    return Finding(
        text=found.text,
        advice=found.advice,
        topic=found.topic or "",
        partition=-1 if found.partition is None else found.partition,
        base_offset=-1 if found.first_offset is None or not note else found.first_offset,
        note=note,
    )


def losses(excerpt: Excerpt) -> Iterator[Finding]:
    """Tell what was acknowledged and is gone, and draw it where it was."""
    for log in excerpt.logs:
        for found in loss_findings(log):
            yield told(found)._replace(ghost=_ghost(found))


def duplicates(excerpt: Excerpt) -> Iterator[Finding]:
    """Tell what was sent once and is there twice."""
    for log in excerpt.logs:
        for each in repetitions(log):
            yield told(payload_finding(each, log), f"DUPLICATE of {each.first.base_offset}")


def zombies(excerpt: Excerpt) -> list[Finding]:
    """Tell what was appended for a producer after a newer one had taken its place.

    What is aborted, as by the coordinator that fences, does no harm.
    """
    return [told(found, "ZOMBIE") for found in _of_transactions(excerpt, ZOMBIE)]


def latecomers(excerpt: Excerpt) -> list[Finding]:
    """Tell what was sent in a transaction that was over, and is committed with the next one."""
    return [told(found, "LATE, COMMITTED") for found in _of_transactions(excerpt, LATE)]


def _of_transactions(excerpt: Excerpt, rule: str) -> Iterator[AuditFinding]:
    if not excerpt.late:
        return iter(())
    case = Case(A_JOURNAL, THRESHOLDS)
    machine = Transactions(case)
    for run in transaction_runs(excerpt):
        case.logs.see(run)
        machine.see(run)
    machine.end()
    return (each for each in sorted(case.findings, key=sort_key) if each.rule == rule)


def visible(shown: Shown) -> Finding:
    """Tell what readers are given and should not be."""
    return told(visible_finding(shown), f"{shown.fate.upper()}, VISIBLE")


def hanging(opened: OpenTransaction) -> Finding:
    """Tell of a transaction that nobody will end."""
    first_batch = Run(
        *(Lane.EVENT, "append", 0, 0, 0, 0),
        topic=opened.topic,
        partition=opened.partition,
        producer_id=opened.producer_id,
        producer_epoch=opened.producer_epoch,
        base_offset=opened.first_offset,
    )
    return told(transaction_findings.hanging(first_batch, None), "HANGING")


def _ghost(found: AuditFinding) -> Ghost | None:
    if found.first_offset is None or found.last_offset is None:
        return None
    producer_id = -1 if found.producer_id is None else found.producer_id
    producer_epoch = -1 if found.producer_epoch is None else found.producer_epoch
    return Ghost(found.first_offset, found.last_offset, producer_id, producer_epoch)


_LAWS: Final[Mapping[str, Callable[[Excerpt], Iterable[Finding]]]] = {
    "losses": losses,
    "duplicates": duplicates,
    "zombies": zombies,
    "latecomers": latecomers,
}
