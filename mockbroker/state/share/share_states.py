"""The persisted states of share partitions, derived from their records.

The records are made here and applied here: `apply` is called for those that were appended and for
those that a new coordinator reads. Fencing uses the highest epochs of all records; the epochs in
the state itself are those of Kafka's `ShareGroupOffset`, which may be lower.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.share.share_log_record import (
    ShareGroupOffset,
    ShareLogRecord,
    SharePartitionKey,
    ShareSnapshot,
    ShareUpdate,
)
from mockbroker.state.share.state_batch import (
    NO_START_OFFSET,
    StateBatch,
    combine_state_batches,
)

NO_LEADER_EPOCH: Final = -1
NO_COUNT: Final = -1
_FENCED_LEADER: Final = "The leader epoch in the request is older than the epoch on the broker."
_FENCED_STATE: Final = "The coordinator rejected the request because the state epoch did not match."


class WrittenState(NamedTuple):
    """What a share-partition leader writes."""

    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    """-1 before version 1 of WriteShareGroupState (KIP-1226)."""
    state_batches: Sequence[StateBatch]


class _State:
    """One share partition."""

    __slots__ = ("leader_epoch", "offset", "state_epoch", "updates")

    def __init__(self, offset: ShareGroupOffset) -> None:
        self.offset = offset
        self.leader_epoch = offset.leader_epoch
        self.state_epoch = offset.state_epoch
        self.updates = 0
        """The number of updates since the last snapshot that they caused."""


class ShareStates:
    """The share partitions in one partition of `__share_group_state`."""

    __slots__ = ("_states",)

    def __init__(self) -> None:
        """Start empty."""
        self._states: dict[SharePartitionKey, _State] = {}

    def __contains__(self, key: SharePartitionKey) -> bool:
        """Return whether a share partition was initialised."""
        return key in self._states

    def get(self, key: SharePartitionKey) -> ShareGroupOffset | None:
        """Return the state of a share partition, if it was initialised."""
        state = self._states.get(key)
        return None if state is None else state.offset

    def keys_of_topic(self, topic_id: Uuid) -> list[SharePartitionKey]:
        """Return the share partitions of a topic."""
        return [key for key in self._states if key.topic_id == topic_id]

    # Checks

    def check_leader_epoch(self, key: SharePartitionKey, leader_epoch: int) -> None:
        """Refuse the leader of an older epoch.

        Raises:
            ApiError: FENCED_LEADER_EPOCH.

        """
        if key in self._states and self._states[key].leader_epoch > leader_epoch:
            raise ApiError(ErrorCode.FENCED_LEADER_EPOCH, _FENCED_LEADER)

    def check_state_epoch(self, key: SharePartitionKey, state_epoch: int) -> None:
        """Refuse a request about an older state.

        Raises:
            ApiError: FENCED_STATE_EPOCH.

        """
        if key in self._states and self._states[key].state_epoch > state_epoch:
            raise ApiError(ErrorCode.FENCED_STATE_EPOCH, _FENCED_STATE)

    # Records

    def initialization(
        self, key: SharePartitionKey, state_epoch: int, start_offset: int, now_ms: int
    ) -> ShareSnapshot:
        """Return the record that begins a state anew."""
        state = self._states.get(key)
        return ShareSnapshot(
            key,
            ShareGroupOffset(
                snapshot_epoch=0 if state is None else state.offset.snapshot_epoch + 1,
                state_epoch=state_epoch,
                leader_epoch=0,
                start_offset=start_offset,
                delivery_complete_count=NO_COUNT if start_offset == NO_START_OFFSET else 0,
                create_timestamp_ms=now_ms,
                write_timestamp_ms=now_ms,
            ),
        )

    def new_leader(
        self, key: SharePartitionKey, leader_epoch: int, now_ms: int, *, updates_max: int
    ) -> ShareLogRecord | None:
        """Return the record of a leader that reads the state; None if its epoch is known."""
        state = self._states[key]
        if state.leader_epoch == leader_epoch:
            return None
        return self._record(
            key, state.offset._replace(leader_epoch=leader_epoch), now_ms, [], updates_max
        )

    def write(
        self, key: SharePartitionKey, written: WrittenState, now_ms: int, *, updates_max: int
    ) -> ShareLogRecord:
        """Return the record of a write; the start offset never moves back.

        After `updates_max` updates (`share.coordinator.snapshot.update.records.per.snapshot`) it is
        a snapshot.
        """
        current = self._states[key].offset
        count = written.delivery_complete_count
        if written.start_offset == current.start_offset:
            count = max(count, current.delivery_complete_count)
        elif written.start_offset < current.start_offset:
            count = current.delivery_complete_count
        changed = current._replace(
            start_offset=max(written.start_offset, current.start_offset),
            delivery_complete_count=count,
        )
        return self._record(key, changed, now_ms, written.state_batches, updates_max)

    def _record(
        self,
        key: SharePartitionKey,
        changed: ShareGroupOffset,
        now_ms: int,
        batches: Sequence[StateBatch],
        updates_max: int,
    ) -> ShareLogRecord:
        state = self._states[key]
        is_snapshot = state.updates >= updates_max
        stored = state.offset.state_batches if is_snapshot else ()
        changed = changed._replace(
            state_batches=tuple(combine_state_batches(stored, batches, changed.start_offset))
        )
        if not is_snapshot:
            return ShareUpdate(key, changed)
        return ShareSnapshot(
            key,
            changed._replace(
                snapshot_epoch=changed.snapshot_epoch + 1,
                create_timestamp_ms=now_ms,
                write_timestamp_ms=now_ms,
            ),
        )

    def apply(self, record: ShareLogRecord, *, updates_max: int) -> None:
        """Apply a record that was appended, or that is read while a coordinator loads."""
        key, value = record
        state = self._states.get(key)
        if value is None:
            self._states.pop(key, None)
            return
        if state is None:
            is_update = isinstance(record, ShareUpdate)
            value = value._replace(state_epoch=0) if is_update else value
            state = self._states[key] = _State(value)
            state.updates = int(is_update)
            return
        state.leader_epoch = max(state.leader_epoch, value.leader_epoch)
        if isinstance(record, ShareUpdate):
            state.offset = _merged(state.offset, value)
            state.updates += 1
            return
        state.state_epoch = max(state.state_epoch, value.state_epoch)
        state.offset = value
        if state.updates >= updates_max:
            state.updates = 0

    def as_text(self) -> Iterator[str]:
        """Show the states in a stable form."""
        for key, state in sorted(self._states.items()):
            yield (
                f"{key.coordinator_key}: {state.offset}, fences leaders before"
                f" {state.leader_epoch} and states before {state.state_epoch},"
                f" {state.updates} updates"
            )


def _merged(current: ShareGroupOffset, update: ShareGroupOffset) -> ShareGroupOffset:
    start_offset, leader_epoch = update.start_offset, update.leader_epoch
    if start_offset == NO_START_OFFSET:
        start_offset = current.start_offset
    if leader_epoch == NO_LEADER_EPOCH:
        leader_epoch = current.leader_epoch
    batches = combine_state_batches(current.state_batches, update.state_batches, start_offset)
    return current._replace(
        start_offset=start_offset,
        leader_epoch=leader_epoch,
        delivery_complete_count=update.delivery_complete_count,
        state_batches=tuple(batches),
    )
