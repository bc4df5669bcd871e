"""Remarks about a journal that say where its evidence ends."""

from collections.abc import Sequence
from typing import Final

from mockbroker.report.bad_input import BadInput

NOT_CLOSED: Final = (
    "The journal is not closed: it is still being written, or its cluster was killed. What is open"
    " where it ends is no finding."
)
CUT_OFF: Final = "Its last line is cut off, as a killed process leaves it: it does not count."
NO_CONTENTS: Final = "A journal has no record contents: without a ledger it has no identities."
AUDIT_TOPICS: Final = "Audit the topics while they are there, or leave --identity out."
_TOLD: Final = 5


def unended(path: str, whose: Sequence[str]) -> list[BadInput]:
    """Report the transactions whose end is unknown."""
    if not whose:
        return []
    more = "" if len(whose) <= _TOLD else f", and {len(whose) - _TOLD} more"
    what = f"It ends in the middle of {len(whose)} transaction{'s' * (len(whose) > 1)}"
    return [
        BadInput(
            where=path,
            what=f"{what}: {', '.join(whose[:_TOLD])}{more}. Everything else is judged.",
            advice="Let each commit, abort or time out before the journal ends; or audit again when"
            " the journal is longer.",
        )
    ]
