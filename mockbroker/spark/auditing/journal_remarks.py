"""Remarks about a journal that say where its evidence ends."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from mockbroker.journal.files.manifest import PartSpan, between
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
_COPY_AGAIN: Final = "Write or copy the file again, and audit again."
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
    return BadInput(where=path, what=f"It cannot be read ({reason}): {costs}.", advice=_COPY_AGAIN)


def ends_of_evidence(
    *, is_closed: bool, is_cut_off: bool, pieces: int, dropped_count: int = 0
) -> tuple[str, ...]:
    """Say where a journal begins late, or ends too early: it is still written, or has gaps."""
    begins = (
        f"Memory had dropped {dropped_count:,} entries before it was exported: what they told is"
        " unknown."
    )
    in_pieces = (
        f"It is judged in {pieces} pieces, between what is missing; nothing across the gaps is"
        " judged."
    )
    said = {
        begins: dropped_count > 0,
        _NOT_CLOSED: not is_closed,
        _CUT_OFF: is_cut_off,
        in_pieces: pieces > 1,
    }
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


def gaps_between(
    path: str,
    names: Mapping[int, str],
    pieces: Sequence[Sequence[int]],
    spans: Mapping[int, PartSpan],
) -> list[BadInput]:
    """Report the entries that are missing between parts, where no part is missing."""
    return [
        BadInput(
            where=path,
            what=f"The entries {max(spans[each].last_seq for each in before) + 1} to"
            f" {spans[after[0]].first_seq - 1} are missing, between {names[before[-1]]} and"
            f" {names[after[0]]}: the parts before and after the gap are judged separately.",
            advice=_COPY_AGAIN,
        )
        for before, after in pairwise(pieces)
        if names.keys() >= {*between(before[-1], after[0])}
    ]


def missing_rows(path: str, there: int, written: int | None) -> list[BadInput]:
    """Report rows that are missing from a journal, although no part is."""
    if there and (written is None or there >= written):
        return []
    what = "It has no rows: nothing is judged."
    if written:
        what = f"{written - there:,} of its {written:,} rows are missing, at its end or in a part."
    return [BadInput(where=path, what=what, advice=_COPY_AGAIN)]


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
