"""Ids of the records in a running cluster that read_committed consumers can read."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mockbroker.audit.cluster.partition_view import chosen_partitions
from mockbroker.broker.stored_records import stored_records
from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.state.cluster_state import ClusterState


class VisibleId(NamedTuple):
    """A record with an id."""

    topic: str
    partition: int
    offset: int
    record_id: str


def visible_ids(
    cluster: ClusterState, identity: RecordIdentity, now_ms: int
) -> Iterator[VisibleId]:
    """Yield the records of all topics that are not internal; those without an id are left out."""
    for partition in chosen_partitions(cluster, None):
        for record in stored_records(cluster, partition, "read_committed", now_ms):
            record_id = identity.of(record)
            if record_id is not None:
                yield VisibleId(record.topic, record.partition, record.offset, record_id)


def waiting_in(cluster: ClusterState, now_ms: int) -> Mapping[tuple[str, int], int]:
    """Return, by topic and partition, the offset from which open transactions block readers."""
    logs = (cluster.log_of(each, now_ms) for each in chosen_partitions(cluster, None))
    return {
        log.topic_partition: log.last_stable_offset
        for log in logs
        if log.last_stable_offset < log.high_watermark
    }
