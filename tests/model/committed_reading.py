"""Contents of a log by its bytes, and the records that a read_committed consumer gets."""

from collections.abc import Iterator

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.log.partition_log import PartitionLog

ALL_BYTES = 1 << 40


def all_of(log: PartitionLog) -> list[bytes]:
    """Return every batch of a log, as bytes."""
    found = log.read(log.log_start_offset, max_bytes=ALL_BYTES, up_to_offset=log.log_end_offset)
    return [bytes(data) for data in found.buffers]


def headers_of(log: PartitionLog) -> Iterator[tuple[BatchHeader, bytes]]:
    for data in all_of(log):
        yield LOG_RECORDS.read_header(data), data


def content_of(header: BatchHeader) -> tuple[int, int, int]:
    return header.producer_id, header.producer_epoch, header.base_sequence


def contents_of(log: PartitionLog) -> dict[int, tuple[int, int, int]]:
    """Return producer, epoch and sequence at each offset."""
    return {header.base_offset: content_of(header) for header, _ in headers_of(log)}


def fates_in(log: PartitionLog) -> dict[int, bool | None]:
    """Return of each batch whether the next marker of its producer commits it; None without one."""
    fates: dict[int, bool | None] = {}
    undecided: dict[int, list[int]] = {}
    for header, data in headers_of(log):
        if header.is_control:
            marker = LOG_RECORDS.read_end_txn_marker(data)
            assert marker is not None
            for offset in undecided.pop(header.producer_id, []):
                fates[offset] = marker.is_commit
        else:
            fates[header.base_offset] = None
            undecided.setdefault(header.producer_id, []).append(header.base_offset)
    return fates


def read_committed(log: PartitionLog) -> Iterator[int]:
    """Read as a consumer does: up to the last stable offset, without aborted transactions."""
    stable = log.last_stable_offset
    listed = log.aborted_transactions(log.log_start_offset, stable)
    to_come = sorted(listed, key=lambda aborted: aborted.first_offset)
    aborting: set[int] = set()
    for header, data in headers_of(log):
        if header.base_offset >= stable:
            return
        while to_come and to_come[0].first_offset <= header.base_offset:
            aborting.add(to_come.pop(0).producer_id)
        if header.is_control:
            marker = LOG_RECORDS.read_end_txn_marker(data)
            assert marker is not None
            if not marker.is_commit:
                aborting.discard(header.producer_id)
        elif header.producer_id not in aborting:
            yield header.base_offset
