"""Partitions with records, for the tests of state."""

from mockbroker.protocol.records.batch import build_batch, parse_batch_header, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Partition


def write(
    cluster: ClusterState,
    partition: Partition,
    count: int = 1,
    *,
    keys: tuple[bytes | None, ...] = (),
    values: tuple[bytes | None, ...] = (),
    now_ms: int = 1_000,
) -> int:
    """Append one batch as a leader does, and return its base offset."""
    log = cluster.log_of(partition, now_ms)
    base_offset = log.log_end_offset
    keys = keys or (None,) * count
    values = values or tuple(b"value-%d" % (base_offset + n) for n in range(len(keys)))
    records = [
        Record(offset=base_offset + n, timestamp=now_ms, key=key, value=value)
        for n, (key, value) in enumerate(zip(keys, values, strict=True))
    ]
    data = bytearray(build_batch(records))
    stamp(data, 0, base_offset, partition.leader_epoch)
    header = parse_batch_header(data, 0)
    log.append(header, data, leader_epoch=partition.leader_epoch, now_ms=now_ms)
    return base_offset
