"""Pieces of a journal between its missing and damaged parts, each of which is judged separately."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

from mockbroker.journal.files.manifest import Manifest, part_path, parts_of
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.audit.journal_remarks import are_missing

_MAGIC: Final = b"PAR1"
"""The first and the last bytes of a Parquet file."""
_ADVICE: Final = "Write or copy the file again, and audit again."


def sound_pieces(
    folder: Path, manifest: Manifest
) -> tuple[list[list[Path] | None], list[BadInput]]:
    """Return the consecutive sound parts of a journal, and report the others.

    A journal without gaps is one piece, None: all of it. So is one whose parts were renamed, since
    its rows tell their order.

    Raises:
        BadInputError: no part is sound.

    """
    parts = parts_of(folder, manifest.format)
    numbers = [path.stem.rpartition("-")[2] for path in parts]
    if not all(number.isdecimal() for number in numbers):
        return [None], []
    sound = {int(number): path for number, path in zip(numbers, parts, strict=True)}
    damaged = [number for number, path in sound.items() if _is_damaged(path, manifest)]
    missing = sorted({*range(1, max([*sound, manifest.part_count or 0, 1]) + 1)} - {*sound})
    bad = [_damaged(sound.pop(number)) for number in damaged]
    if missing:
        names = [part_path(folder, each, manifest.format).name for each in missing]
        bad.insert(0, are_missing(str(folder), names))
    if not bad:
        return [None], []
    if not sound:
        raise BadInputError(bad[0])
    return [[sound[number] for number in each] for each in _consecutive(sound)], bad


def _consecutive(numbers: Iterable[int]) -> list[list[int]]:
    ordered = sorted(numbers)
    pieces = [ordered[:1]]
    for before, number in pairwise(ordered):
        if number != before + 1:
            pieces.append([])
        pieces[-1].append(number)
    return pieces


def _is_damaged(path: Path, manifest: Manifest) -> bool:
    """Return whether a Parquet file has no end, as an incomplete copy."""
    if manifest.format != "parquet":
        return False
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(_MAGIC)))
        return file.read() != _MAGIC


def _damaged(path: Path) -> BadInput:
    what = "It has no end: the parts before and after it are judged separately."
    return BadInput(where=str(path), what=what, advice=_ADVICE)
