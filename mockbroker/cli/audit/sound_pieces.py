"""Pieces of a journal between its missing and damaged parts, each of which is judged separately."""

import json
from collections.abc import Iterator, Mapping
from os import SEEK_END
from pathlib import Path
from typing import Final

from mockbroker.journal.entry import COLUMNS
from mockbroker.journal.files.folder import in_order, span_of
from mockbroker.journal.files.jsonl import entry_of
from mockbroker.journal.files.manifest import (
    Manifest,
    consecutive,
    missing_numbers,
    part_number,
    part_path,
    parts_of,
)
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.journal_remarks import (
    are_missing,
    gaps_between,
    left_out,
    no_parts,
    unsound_parts,
)

_MAGIC: Final = b"PAR1"
"""The first and the last bytes of a Parquet file."""
_ADVICE: Final = "Write or copy the file again, and audit again."


NOTHING: Final[Mapping[Path, str]] = {}


def sound_pieces(
    folder: Path, manifest: Manifest, unsound: Mapping[Path, str] = NOTHING
) -> tuple[list[list[Path] | None], list[BadInput]]:
    """Return the consecutive sound parts of a journal, and report the others.

    `unsound` has parts that are known to be so, with the reason.

    A journal without gaps is one piece, None: all of it. Where the numbers of parts do not tell
    their order, their rows do.

    Raises:
        BadInputError: no part is sound.

    """
    parts = parts_of(folder, manifest.format)
    if not parts and not manifest.part_count:
        raise BadInputError(no_parts(str(folder), manifest.format))
    numbers = [part_number(path.name) for path in parts]
    if None in numbers:
        for path, reason in unsound.items():
            raise BadInputError(left_out(str(path), reason, len(parts), is_ordered=False))
        return _pieces(folder, dict(enumerate(in_order(parts), 1)), [])
    sound = {number or 0: path for number, path in zip(numbers, parts, strict=True)}
    damaged = [number for number, path in sound.items() if _is_damaged(path, manifest)]
    missing = missing_numbers(sound, manifest.part_count)
    bad = [_damaged(sound.pop(number)) for number in damaged]
    for number in [number for number, path in sound.items() if path in unsound]:
        path = sound.pop(number)
        bad.append(left_out(str(path), unsound[path], len(parts)))
    if missing:
        names = [part_path(folder, each, manifest.format).name for each in missing]
        bad.insert(0, are_missing(str(folder), names))
    if not sound:
        raise BadInputError(bad[0])
    return _pieces(folder, sound, bad)


def _pieces(
    folder: Path, sound: Mapping[int, Path], bad: list[BadInput]
) -> tuple[list[list[Path] | None], list[BadInput]]:
    spans = {number: span_of(path) for number, path in sound.items()}
    names = {number: path.name for number, path in sound.items()}
    pieces = consecutive(sound, spans)
    bad += gaps_between(str(folder), names, pieces, spans)
    return [[sound[number] for number in each] for each in pieces] if bad else [None], bad


def _is_damaged(path: Path, manifest: Manifest) -> bool:
    """Return whether a Parquet file has no end, as an incomplete copy."""
    if manifest.format != "parquet":
        return False
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(_MAGIC)))
        return file.read() != _MAGIC


def parts_with_bad_lines(folder: Path, manifest: Manifest) -> dict[Path, str]:
    """Return the parts of JSON lines that have lines which are no entries, with the reason.

    The last line of all may have no end, as a killed process leaves it: it does not count.
    """
    if manifest.format != "jsonl":
        return {}
    parts = {path.name: path for path in parts_of(folder, manifest.format)}
    last = next(reversed(parts), "")
    bad = (
        (name, text)
        for name, path in parts.items()
        for text in _bad_lines(path, may_be_cut_off=name == last)
    )
    unsound = unsound_parts(manifest.format, list(parts), bad)
    return {parts[name]: reason for name, reason in unsound.items()}


def parts_without_an_end(folder: Path, manifest: Manifest) -> dict[Path, str]:
    """Return the parts of JSON lines, except for the last one, whose last line is cut off."""
    if manifest.format != "jsonl" or all(
        ends_with_a_line(path) for path in parts_of(folder, manifest.format)[:-1]
    ):
        return {}
    return parts_with_bad_lines(folder, manifest)


def ends_with_a_line(path: Path) -> bool:
    """Return False if the last line has no end, as a killed process or a bad copy leaves it."""
    with path.open("rb") as file:
        size = file.seek(0, SEEK_END)
        file.seek(max(0, size - 1))
        return file.read(1) == b"\n"


def _bad_lines(path: Path, *, may_be_cut_off: bool) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            if not (_is_entry(line) or (may_be_cut_off and not line.endswith(b"\n"))):
                yield line.decode(errors="backslashreplace").rstrip("\n")


_TYPES: Final[Mapping[str, type]] = {
    column.name: {"bool": bool, "string": str}.get(column.kind, int) for column in COLUMNS
}


def _is_entry(line: bytes) -> bool:
    try:
        entry_of(line)
        known = json.loads(line)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return all(
        type(known[name]) is kind for name, kind in _TYPES.items() if known.get(name) is not None
    )


def _damaged(path: Path) -> BadInput:
    what = "It has no end: the parts before and after it are judged separately."
    return BadInput(where=str(path), what=what, advice=_ADVICE)
