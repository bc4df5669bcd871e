"""File `verdict.json`: the result of an audit for programs, with its members declared here."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mockbroker.audit.finding import Severity
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.report.audited import Audited, ExitCode, SourceVerdict
from mockbroker.report.bad_input import BadInput
from mockbroker.report.summary import not_judged
from mockbroker.version import __version__

NAME: Final = "verdict.json"
SCHEMA_VERSION: Final = 1

MEMBERS: Final[Mapping[str, str]] = {
    "schema_version": "Changes if a member is removed or changes its meaning.",
    "mockbroker": "The version that ran the audit.",
    "verdict": "`clean`, `no findings` (duplicates by identity were not judged), `findings` or"
    " `broken input`.",
    "not_judged": "What was not judged, as in the first line of the summary; empty if everything"
    " was.",
    "exit_code": "0 no findings, 1 findings at or above `fail_on`, 2 broken input.",
    "fail_on": "The lowest severity of findings that fail the audit.",
    "findings.total": "Number of findings of all severities.",
    "findings.by_severity": "Number of findings of each of the three severities.",
    "findings.by_rule": "Number of findings of each rule that has any.",
    "broken": "Input that could not be judged: a list of `where`, `what` and `advice`.",
    "ledger": "The ledger that was joined, or null.",
    "expected": "The rules that the load's plan breaks, according to the ledger.",
    "sources[].source": "The journal or the topics, as named on the command line.",
    "sources[].kind": "`journal` or `topics`.",
    "sources[].rules[].rule": "Each rule, in the order of the rules' page.",
    "sources[].rules[].severity": "Severity of its findings.",
    "sources[].rules[].is_judged": "True if the evidence is sufficient for it.",
    "sources[].rules[].reason": "Reason why it was not judged, else empty.",
    "sources[].rules[].findings": "Number of its findings.",
    "sources[].rules[].consequences": "Number of findings of other rules from which a breach of it"
    " follows.",
    "sources[].counts": "Counts of the evidence: `events`, `appends`, `producers`, `partitions`,"
    " `transactional_ids`, `first_time_ms`, `last_time_ms`.",
    "sources[].unknown": "Unknowns in the evidence, as sentences.",
    "sources[].identity": "What identified records when duplicates were judged; `off`, or null if"
    " they were not judged.",
    "sources[].notes": "Other remarks, for example that a journal is not closed.",
}
"""Path of each member, and its meaning."""

_WORDS: Final = ("clean", "findings", "broken input")


def verdict_document(audited: Audited) -> dict[str, Any]:
    """Return the document."""
    findings = [each.finding for each in audited.findings()]
    severities = Counter(each.severity for each in findings)
    code = audited.exit_code()
    return {
        "schema_version": SCHEMA_VERSION,
        "mockbroker": __version__,
        "verdict": _word(audited, code),
        "not_judged": not_judged(audited),
        "exit_code": int(code),
        "fail_on": audited.fail_on.value,
        "findings": {
            "total": len(findings),
            "by_severity": {each.value: severities[each] for each in Severity},
            "by_rule": dict(sorted(Counter(each.rule for each in findings).items())),
        },
        "broken": [_broken(each) for each in audited.bad],
        "ledger": audited.ledger,
        "expected": list(audited.expected),
        "sources": [_source(each) for each in audited.sources],
    }


def _word(audited: Audited, code: ExitCode) -> str:
    is_judged = all(each.verdict.identity is not None for each in audited.sources)
    return "no findings" if code is ExitCode.CLEAN and not is_judged else _WORDS[code]


def write_verdict(folder: Path, document: Mapping[str, Any]) -> Path:
    """Write the document, and return its file.

    Raises:
        OSError: it cannot be written.

    """
    path = folder / NAME
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _broken(bad: BadInput) -> dict[str, str]:
    return {"where": bad.where, "what": bad.what, "advice": bad.advice}


def _source(each: SourceVerdict) -> dict[str, Any]:
    verdict = each.verdict
    return {
        "source": each.source,
        "kind": each.kind,
        "rules": [
            {
                "rule": ruled.rule,
                "severity": RULES[ruled.rule].severity.value,
                "is_judged": ruled.is_judged,
                "reason": ruled.reason,
                "findings": ruled.findings,
                "consequences": ruled.consequences,
            }
            for ruled in verdict.rules
        ],
        "counts": verdict.counts._asdict(),
        "unknown": list(verdict.unknown),
        "identity": verdict.identity,
        "notes": list(each.notes),
    }
