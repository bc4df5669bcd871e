"""Checks of groups by the audit's rules, on the entries of a journal."""

from collections.abc import Iterable

from mockbroker.audit.finding import Finding
from mockbroker.audit.rules.groups.group_runs import group_findings
from mockbroker.audit.rules.groups.ownership_rules import ASSIGNMENT, Ownership
from mockbroker.journal.entry import Entry


def ownership_findings(entries: Iterable[Entry], group_id: str) -> list[Finding]:
    """Find what two members of a group owned at the same time, each time that it began.

    Raises:
        LookupError: no entry names an owner in the group.

    """
    of_group = [each for each in entries if each.kind == ASSIGNMENT and each.group == group_id]
    if not of_group:
        raise LookupError(
            f"no member of a group {group_id!r} was assigned partitions while the journal was on"
        )
    return group_findings(Ownership, of_group)
