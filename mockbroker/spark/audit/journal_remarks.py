"""Remarks about a journal that say where its evidence ends."""

from collections.abc import Sequence
from typing import Final

from mockbroker.journal.record_identity import OFF
from mockbroker.report.bad_input import BadInput

NOT_CLOSED: Final = (
    "The journal is not closed: it is still being written, or its cluster was killed. What is open"
    " where it ends is no finding."
)
CUT_OFF: Final = "Its last line is cut off, as a killed process leaves it: it does not count."
_NO_IDENTITIES: Final = "It was recorded without identities of records."
_RECORD_THEM: Final = (
    "Record the journal with --journal-identity, audit the topics while they are there, or leave"
    " --identity out."
)
_TOLD: Final = 5


def judged_identity(
    path: str, recorded: str | None, wanted: str | None
) -> tuple[str | None, list[BadInput]]:
    """Return the identity by which a journal is judged, if any: its own one, unless turned off.

    Another one that is wanted is reported.
    """
    if wanted in {None, OFF, recorded}:
        return recorded if wanted is None else wanted, []
    what = _NO_IDENTITIES if recorded in {None, OFF} else f"It has the identities by {recorded}."
    return None, [BadInput(where=path, what=what, advice=_RECORD_THEM)]


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
