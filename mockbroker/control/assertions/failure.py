"""Error of a failed assertion about a cluster, and its text."""

import textwrap
from collections.abc import Sequence
from typing import Final

from mockbroker.audit.finding import Finding

WIDTH: Final = 110
SHOWN_MAX: Final = 10
"""Number of findings that an assertion prints one by one; the others are counted."""


class ClusterAssertionError(AssertionError):
    """A failed assertion about a cluster."""

    def __init__(self, claim: str, findings: Sequence[Finding], timelines: str = "") -> None:
        """Take the claim, its counterevidence, and the timelines of the partitions."""
        super().__init__(failure_text(claim, findings, timelines))
        self.claim = claim
        self.findings = tuple(findings)


def failure_text(claim: str, findings: Sequence[Finding], timelines: str = "") -> str:
    """Format a failure: the claim, the findings, advice, and the timelines."""
    parts = [claim, _listed(findings)]
    advice = dict.fromkeys(each.advice for each in findings if each.advice)
    parts += [_filled(f"What to do: {each}") for each in advice]
    return "\n\n".join([*parts, timelines] if timelines else parts)


def _listed(findings: Sequence[Finding]) -> str:
    lines = [_filled(each.text, "- ", "  ") for each in findings[:SHOWN_MAX]]
    if len(findings) > SHOWN_MAX:
        lines.append(f"- and {len(findings) - SHOWN_MAX} more")
    return "\n".join(lines)


def _filled(text: str, first_indent: str = "", indent: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first_indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
