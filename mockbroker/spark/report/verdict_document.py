"""`verdict.json`: what an audit says, for programs. Its members are declared here once."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mockbroker.audit.finding import Severity
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.spark.audit.audited import Audited, SourceVerdict
from mockbroker.spark.audit.bad_input import BadInput
from mockbroker.version import __version__

NAME: Final = "verdict.json"
SCHEMA_VERSION: Final = 1

MEMBERS: Final[Mapping[str, str]] = {
    "schema_version": "Another one where a member means something else, or is gone.",
    "mockbroker": "The version that judged.",
    "verdict": "`clean`, `findings` or `broken input`: what `exit_code` says in words.",
    "exit_code": "0 clean, 1 findings at or above `fail_on`, 2 broken input.",
    "fail_on": "The severity from which on a finding fails the audit.",
    "findings.total": "How many there are, of any severity.",
    "findings.by_severity": "How many of each severity; all three are named.",
    "findings.by_rule": "How many of each rule that has any.",
    "broken": "What could not be judged: a list of `where`, `what` and `advice`.",
    "ledger": "The ledger that was joined, or null.",
    "expected": "The rules that the plan of the ledger's load says it breaks.",
    "sources[].source": "The journal or the topics, as they were named.",
    "sources[].kind": "`journal` or `topics`.",
    "sources[].rules[].rule": "Each rule, in the order of the rules' page.",
    "sources[].rules[].severity": "Of its findings.",
    "sources[].rules[].is_judged": "Whether the evidence says enough for it.",
    "sources[].rules[].reason": "Why it was not judged, else empty.",
    "sources[].rules[].findings": "How many it has.",
    "sources[].counts": "How much was judged: `events`, `appends`, `producers`, `partitions`,"
    " `transactional_ids`, `first_time_ms`, `last_time_ms`.",
    "sources[].unknown": "What the evidence does not say, as sentences.",
    "sources[].notes": "What else is worth knowing, such as that a journal is not closed.",
}
"""Each member's path, and what it says."""

_WORDS: Final = ("clean", "findings", "broken input")


def verdict_document(audited: Audited) -> dict[str, Any]:
    """Return the document."""
    findings = [each.finding for each in audited.findings()]
    severities = Counter(each.severity for each in findings)
    code = audited.exit_code()
    return {
        "schema_version": SCHEMA_VERSION,
        "mockbroker": __version__,
        "verdict": _WORDS[code],
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
            }
            for ruled in verdict.rules
        ],
        "counts": verdict.counts._asdict(),
        "unknown": list(verdict.unknown),
        "notes": list(each.notes),
    }
