"""Drives a partition's log and the reference model alike, and compares all that can be seen.

The log is made as a cluster of that release makes it, so the presets are held to the model too.
Each call takes plain numbers, which a generated test or a seeded walk chooses.
"""

from collections.abc import Callable, Sequence

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import pack_batch_header
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_recovery import forget_producers, recover_producers
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.replication_control import NewTopic
from tests.model.generations import Generation
from tests.model.reference_partition import ReferencePartition
from tests.model.reference_values import (
    EPOCH_MAX,
    SEQUENCES,
    Batch,
    Marker,
    Outcome,
)
from tests.state.cluster_building import new_cluster
from tests.state.log_building import batch_header

EXPIRATION_MS = 5_000
RETENTION_MS = 3_000
TRANSACTIONAL = 0x10
LOG = LogConfig(segment_bytes=300, segment_ms=2_000, retention_ms=RETENTION_MS)
VERIFICATIONS = ("none", "new", "latest", "older")


class PartitionDriver:
    """A log with small segments and a short memory, and the model of it."""

    def __init__(self, generation: Generation, first_epoch: int) -> None:
        """Begin empty; producers start with `first_epoch`."""
        self.generation = generation
        self.first_epoch = first_epoch
        self.now_ms = 10_000
        config = {generation.expiration_config: str(EXPIRATION_MS)}
        cluster = new_cluster(generation.release, configs=config)
        topic = cluster.create_topic(NewTopic("orders", num_partitions=1, replication_factor=1))
        self.log = cluster.log_of(topic.partitions[0], self.now_ms)
        self.log.reconfigure(LOG)
        self.log.hold_high_watermark()
        self.model = ReferencePartition(generation, expiration_ms=EXPIRATION_MS)
        self.guards: list[tuple[int, VerificationGuard]] = []
        self.sent: list[Batch] = []
        self.stable_offset = 0

    # Batches.

    def produce(
        self,
        *,
        producer_id: int,
        step: int,
        gap: int,
        records: int,
        age_ms: int,
        is_transactional: bool,
        verification: str,
        supports_epoch_bump: bool,
    ) -> str:
        """Produce in the producer's epoch plus `step`, `gap` away from its next sequence."""
        batch = Batch(
            producer_id,
            self.epoch_of(producer_id, step),
            self.sequence_of(producer_id, step, gap),
            records,
            self.now_ms - age_ms,
            is_transactional,
        )
        if is_transactional and verification == "new":
            self.verify(batch, supports_epoch_bump=supports_epoch_bump)
        chosen = {"none": self.guards[:0], "older": self.guards[:-1]}.get(verification, self.guards)
        return self.send(batch, chosen[-1:])

    def retry(self, back: int) -> str:
        """Retry the batch that was appended a number of batches ago."""
        if not self.sent:
            return "nothing to retry"
        return self.send(self.sent[-1 - back % len(self.sent)], self.guards[-1:])

    def append_without_producer(self, records: int) -> None:
        """Append a batch without a producer."""
        header = batch_header(records=records, timestamp_ms=self.now_ms)
        header.base_offset = self.log.log_end_offset
        data = pack_batch_header(header)
        info = self.log.append(header, data, leader_epoch=0, now_ms=self.now_ms)
        assert seen(lambda: info) == self.model.append_without_producer(records)

    def epoch_of(self, producer_id: int, step: int) -> int:
        known = self.model.producers.get(producer_id)
        producer_epoch = self.first_epoch if known is None else known.producer_epoch
        return min(max(producer_epoch + step, 0), EPOCH_MAX)

    def sequence_of(self, producer_id: int, step: int, gap: int) -> int:
        if producer_id not in self.model.producers:
            return [0, 0, SEQUENCES - 2, 5][gap % 4]
        if step:
            return max(gap, 0)
        return (self.model.next_sequence(producer_id) + gap) % SEQUENCES

    def verify(self, batch: Batch, *, supports_epoch_bump: bool) -> None:
        """Start the verification of a transaction, and store the guard."""
        supports_epoch_bump &= self.generation.knows_transaction_version_2
        expected = self.model.start_verification(
            batch.producer_id,
            batch.base_sequence,
            batch.producer_epoch,
            supports_epoch_bump=supports_epoch_bump,
            now_ms=self.now_ms,
        )
        refusal = None
        guard = None
        try:
            guard = self.log.producers.maybe_start_verification(
                batch.producer_id,
                batch.base_sequence,
                batch.producer_epoch,
                supports_epoch_bump=supports_epoch_bump,
                now_ms=self.now_ms,
            )
        except ApiError as error:
            refusal = error.code
        if guard is None:
            assert expected == refusal
            return
        assert isinstance(expected, int)
        assert {number for number, known in self.guards if known is guard} <= {expected}
        self.guards.append((expected, guard))

    def send(self, batch: Batch, chosen: Sequence[tuple[int, VerificationGuard]]) -> str:
        """Append a batch on both sides, and return the outcome."""
        number, guard = chosen[0] if chosen else (None, None)
        header = batch_header(
            records=batch.records,
            timestamp_ms=batch.timestamp_ms,
            producer_id=batch.producer_id,
            producer_epoch=batch.producer_epoch,
            base_sequence=batch.base_sequence,
            attributes=TRANSACTIONAL if batch.is_transactional else 0,
        )
        header.base_offset = self.log.log_end_offset
        before = self.log.as_text()
        outcome = seen(
            lambda: self.log.append(
                header,
                pack_batch_header(header),  # the log looks at nothing else
                leader_epoch=0,
                now_ms=self.now_ms,
                verification_guard=guard,
            )
        )
        assert outcome == self.model.produce(batch, number)
        if outcome.error_code != ErrorCode.NONE or outcome.is_duplicate:
            assert self.log.as_text() == before
            return "duplicate" if outcome.is_duplicate else outcome.error_code.name
        self.sent.append(batch)
        return "appended"

    # Markers.

    def end_transaction(
        self,
        *,
        producer_id: int,
        step: int,
        coordinator_epoch: int,
        is_commit: bool,
        transaction_version: int,
    ) -> str:
        """Write a marker, with or without a transaction, and return the outcome."""
        if not self.generation.knows_transaction_version_2:
            transaction_version = 0
        producer_epoch = self.epoch_of(producer_id, step)
        marker = EndTxnMarker(producer_id, producer_epoch, coordinator_epoch, is_commit)
        header, data = LOG_RECORDS.build_end_txn_marker(
            marker, base_offset=self.log.log_end_offset, leader_epoch=0, timestamp_ms=self.now_ms
        )
        before = self.log.as_text()
        outcome = seen(
            lambda: self.log.append_end_txn_marker(
                marker,
                header,
                data,
                leader_epoch=0,
                now_ms=self.now_ms,
                transaction_version=transaction_version,
            )
        )
        assert outcome == self.model.end_transaction(
            Marker(producer_id, producer_epoch, coordinator_epoch, is_commit, self.now_ms),
            transaction_version=transaction_version,
        )
        if outcome.error_code != ErrorCode.NONE:
            assert self.log.as_text() == before
        return f"marker {outcome.error_code.name}"

    def ask_for_aborted_transactions(self, start: int, length: int) -> str:
        """Ask for those of a range that a read_committed reader may see."""
        first = self.model.log_start_offset
        end = max(first, self.model.last_stable_offset)
        fetch_offset = first + start % (end - first + 1)
        up_to_offset = fetch_offset + length % (end - fetch_offset + 1)
        expected = self.model.aborted_transactions(fetch_offset, up_to_offset)
        aborted = self.log.aborted_transactions(fetch_offset, up_to_offset)
        assert [tuple(each) for each in aborted] == [
            (each.producer_id, each.first_offset, each.last_offset, each.last_stable_offset)
            for each in expected
        ]
        return f"{min(len(expected), 2)} aborted"

    # Time and the log's ends.

    def let_time_pass(self, by_ms: int) -> None:
        """Move the clock; nothing happens by that alone."""
        self.now_ms += by_ms

    def expire(self) -> str:
        """Expire producers."""
        expired = self.log.producers.remove_expired_producers(self.now_ms)
        self.log.producers.remove_expired_verifications(self.now_ms)
        assert sorted(expired) == sorted(self.model.expire(self.now_ms))
        return "expired" if expired else "none expired"

    def advance_high_watermark(self, back: int) -> None:
        """Replicate up to one of the last batches."""
        ends = [written.last_offset + 1 for written in self.model.written[-4:]]
        offset = ends[-1 - back % len(ends)] if ends else 0
        self.log.advance_high_watermark(offset)
        self.model.advance_high_watermark(offset)

    def delete_records(self, keep: int) -> None:
        """Keep at most so many of the records that are committed."""
        offset = max(self.model.log_start_offset, self.model.high_watermark - keep)
        self.log.delete_records(offset)
        self.model.delete_before(offset)

    def apply_retention(self) -> None:
        """Let old segments go; which ones is for the log's own tests."""
        self.log.delete_old_segments(self.now_ms)
        assert self.log.log_start_offset <= self.model.high_watermark
        self.model.delete_before(self.log.log_start_offset)

    # Elections.

    def recover(self) -> None:
        """Elect a replica with producer state from its log only."""
        recover_producers(self.log, LOG_RECORDS, now_ms=self.now_ms)
        self.model.rebuild_from_log()
        self.stable_offset = 0  # what was forgotten may be found to be open

    def forget(self) -> None:
        """Let a replica lead that knows no producers."""
        forget_producers(self.log)
        self.model.forget_producers()

    # What holds at all times.

    def check(self) -> None:
        """Compare offsets, producers and transactions."""
        log, model = self.log, self.model
        assert tuple(log.offsets) == (
            model.log_start_offset,
            model.high_watermark,
            model.log_end_offset,
        )
        assert log.last_stable_offset == model.last_stable_offset
        assert self.stable_offset <= log.last_stable_offset <= log.high_watermark
        self.stable_offset = log.last_stable_offset
        entries = {entry.producer_id: entry for entry in log.producers}
        assert entries.keys() == model.producers.keys()
        for producer_id, known in model.producers.items():
            entry = entries[producer_id]
            first_offset = known.transaction_first_offset
            assert (entry.last_sequence + 1) % SEQUENCES == model.next_sequence(producer_id)
            assert (
                entry.producer_epoch,
                entry.coordinator_epoch,
                entry.last_timestamp_ms,
                entry.current_txn_first_offset,
            ) == (
                known.producer_epoch,
                known.coordinator_epoch,
                known.last_timestamp_ms,
                -1 if first_offset is None else first_offset,
            )
            for producer_epoch in (known.producer_epoch - 1, known.producer_epoch):
                assert log.producers.has_ongoing_transaction(
                    producer_id, producer_epoch
                ) == model.has_ongoing_transaction(producer_id, producer_epoch)


def seen(append: Callable[[], LogAppendInfo]) -> Outcome:
    """Return how an append is answered."""
    try:
        info = append()
    except ApiError as error:
        return Outcome(error.code)
    return Outcome(
        ErrorCode.NONE,
        info.base_offset,
        info.last_offset,
        info.log_append_time_ms,
        info.is_duplicate,
    )
