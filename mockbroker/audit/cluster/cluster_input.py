"""Input of the audit's rules from a running cluster: its compact rows and its logs."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.cluster.partition_view import (
    PartitionSnapshot,
    chosen_partitions,
    partition_view,
)
from mockbroker.audit.cluster.suspect_partitions import late_producers, suspect_partitions
from mockbroker.audit.log_evidence import (
    Decided,
    Extent,
    LogEvidence,
    LogTruncation,
    by_producer,
)
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag, Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.types import TimestampType, TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.open_transactions import open_transactions
from mockbroker.state.topic.topic import Partition

_ENDED: Final = frozenset({"committed", "aborted"})
_NOTHING_READ: Final = 1 << 62
# Conversions to enums are slow for many rows.
_APPENDED: Final = tuple(sorted(Appended))
_ANSWERS: Final = tuple(sorted(ResponseOutcome))
_TRANSACTIONAL: Final = int(Flag.TRANSACTIONAL)
_REPEATED: Final = int(Flag.REPEATED)


class ClusterInput(NamedTuple):
    """Partitions with anything irregular, and the transaction events of the ledger."""

    logs: Sequence[LogEvidence]
    decisions: Sequence[Decision]
    epochs: Sequence[EpochGiven]
    views: Callable[[LogEvidence], PartitionSnapshot]
    """Returns the present view of a partition."""
    late: frozenset[int] = frozenset()
    """The producers that may have written too late; rules decide about their writes."""


def read_cluster(
    ledger: Ledger, cluster: ClusterState, topic: str | None, now_ms: int
) -> ClusterInput:
    """Return the input of the rules for a topic, or for all topics that are not internal.

    It is valid until the cluster processes anything else.

    Raises:
        LookupError: there is no such topic.

    """
    partitions = {
        partition.topic_partition: partition for partition in chosen_partitions(cluster, topic)
    }
    extents = {
        number: _extent(cluster.log_of(partitions[place], now_ms))
        for number, place in enumerate(ledger.places)
        if place in partitions and number not in ledger.gone
    }
    reader, late = _Reader(ledger, cluster, now_ms), frozenset(late_producers(ledger))

    @cache
    def view(place: TopicPartition) -> PartitionSnapshot:
        return partition_view(cluster, partitions[place], open_transactions(cluster), now_ms)

    def view_of(log: LogEvidence) -> PartitionSnapshot:
        return view(TopicPartition(log.topic, log.partition))

    return ClusterInput(
        logs=[
            reader.evidence(number, partitions[ledger.places[number]], extents[number], attempts)
            for number, attempts in reader.attempts(extents, late).items()
        ],
        decisions=ledger.decisions,
        epochs=ledger.epochs,
        views=view_of,
        late=late,
    )


class _Reader:
    """Builds the evidence of partitions from rows and logs."""

    def __init__(self, ledger: Ledger, cluster: ClusterState, now_ms: int) -> None:
        self._ledger = ledger
        self._cluster = cluster
        self._now_ms = now_ms
        self._decisions = by_producer(
            Decided(each.order, each.producer_id, each.producer_epoch, each.is_commit)
            for each in ledger.decisions
        )

    def attempts(
        self, extents: Mapping[int, Extent], late: frozenset[int]
    ) -> dict[int, list[Attempt]]:
        """Return the attempts for the partitions that have an extent and an irregularity."""
        ledger = self._ledger
        irregular = suspect_partitions(ledger, extents)
        found: defaultdict[int, list[Attempt]] = defaultdict(list)
        if late:
            rows = (row.place for row in ledger if row.producer_id in late)
            irregular.update(number for number in rows if number in extents)
        for row in ledger if irregular else ():
            if row.place in irregular:
                found[row.place].append(attempt_of(row, ledger.clients))
        for attempts in found.values():
            attempts.sort(key=lambda each: each.came_at)
        return dict(sorted(found.items()))

    def evidence(
        self, number: int, partition: Partition, extent: Extent, attempts: Sequence[Attempt]
    ) -> LogEvidence:
        """Return the evidence of one partition."""
        cluster, now_ms = self._cluster, self._now_ms
        contents = _Contents(cluster.log_of(partition, now_ms))

        def identities(attempt: Attempt, last: int) -> Sequence[tuple[int, int, Hashable]]:
            return contents.between(attempt.base_offset, last)

        def ends() -> dict[int, bool]:
            view = partition_view(cluster, partition, [], now_ms)
            return {
                each.base_offset: each.outcome == "committed"
                for each in view.batches
                if each.outcome in _ENDED
            }

        return LogEvidence(
            topic=partition.topic_partition.topic,
            partition=partition.topic_partition.partition,
            attempts=attempts,
            extent=extent,
            identities=identities,
            cuts=[LogTruncation(*each) for each in self._ledger.truncations.get(number, ())],
            decisions=self._decisions,
            ends=ends,
        )


def _extent(log: PartitionLog) -> Extent:
    @cache
    def epoch_end(leader_epoch: int) -> int:
        return log.leader_epochs.end_offset_for(leader_epoch, log.log_end_offset).end_offset

    return Extent(log.log_start_offset, log.log_end_offset, epoch_end)


class _Contents:
    """Identities of a log's records, read in one pass from the first requested offset."""

    def __init__(self, log: PartitionLog) -> None:
        self._log = log
        self._read_from = _NOTHING_READ
        self._identities: dict[int, Hashable] = {}

    def between(self, first: int, last: int) -> list[tuple[int, int, Hashable]]:
        """Return the identities from one offset to another, the last one included."""
        if first < self._read_from:
            self._identities.update(_identities(self._log, first, self._read_from))
            self._read_from = first
        found = self._identities
        return [(each, 1, found[each]) for each in range(first, last + 1) if each in found]


def _identities(log: PartitionLog, start: int, end: int) -> Iterator[tuple[int, Hashable]]:
    for data in batches_of(log, start, min(end, log.log_end_offset)):
        header = parse_batch_header(data)
        is_clients = header.timestamp_type is TimestampType.CREATE_TIME
        for record in () if header.is_control else records_of(data):
            timestamp = record.timestamp if is_clients else None
            yield record.offset, (timestamp, record.key, record.value, tuple(record.headers))


def attempt_of(row: Row, clients: Mapping[int, str | None]) -> Attempt:
    """Convert a row to an attempt; its moments are numbers in the ledger's order."""
    return Attempt(
        call=row.call_number,
        connection=row.connection,
        client_id=clients.get(row.connection),
        came_at=row.came_at,
        producer_id=row.producer_id,
        producer_epoch=row.producer_epoch,
        base_sequence=row.base_sequence,
        record_count=row.record_count,
        is_transactional=row.flags & _TRANSACTIONAL != 0,
        appended=_APPENDED[row.appended],
        appended_at=row.appended_at,
        base_offset=row.base_offset,
        leader_epoch=row.leader_epoch,
        answer=_ANSWERS[row.answer],
        error=ErrorCode(row.error_code).name if row.error_code else None,
        answered_at=row.answered_at,
        is_repeated=row.flags & _REPEATED != 0,
        time_ms=row.now_ms,
    )
