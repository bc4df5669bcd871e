"""Pieces of a journal between its missing and damaged parts."""

from pathlib import Path

import pytest

from mockbroker.cli.audit.sound_pieces import sound_pieces
from mockbroker.journal.files.manifest import Manifest
from mockbroker.journal.options import JournalFormat
from mockbroker.report.bad_input import BadInputError


def journal(
    folder: Path, *numbers: int, kind: JournalFormat = "jsonl", parts: int | None = 6
) -> Manifest:
    for number in numbers:
        (folder / f"part-{number:05}.{kind}").write_bytes(b"PAR1 rows PAR1")
    return Manifest(format=kind, cluster_id="c", kafka="4.4", seed=1, part_count=parts)


def test_a_journal_without_gaps_is_one_piece(tmp_path: Path) -> None:
    manifest = journal(tmp_path, 1, 2, 3, parts=3)
    assert sound_pieces(tmp_path, manifest) == ([None], [])


def test_consecutive_parts_are_one_piece(tmp_path: Path) -> None:
    pieces, (bad,) = sound_pieces(tmp_path, journal(tmp_path, 2, 3, 5))
    names = [[path.name for path in piece or []] for piece in pieces]
    assert names == [["part-00002.jsonl", "part-00003.jsonl"], ["part-00005.jsonl"]]
    assert bad.what.startswith("part-00001.jsonl, part-00004.jsonl, part-00006.jsonl are missing")


def test_a_parquet_file_without_an_end_is_left_out(tmp_path: Path) -> None:
    manifest = journal(tmp_path, 1, 2, 3, kind="parquet", parts=3)
    damaged = tmp_path / "part-00002.parquet"
    damaged.write_bytes(b"PAR1 ro")
    pieces, (bad,) = sound_pieces(tmp_path, manifest)
    assert [len(piece or []) for piece in pieces] == [1, 1]
    assert bad.where == str(damaged)
    assert bad.what == "It has no end: the parts before and after it are judged separately."


def test_without_a_sound_part_there_is_no_piece(tmp_path: Path) -> None:
    manifest = journal(tmp_path, 1, kind="parquet", parts=1)
    (tmp_path / "part-00001.parquet").write_bytes(b"PAR1 ro")
    with pytest.raises(BadInputError, match="It has no end"):
        sound_pieces(tmp_path, manifest)


def test_an_empty_part_is_missing(tmp_path: Path) -> None:
    manifest = journal(tmp_path, 1, 2, 3, parts=3)
    (tmp_path / "part-00002.jsonl").write_bytes(b"")
    pieces, (bad,) = sound_pieces(tmp_path, manifest)
    assert [len(piece or []) for piece in pieces] == [1, 1]
    assert bad.what.startswith("part-00002.jsonl is missing")


@pytest.mark.parametrize("name", ["part-{:05}.jsonl", "part-{:05}-c000.jsonl"])
def test_entries_that_are_missing_between_parts_divide_a_journal(tmp_path: Path, name: str) -> None:
    for number, seqs in enumerate(((9, 10), (4, 5), (1, 2, 3)), 1):
        rows = "".join(f'{{"seq":{seq}}}\n' for seq in seqs)
        (tmp_path / name.format(number)).write_text(rows)
    pieces, (bad,) = sound_pieces(tmp_path, journal(tmp_path, parts=3))
    names = [[path.name for path in piece or []] for piece in pieces]
    last, middle, first = (name.format(number) for number in (1, 2, 3))
    assert names == [[first, middle], [last]]
    assert bad.what == (
        f"The entries 6 to 8 are missing, between {middle} and {last}: the parts before and after"
        " the gap are judged separately."
    )


@pytest.mark.parametrize("parts", [0, None])
def test_a_journal_without_any_part_is_refused(tmp_path: Path, parts: int | None) -> None:
    with pytest.raises(BadInputError, match=r"It has no part-\*\.jsonl"):
        sound_pieces(tmp_path, journal(tmp_path, parts=parts))


def test_parts_with_other_names_are_one_piece(tmp_path: Path) -> None:
    manifest = journal(tmp_path, 1)
    (tmp_path / "part-00001.jsonl").rename(tmp_path / "part-mine.jsonl")
    assert sound_pieces(tmp_path, manifest) == ([None], [])
