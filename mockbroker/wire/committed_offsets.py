"""Offsets that groups have committed, as `__consumer_offsets` has them; nothing is written."""

from collections import defaultdict
from collections.abc import Mapping
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

    Offsets of transactions count from their COMMIT marker on, unless the group has committed, or
    removed, an offset since they were sent: brokers keep what is later in this log.

    Raises:
        WireError: this user may not read the topic, or it is too long.

    """
    found: dict[CommittedPartition, _Stored] = {}
    pending: defaultdict[tuple[int, int], dict[CommittedPartition, _Stored]] = defaultdict(dict)
    try:
        for partition, batch in internal_batches(cluster, OFFSETS_LOG):
            header = parse_batch_header(batch)
            transaction = partition, header.producer_id
            if header.is_control:
                ended = pending.pop(transaction, {})
                _apply(found, ended if _is_commit(batch) else {})
            else:
                target = pending[transaction] if header.is_transactional else found
                _apply(target, _offsets_in(batch))
    except DecodeError as error:
        raise WireError(f"{OFFSETS_LOG} cannot be read: {error}") from None
    return {place: stored.value for place, stored in found.items() if stored.value is not None}


class _Stored(NamedTuple):
    log_offset: int
    """Its position in `__consumer_offsets`."""
    value: OffsetAndMetadata | None
    """None if the offset was removed."""


def _apply(
    known: dict[CommittedPartition, _Stored], coming: Mapping[CommittedPartition, _Stored]
) -> None:
    for place, stored in coming.items():
        if place not in known or known[place].log_offset < stored.log_offset:
            known[place] = stored


def _is_commit(batch: bytes) -> bool:
    """Return whether a control batch commits; one that compaction has emptied does not matter."""
    return any(
        parse_control_type(record.key) is ControlRecordType.COMMIT for record in records_of(batch)
    )


def _offsets_in(batch: bytes) -> dict[CommittedPartition, _Stored]:
    offsets: dict[CommittedPartition, _Stored] = {}
    for each in records_of(batch):
        record = read_record(each.key, each.value, each.offset)
        if isinstance(record, OffsetRecord):
            place = CommittedPartition(record.group_id, *record.partition)
            offsets[place] = _Stored(each.offset, record.value)
    return offsets
