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


def in_pieces(count: int) -> str:
    """Say that a journal with gaps is judged in pieces."""
    return (
        f"It is judged in {count} pieces, between the missing parts; nothing across the gaps is"
        " judged."
    )


def are_missing(path: str, names: Sequence[str]) -> BadInput:
    """Report parts that are missing."""
    return BadInput(
        where=path,
        what=f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing: the parts"
        " before and after the gap are judged separately.",
        advice="Bring the files back and audit again.",
    )


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
