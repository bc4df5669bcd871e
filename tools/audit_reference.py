"""Write docs/reference/audit-rules.md from the table of the audit's rules.

python -m tools.audit_reference
"""

from pathlib import Path
from typing import Final

from mockbroker.audit.rules.rule_table import (
    JOURNAL,
    RULES,
    TOPIC,
    AuditRule,
    Need,
)
from mockbroker.audit.source import THRESHOLDS
from tools.paragraph import paragraph

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "audit-rules.md"
_MINUTES: Final = THRESHOLDS.stuck_stable_offset_ms // 60_000
_HOURS: Final = THRESHOLDS.producer_id_expiration_ms // 3_600_000

_HEAD: Final = f"""# The rules of the audit

**You want it when** an audit has named a rule, or you ask what an audit can find.
**It needs** nothing to read. [How to audit a journal](../how-to/audit-a-journal.md) and [a real
cluster](../how-to/audit-a-real-cluster.md) show how to run one.

This page is made by `make docs` from `mockbroker/audit/rules/rule_table.py`. An audit checks a
journal, or the batches of a topic, by these rules. Legitimate behaviour of Kafka breaks none of
them. A rule that needs facts which the journal or topic does not have is *not judged*; the verdict
lists such rules.

A finding has the rule and its severity, the place (topic, partition, offsets, producer,
transactional id), the cluster's time, a sentence that describes it, advice, and as `evidence` the
`seq` of [the journal's rows](journal.md) that prove it.

- **ERROR**: records are lost, duplicated, out of order or shown to the wrong readers, or will be.
- **WARNING**: an event that Kafka avoids, without visible harm.

Events before the beginning of a journal are *unknown before* and make no finding: a producer's
first batch counts as its first only if the log is known from its beginning. A journal may end
anywhere: a transaction that is open at the end, and that its coordinator knows, is open and not
hanging. Each cause is one finding: a duplicate is not reported as a gap again, nor a gap as the
late batch that fills it.

Three rules have a threshold, which is a parameter: LSO_STUCK (longer than {_MINUTES} minutes of the
cluster's time, which is Kafka's longest transaction and a minute to abort it), RETRY_STORM
({THRESHOLDS.retries} tries), and UNKNOWN_PID_RESET if the source does not state when a log
forgets a producer ({_HOURS} hours, Kafka's `producer.id.expiration.ms`).
"""


def page() -> str:
    """Write the page."""
    lines = [
        _HEAD,
        "| rule | severity | needs | journal | topic |",
        "| --- | --- | --- | --- | --- |",
    ]
    for rule in RULES.values():
        needs = ", ".join(sorted(rule.needs))
        in_journal = "yes" if rule.needs <= JOURNAL else ""
        lines.append(
            f"| {rule.name} | {rule.severity} | {needs} | {in_journal} | {_in_topic(rule)} |"
        )
    lines += ["", "The kinds of evidence:", ""]
    lines += [paragraph(f"- **{need}**: {about}") for need, about in _NEEDS.items()]
    for rule in RULES.values():
        lines += ["", f"## {rule.name}", "", paragraph(rule.sentence)]
        lines += ["", paragraph(f"No finding: {rule.legitimate}")]
        if rule.advice:
            lines += ["", paragraph(f"What to do: {rule.advice}")]
    return "\n".join(lines) + "\n"


def _in_topic(rule: AuditRule) -> str:
    if rule.needs <= TOPIC:
        return "yes"
    is_told = rule.needs <= TOPIC | {Need.STATES, Need.TRANSITIONS}
    return "if coordinators tell" if is_told else ""


_NEEDS: Final = {
    Need.APPENDS: "the headers of batches and markers, in each log's order.",
    Need.STABLE_OFFSETS: "the last stable offset after each append.",
    Need.TRANSITIONS: "state changes of transactional ids, as coordinators logged them.",
    Need.STATES: "the transactions that coordinators know where the evidence ends.",
    Need.ANSWERS: "the requests of clients and the responses that they got.",
    Need.READS: "Fetch requests.",
    Need.CONTENTS: "the contents of records, or their checksums.",
    Need.ASSIGNMENTS: "what members of groups own.",
    Need.DELIVERIES: "what share groups deliver, and what their members acknowledge.",
    Need.VIEWS: "the records that read_committed readers get.",
}


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
