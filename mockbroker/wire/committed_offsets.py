"""Offsets that groups have committed, as `__consumer_offsets` has them; nothing is written."""

from collections import defaultdict
from typing import Final, NamedTuple

from mockbroker.broker.internal_records.group_record import read_record
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.records.control_batch import ControlRecordType, parse_control_type
from mockbroker.state.group.group_log_record import OffsetAndMetadata, OffsetRecord
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.internal_topic import internal_batches

OFFSETS_LOG: Final = "__consumer_offsets"


class CommittedPartition(NamedTuple):
    """A partition that a group reads."""

    group: str
    topic: str
    partition: int


def committed_offsets(cluster: WireCluster) -> dict[CommittedPartition, OffsetAndMetadata]:
    """Return the last committed offset of each group in each partition.

    Offsets of transactions count from their COMMIT marker on.

    Raises:
        WireError: this user may not read the topic, or it is too long.

    """
    found: dict[CommittedPartition, OffsetAndMetadata | None] = {}
    pending: defaultdict[tuple[int, int], dict[CommittedPartition, OffsetAndMetadata | None]] = (
        defaultdict(dict)
    )
    try:
        for partition, batch in internal_batches(cluster, OFFSETS_LOG):
            header = parse_batch_header(batch)
            transaction = partition, header.producer_id
            if header.is_control:
                ended = pending.pop(transaction, {})
                found |= ended if _is_commit(batch) else {}
            else:
                target = pending[transaction] if header.is_transactional else found
                target |= _offsets_in(batch)
    except DecodeError as error:
        raise WireError(f"{OFFSETS_LOG} cannot be read: {error}") from None
    return {place: value for place, value in found.items() if value is not None}


def _is_commit(batch: bytes) -> bool:
    """Return whether a control batch commits; one that compaction has emptied does not matter."""
    return any(
        parse_control_type(record.key) is ControlRecordType.COMMIT for record in records_of(batch)
    )


def _offsets_in(batch: bytes) -> dict[CommittedPartition, OffsetAndMetadata | None]:
    offsets: dict[CommittedPartition, OffsetAndMetadata | None] = {}
    for each in records_of(batch):
        record = read_record(each.key, each.value, each.offset)
        if isinstance(record, OffsetRecord):
            place = CommittedPartition(record.group_id, *record.partition)
            offsets[place] = record.value
    return offsets
