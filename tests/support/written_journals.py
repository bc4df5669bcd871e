"""Generated journals: batches of a few producers, with or without an anomaly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.folder import create_journal
from mockbroker.journal.files.manifest import Manifest
from mockbroker.journal.options import JournalFormat
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

NOON_MS = 1_900_000_000_000


def produced(batches: int, *, partitions: int = 2, records: int = 3) -> Iterator[Entry]:
    """Yield request, append and answer of batches of one producer for each partition, in turn."""
    for number in range(batches):
        place, turn = number % partitions, number // partitions
        first = turn * records
        shared = Entry(
            seq=3 * number + 1,
            kind="request",
            wall_time_us=1000 * (NOON_MS + number),
            virtual_time_ms=NOON_MS + number,
            call=number + 1,
            broker=1,
            connection=1,
            client_id=f"client-{place}",
            api=ApiKey.PRODUCE,
            version=12,
            correlation_id=turn,
            topic="orders",
            partition=place,
            producer_id=100 + place,
            producer_epoch=0,
            base_sequence=first,
            record_count=records,
            is_transactional=False,
        )
        yield shared._replace(acks=-1)
        yield shared._replace(
            seq=shared.seq + 1,
            kind="append",
            is_duplicate=False,
            leader_epoch=0,
            base_offset=first,
            last_offset=first + records - 1,
            log_start_offset=0,
            last_stable_offset=first + records,
            high_watermark=first + records,
            log_end_offset=first + records,
        )
        yield shared._replace(
            seq=shared.seq + 2,
            kind="answer",
            acks=-1,
            base_offset=first,
            log_start_offset=0,
            error=ErrorCode.NONE,
        )


def without_call(entries: Iterable[Entry], call: int) -> list[Entry]:
    """Leave out the entries of one request, so that the next batch begins after a gap."""
    return [entry for entry in entries if entry.call != call]


def written(
    folder: Path,
    entries: Sequence[Entry],
    *,
    format: JournalFormat = "parquet",  # noqa: A002 # as the manifest names it
    parts: int = 1,
    is_closed: bool = True,
) -> Path:
    """Write entries into a folder in the given number of parts."""
    manifest = Manifest(format=format, cluster_id="a-cluster", kafka="4.4", seed=7)
    size = -(-len(entries) // parts)
    for number in range(parts):
        piece = folder.with_name(f".{folder.name}-{number}")
        writer = create_journal(piece, manifest)
        writer.write_entries(list(entries[number * size : (number + 1) * size]))
        writer.close()
        folder.mkdir(exist_ok=True)
        (first,) = piece.glob("part-*")
        first.rename(folder / f"part-{number + 1:05}.{format}")
    if is_closed:
        manifest = replace(manifest, is_closed=True, part_count=parts, row_count=len(entries))
    manifest.write(folder)
    return folder
