"""Batches of aborted or undecided transactions that read_committed consumers can read."""

from collections.abc import Iterator
from typing import Final

from mockbroker.audit.cluster.partition_view import chosen_partitions, partition_view
from mockbroker.audit.rules.visibility_rules import Shown
from mockbroker.protocol.records.batch import HEADER
from mockbroker.protocol.records.header_fields import ATTRIBUTES, BASE_OFFSET, PRODUCER_ID
from mockbroker.protocol.types import CONTROL, TRANSACTIONAL
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog

_OF_TRANSACTIONS: Final = TRANSACTIONAL | CONTROL


def wrongly_shown(cluster: ClusterState, topic: str | None, now_ms: int) -> Iterator[Shown]:
    """Yield the batches that read_committed consumers should not be able to read.

    Raises:
        LookupError: there is no such topic.

    """
    for partition in chosen_partitions(cluster, topic):
        if not _may_show(cluster, cluster.log_of(partition, now_ms)):
            continue
        for batch in partition_view(cluster, partition, [], now_ms).batches:
            outcome = batch.outcome
            if batch.is_committed_for_readers and (outcome == "aborted" or outcome == "open"):  # noqa: PLR1714 - it tells the type
                yield Shown(
                    *partition.topic_partition,
                    batch.base_offset,
                    batch.last_offset,
                    batch.producer_id,
                    batch.producer_epoch,
                    outcome,
                )


def _may_show(cluster: ClusterState, log: PartitionLog) -> bool:
    """Return whether the log has an aborted transaction that its index lacks, or an open one."""
    hidden = {(each.producer_id, each.first_offset) for each in log.transaction_index}
    opened: dict[int, int] = {}
    for data in batches_of(log):
        fields = HEADER.unpack_from(data)
        kind, producer_id = fields[ATTRIBUTES] & _OF_TRANSACTIONS, fields[PRODUCER_ID]
        if not kind:
            continue
        if not kind & CONTROL:
            opened.setdefault(producer_id, fields[BASE_OFFSET])
            continue
        first_offset = opened.pop(producer_id, None)
        if first_offset is None or (producer_id, first_offset) in hidden:
            continue
        marker = cluster.records.read_end_txn_marker(data)
        if marker is None or not marker.is_commit:
            return True
    return min(opened.values(), default=log.last_stable_offset) < log.last_stable_offset
