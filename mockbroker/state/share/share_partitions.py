"""The share partitions that a broker leads, and the sessions of their members (KIP-932).

Rules:

1. A share partition lives as long as its broker leads the partition: it is read from the share
   coordinator at first use, as pending work, and written there with each change.
2. A change that cannot be written is reverted, and the client gets the error.
3. The next acquisition lock to expire has a timer of the cluster.
4. Records that are archived go to the group's dead-letter queue first, if it has one (KIP-1191):
   ARCHIVING is written, then the dead letters as pending work, then ARCHIVED.
"""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.events import SharePlace
from mockbroker.state.log.offset_lookup import LogReader
from mockbroker.state.share.acknowledgement import (
    AcknowledgementBatch,
    acknowledge,
    release_acquired_records,
)
from mockbroker.state.share.dead_letters.dead_letter import ArchivingBatch, DeadLetters
from mockbroker.state.share.dead_letters.dead_letter_queue import (
    DeadLetterHost,
    DeadLetterQueue,
    DeadLetterWriter,
)
from mockbroker.state.share.in_flight_batch import StateChange
from mockbroker.state.share.share_coordinator import (
    FENCED,
    PASSED_ON,
    RETRIABLE,
    ShareCoordinatorHost,
    ShareCoordinators,
    as_answered,
    coordinator_of,
)
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_session import MemberKey, ShareSessions
from mockbroker.state.share.share_settings import ShareSettings, reset_offset, share_settings
from mockbroker.state.share.share_states import WrittenState
from mockbroker.state.share.state_batch import NO_START_OFFSET
from mockbroker.state.share_events import ShareReport
from mockbroker.state.topic.topic import Partition

RETRY_MS: Final = 1000
ATTEMPTS: Final = 5


class SharePartitionHost(ShareCoordinatorHost, ShareCoordinators, DeadLetterHost, Protocol):
    """The part of a cluster that share partitions use; implemented by `ClusterState`."""

    def answered(self, key: Hashable, /) -> None:
        """Report that delayed answers that watch a share partition may be ready."""
        ...


class LedSharePartition:
    """A share partition from its first use on, until its broker no longer leads it."""

    __slots__ = ("attempts", "is_gone", "leader_epoch", "partition", "refusal", "share")

    def __init__(self, partition: Partition) -> None:
        """Start unloaded, in the partition's leader epoch."""
        self.partition: Final = partition
        self.leader_epoch: Final = partition.leader_epoch
        self.share: SharePartition | None = None
        """Its state, once it is loaded."""
        self.refusal: ApiError | None = None
        """The error with which loading has failed."""
        self.attempts = 0
        self.is_gone = False
        """True if it was forgotten; the next fetch loads it again."""


class SharePartitionManager:
    """One broker's share partitions (Kafka's class of the same name). Times in ms since 1970."""

    __slots__ = ("_broker_id", "_entries", "_host", "_reader", "dead_letters", "sessions")

    def __init__(
        self,
        broker_id: int,
        host: SharePartitionHost,
        reader: LogReader,
        dead_letter_writer: DeadLetterWriter,
    ) -> None:
        """Start empty; `reader` finds the offsets of timestamps."""
        self._broker_id: Final = broker_id
        self._host = host
        self._reader: Final = reader
        self._entries: Final[dict[SharePartitionKey, LedSharePartition]] = {}
        self.sessions: Final = ShareSessions()
        self.dead_letters = DeadLetterQueue(broker_id, host, dead_letter_writer)

    def serve(self, host: SharePartitionHost) -> None:
        """Use another state, as when the broker is isolated or rejoins; share sessions go on.

        What was loaded is forgotten: an isolated broker cannot reach the share coordinators.
        """
        if host is not self._host:
            for key in list(self._entries):
                self._forget(key)
            self._host = host
            self.dead_letters = self.dead_letters.replaced_by(host)

    def settings(self, group_id: str) -> ShareSettings:
        """Return the present settings of a group."""
        settings = share_settings(self._host.configs, group_id, self._broker_id)
        if settings.has_dead_letters and not self._host.options.has_dead_letter_queues:
            return settings._replace(has_dead_letters=False)
        return settings

    # Loading

    def open(self, key: SharePartitionKey, partition: Partition) -> LedSharePartition:
        """Return a share partition; the first call begins to load it.

        When it is loaded, or could not be, `answered` is called with its key.

        Raises:
            ApiError: NOT_LEADER_OR_FOLLOWER.

        """
        if partition.leader_id != self._broker_id:
            why = f"broker {partition.leader_id} leads {partition.topic_partition}"
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER, why)
        entry = self.find(key)
        if entry is None:
            entry = self._entries[key] = LedSharePartition(partition)
            name = f"LoadSharePartition {key.coordinator_key}"
            self._host.defer(name, partial(self._load, key, entry))
        return entry

    def find(self, key: SharePartitionKey) -> LedSharePartition | None:
        """Return the entry of a share partition, unless the partition has moved since."""
        entry = self._entries.get(key)
        if entry is None or self._is_led(key, entry):
            return entry
        self._forget(key)
        return None

    def _is_led(self, key: SharePartitionKey, entry: LedSharePartition) -> bool:
        topic = self._host.topics.by_id(key.topic_id)
        return (
            topic is not None
            and topic.partition(key.partition) is entry.partition
            and entry.partition.leader_id == self._broker_id
            and entry.partition.elected_in_epoch <= entry.leader_epoch
        )

    def loaded(self, group_id: str) -> dict[SharePartitionKey, SharePartition]:
        """Return the share partitions of a group that are loaded; this changes nothing."""
        return {
            key: entry.share
            for key, entry in self._entries.items()
            if key.group_id == group_id and entry.share is not None and self._is_led(key, entry)
        }

    def _forget(self, key: SharePartitionKey) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            entry.is_gone = True
        self._host.timers.cancel(self._timer_name(key))
        self._host.answered(key)

    def _load(self, key: SharePartitionKey, entry: LedSharePartition, now_ms: int) -> None:
        if self.find(key) is not entry:
            return
        entry.attempts += 1
        try:
            stored = coordinator_of(self._host, key).read(key, entry.leader_epoch, now_ms)
            entry.share = SharePartition(
                self._start_offset(key, entry, stored.start_offset, now_ms),
                state_epoch=stored.state_epoch,
                loaded=stored.state_batches,
                settings=self.settings(key.group_id),
            )
            report = self.report(key, entry.share)
            if report is not None:
                report.loaded()
        except ApiError as refusal:
            if refusal.code in RETRIABLE and entry.attempts < ATTEMPTS:
                self._host.timers.schedule(
                    self._timer_name(key), now_ms + RETRY_MS, partial(self._load, key, entry)
                )
                return
            entry.refusal = as_answered(refusal, "read")
            self._forget(key)
        else:
            self._write_dead_letters(key, entry.share)
        self._host.answered(key)

    def _start_offset(
        self, key: SharePartitionKey, entry: LedSharePartition, stored_offset: int, now_ms: int
    ) -> int:
        if stored_offset != NO_START_OFFSET:
            return stored_offset
        log = self._host.log_of(entry.partition, now_ms)
        return reset_offset(self.settings(key.group_id).offset_reset, log, self._reader, now_ms)

    # Events

    def report(self, key: SharePartitionKey, share: SharePartition) -> ShareReport | None:
        """Return the report of the next operation on a share partition, if it is observed."""
        reporter = self._host.observation.reporter
        if reporter is None:
            return None
        return ShareReport(reporter, SharePlace(*key, self._broker_id), share)

    # Changes

    def known(self, key: SharePartitionKey) -> SharePartition | None:
        """Return a share partition that is loaded, with the present settings of its group."""
        entry = self.find(key)
        share = None if entry is None else entry.share
        if share is not None:
            share.settings = self.settings(key.group_id)
        return share

    def acknowledge(
        self,
        key: SharePartitionKey,
        member_id: str,
        batches: Sequence[AcknowledgementBatch],
        now_ms: int,
    ) -> None:
        """Acknowledge records that a member has acquired.

        Raises:
            ApiError: UNKNOWN_TOPIC_OR_PARTITION if nobody has fetched from the share partition;
                INVALID_RECORD_STATE, INVALID_REQUEST; the error of the share coordinator.

        """
        share = self.known(key)
        if share is None:
            why = "This server does not host this topic-partition."
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, why)
        report = self.report(key, share)
        try:
            change = acknowledge(share, member_id, batches, now_ms)
            self._write(key, share, change, now_ms)
        finally:
            self.locks_changed(key)
        if report is not None:
            report.acknowledged(member_id, batches, change.batches)

    def release_session(self, member: MemberKey, now_ms: int) -> None:
        """End the session of a member, if it has one, and release the records it has acquired."""
        for topic_id, index in self.sessions.remove(member):
            key = SharePartitionKey(member.group_id, topic_id, index)
            share = self.known(key)
            if share is None:
                continue
            report = self.report(key, share)
            change = release_acquired_records(share, member.member_id, now_ms)
            is_stored = self._write_if_possible(key, share, change, now_ms)
            if report is not None and is_stored:
                report.released(member.member_id, change.batches, is_stored=True)
            self.locks_changed(key)

    def connection_closed(self, connection_id: int, now_ms: int) -> None:
        """End the sessions that began on a connection.

        A group without other sessions is forgotten: its next member reads the states anew.
        """
        for member in self.sessions.of_connection(connection_id):
            self.release_session(member, now_ms)
        group_id = self.sessions.closed(connection_id)
        if group_id is not None:
            for key in [key for key in self._entries if key.group_id == group_id]:
                self._forget(key)

    def _write(
        self, key: SharePartitionKey, share: SharePartition, change: StateChange, now_ms: int
    ) -> None:
        if change.batches:
            entry = self._entries[key]
            try:
                coordinator_of(self._host, key).write(key, _written(share, change, entry), now_ms)
            except ApiError as refusal:
                share.complete(change, is_written=False)
                self._write_dead_letters(key, share)
                answered = as_answered(refusal, "write")
                if refusal.code in FENCED | PASSED_ON:
                    self._forget(key)
                raise answered from refusal
            share.complete(change, is_written=True)
            self._write_dead_letters(key, share)
        self._host.answered(key)

    def _write_if_possible(
        self, key: SharePartitionKey, share: SharePartition, change: StateChange, now_ms: int
    ) -> bool:
        try:
            self._write(key, share, change, now_ms)
        except ApiError:
            # Nobody waits for it; what could not be written is reverted, or written later.
            return False
        return True

    # Dead letters

    def _write_dead_letters(self, key: SharePartitionKey, share: SharePartition) -> None:
        """Write the records that are archived next to the group's dead-letter queue."""
        entry = self._entries.get(key)
        if entry is not None:
            for batch in share.archiving:
                letters = DeadLetters(
                    key.group_id,
                    entry.partition,
                    batch.first_offset,
                    batch.last_offset,
                    batch.state.delivery_count,
                    batch.cause,
                )
                self.dead_letters.enqueue(letters, partial(self._archive, key, entry, share, batch))
        share.archiving.clear()

    def _archive(
        self,
        key: SharePartitionKey,
        entry: LedSharePartition,
        share: SharePartition,
        batch: ArchivingBatch,
        now_ms: int,
    ) -> None:
        report = self.report(key, share)
        change = share.archived(batch)
        if self._entries.get(key) is entry:
            self._write_if_possible(key, share, change, now_ms)
            if report is not None:
                report.start_moved()
            return
        # The group is forgotten, or the partition has moved; a new leader's epoch fences this one.
        with suppress(ApiError):
            coordinator_of(self._host, key).write(key, _written(share, change, entry), now_ms)

    # Locks

    def locks_changed(self, key: SharePartitionKey) -> None:
        """Set the timer of a share partition for its next lock to expire."""
        entry = self._entries.get(key)
        share = None if entry is None else entry.share
        deadline_ms = None if share is None else share.next_deadline_ms()
        if deadline_ms is None:
            self._host.timers.cancel(self._timer_name(key))
        else:
            self._host.timers.schedule(
                self._timer_name(key), deadline_ms, partial(self._expire_locks, key)
            )

    def _expire_locks(self, key: SharePartitionKey, now_ms: int) -> None:
        share = self.known(key)
        if share is not None:
            self._release(key, share, share.expire_locks(now_ms), now_ms)

    def end_locks(self, key: SharePartitionKey, member_id: str | None, now_ms: int) -> int:
        """Let all locks expire at once, or those of a member; return the number of records."""
        share = self.known(key)
        if share is None:
            return 0
        return self._release(key, share, share.end_locks(member_id), now_ms)

    def _release(
        self,
        key: SharePartitionKey,
        share: SharePartition,
        changes: Iterable[StateChange],
        now_ms: int,
    ) -> int:
        """Write releases of locked records, and return the number of records."""
        number = 0
        report = self.report(key, share)
        for change in changes:
            is_stored = self._write_if_possible(key, share, change, now_ms)
            if report is not None:
                report.released(None, change.batches, is_stored=is_stored)
            number += sum(last - first + 1 for first, last, *_ in change.batches)
        self.locks_changed(key)
        return number

    def _timer_name(self, key: SharePartitionKey) -> str:
        return f"SharePartition {self._broker_id} {key.coordinator_key}"


def _written(share: SharePartition, change: StateChange, entry: LedSharePartition) -> WrittenState:
    window = change.start_offset, change.delivery_complete_count
    return WrittenState(share.state_epoch, entry.leader_epoch, *window, change.batches)
