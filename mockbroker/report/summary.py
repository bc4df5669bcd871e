"""Summary of the verdict, for the terminal and the report's heading."""

from collections import Counter
from typing import Final

from mockbroker.audit.finding import Severity
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.journal.record_identity import OFF
from mockbroker.report.audited import Audited, ExitCode, SourceVerdict

OPTION: Final = "--identity"
NAMED_MAX: Final = 3
"""Maximum number of rules that the headline names."""
FOLLOWING_MAX: Final = 5
"""Maximum number of consequences of a finding in the summary."""
SHOWN_MAX: Final = 20
"""Maximum number of findings in the summary; the report and the file have more."""


BY_IDENTITY: Final = "duplicates by identity"


def headline(audited: Audited) -> str:
    """Return the verdict as one line, with what was not judged."""
    missing = not_judged(audited)
    return f"{_found(audited)}. Not judged: {missing}" if missing else _found(audited)


def not_judged(audited: Audited) -> str:
    """Name what was not judged in any of the sources; empty if everything was."""
    verdicts = [each.verdict for each in audited.sources]
    rules = dict.fromkeys(
        ruled.rule for verdict in verdicts for ruled in verdict.rules if not ruled.is_judged
    )
    named = ", ".join(rules) if len(rules) <= NAMED_MAX else f"{len(rules)} of {len(RULES)} rules"
    missing = [BY_IDENTITY] if any(each.identity is None for each in verdicts) else []
    return " and ".join([*missing, *filter(None, [named])])


def _found(audited: Audited) -> str:
    severities = Counter(each.finding.severity for each in audited.findings())
    found = ", ".join(f"{severities[each]:,} {each.value}" for each in Severity if severities[each])
    if audited.exit_code() is ExitCode.BROKEN_INPUT:
        count = len(audited.bad)
        return f"Broken input: {count} input{'s' * (count != 1)} could not be judged" + (
            f"; in the rest: {found}"
            if found
            else "; nothing was found in the rest"
            if audited.sources
            else ""
        )
    total = sum(severities.values())
    if not total:
        return "Clean: nothing was found" if audited.is_clean else "Nothing was found"
    return f"{total:,} finding{'s' * (total != 1)}: {found}"


def summary(audited: Audited) -> str:
    """Return the findings, the judged sources, and the broken input as lines."""
    lines = [headline(audited)]
    lines += [f"  {bad}" for bad in audited.bad]
    findings = audited.findings()
    for placed in findings[:SHOWN_MAX]:
        finding = placed.finding
        lines.append(f"  {placed.number}. {finding.severity.value} {finding.rule}: {finding.text}")
        lines += [f"     - {each}" for each in finding.consequences[:FOLLOWING_MAX]]
        if len(finding.consequences) > FOLLOWING_MAX:
            lines.append(f"     - and {len(finding.consequences) - FOLLOWING_MAX} more")
    if len(findings) > SHOWN_MAX:
        lines.append(f"  … and {len(findings) - SHOWN_MAX:,} more")
    for each in audited.sources:
        lines += _of_source(each)
    return "\n".join(lines)


def identity_text(identity: str | None) -> str:
    """Say by what identity duplicates were judged, if at all."""
    if identity is None:
        return f"not judged: {BY_IDENTITY}: name what identifies a record, or `off` ({OPTION})"
    if identity == OFF:
        return f"{BY_IDENTITY} are turned off"
    return f"{BY_IDENTITY} are judged by {identity}"


def _of_source(each: SourceVerdict) -> list[str]:
    counts, rules = each.verdict.counts, each.verdict.rules
    judged = sum(1 for rule in rules if rule.is_judged)
    judging = f"{judged} of {len(rules)} rules judged"
    logs = f"{counts.partitions:,} partitions and {counts.producers:,} producers"
    said = f"{counts.events:,} events, {counts.appends:,} batches and markers of {logs}"
    lines = [f"{each.source}: {said}; {judging}"]
    reasons: dict[str, list[str]] = {}
    for rule in rules:
        if not rule.is_judged:
            reasons.setdefault(rule.reason, []).append(rule.rule)
    lines += [f"  not judged: {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    lines.append(f"  {identity_text(each.verdict.identity)}")
    lines += [f"  {note}" for note in each.notes]
    if each.verdict.unknown:
        count = len(each.verdict.unknown)
        lines.append(f"  {count:,} thing{'s' * (count != 1)} unknown: see the report")
    return lines
