"""Remarks about a journal that say where its evidence ends."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.journal.record_identity import OFF
from mockbroker.report.bad_input import BadInput

_NOT_CLOSED: Final = (
    "The journal is not closed: it is still being written, or its cluster was killed. What is open"
    " where it ends is no finding."
)
_CUT_OFF: Final = "Its last line is cut off, as a killed process leaves it: it does not count."
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


def unread_table(path: str, reason: str) -> BadInput:
    """Report a table of found records that cannot be used."""
    return BadInput(
        where=path,
        what=f"The records that readers found cannot be read: {reason.rstrip('.')}.",
        advice="Name Parquet with the columns topic, partition, offset, and that of --identity.",
    )


def unsound_parts(
    format_: str, names: Sequence[str], unread: Iterable[tuple[str, str | None]]
) -> dict[str, str]:
    """Return the parts with rows that are no entries, with the reason, by their names in order.

    `unread` has the part of each such row, and its text.
    """
    by_part: defaultdict[str, list[str | None]] = defaultdict(list)
    for name, text in unread:
        by_part[name].append(text)
    if format_ == "parquet":
        return {
            name: by_part[name][0] or "its rows are not entries of a journal"
            for name in names
            if name in by_part
        }
    return {
        name: f"{len(by_part[name]):,} of its rows are not entries of a journal"
        + _first(by_part[name][0])
        for name in names
        if name in by_part
    }


def _first(text: str | None) -> str:
    return "" if text is None else f", the first: {text[:60]!r}"


def left_out(path: str, reason: str, part_count: int, *, is_ordered: bool = True) -> BadInput:
    """Report a part that is left out, and what that costs."""
    costs = "the parts before and after it are judged separately"
    if not is_ordered:
        costs = "nothing is judged, since its rows could be missing anywhere"
    elif part_count == 1:
        costs = "no other part can be judged"
    advice = "Write or copy the file again, and audit again."
    return BadInput(where=path, what=f"It cannot be read ({reason}): {costs}.", advice=advice)


def ends_of_evidence(*, is_closed: bool, is_cut_off: bool, pieces: int) -> tuple[str, ...]:
    """Say where a journal ends too early: it is still written, was cut off, or has gaps."""
    in_pieces = (
        f"It is judged in {pieces} pieces, between the missing parts; nothing across the gaps is"
        " judged."
    )
    said = {_NOT_CLOSED: not is_closed, _CUT_OFF: is_cut_off, in_pieces: pieces > 1}
    return tuple(note for note, is_so in said.items() if is_so)


def no_parts(path: str, format_: str) -> BadInput:
    """Report a journal without anything to judge."""
    what = f"It has no part-*.{format_}."
    return BadInput(where=path, what=what, advice="Was the cluster killed at once?")


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
