"""Acknowledgement and release of acquired records (KIP-932, KIP-1222).

A request that is refused changes no state: what its first batches changed is reverted. Locks that
it renewed before stay renewed, as in Kafka.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.share.dead_letters.dead_letter import ArchivingBatch
from mockbroker.state.share.dead_letters.dead_letter import DeadLetterCause as _Cause
from mockbroker.state.share.in_flight_batch import InFlightBatch, StateChange, as_written
from mockbroker.state.share.in_flight_state import NO_MEMBER, InFlightState
from mockbroker.state.share.record_state import (
    STATE_OF_ACKNOWLEDGEMENT,
    AcknowledgeType,
    RecordState,
)
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.state_batch import StateBatch

_TYPES: Final = frozenset(AcknowledgeType)
_NOT_ACQUIRED: Final = "The batch cannot be acknowledged. The batch is not in the acquired state."
_OFFSET_NOT_ACQUIRED: Final = "The offset cannot be acknowledged. The offset is not acquired."
_NOT_IN_CACHE: Final = (
    "Batch record not found. The request batch offsets are not found in the cache."
)
_FIRST_IS_PAST: Final = (
    "Batch record not found. The first offset in request is past acquired records."
)
_LAST_IS_PAST: Final = (
    "Batch record not found. The last offset in request is past acquired records."
)
_NOT_RENEWABLE: Final = "Renewing acquisition locks is not enabled for the group."


class AcknowledgementBatch(NamedTuple):
    """What a member reports of a range of offsets (Kafka's `ShareAcknowledgementBatch`)."""

    first_offset: int
    last_offset: int
    types: Sequence[int]
    """One `AcknowledgeType` for all offsets, or one for each."""

    def type_of(self, offset: int) -> int:
        """Return the acknowledgement of one offset."""
        return self.types[offset - self.first_offset if len(self.types) > 1 else 0]


def acknowledge(
    partition: SharePartition,
    member_id: str,
    batches: Sequence[AcknowledgementBatch],
    now_ms: int,
) -> StateChange:
    """Begin the acknowledgement of records by a member; return what is to be written.

    Raises:
        ApiError: INVALID_RECORD_STATE, INVALID_REQUEST.

    """
    transitions = _Transitions(partition, member_id, now_ms)
    try:
        for batch in batches:
            transitions.acknowledge(batch)
    except ApiError:
        transitions.revert()
        raise
    return transitions.change()


def release_acquired_records(partition: SharePartition, member_id: str, now_ms: int) -> StateChange:
    """Begin the release of all records that a member has acquired, as when its session ends."""
    transitions = _Transitions(partition, member_id, now_ms)
    transitions.release()
    return transitions.change()


class _Transitions:
    """The transitions that a request has started."""

    __slots__ = ("_archiving", "_batches", "_member_id", "_now_ms", "_partition", "_states")

    def __init__(self, partition: SharePartition, member_id: str, now_ms: int) -> None:
        self._partition: Final = partition
        self._member_id: Final = member_id
        self._now_ms: Final = now_ms
        self._batches: Final[list[StateBatch]] = []
        self._states: Final[list[InFlightState]] = []
        self._archiving: Final[list[ArchivingBatch]] = []

    def change(self) -> StateChange:
        change = self._partition.change(self._batches, self._states)
        return change._replace(archiving=self._archiving)

    def revert(self) -> None:
        if self._states:
            self._partition.complete(self.change(), is_written=False)

    def acknowledge(self, batch: AcknowledgementBatch) -> None:
        if not _TYPES.issuperset(batch.types):
            types = ", ".join(map(str, batch.types))
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Invalid acknowledge type: [{types}]")
        start_offset = self._partition.start_offset
        if batch.last_offset < start_offset:
            # The log has deleted these records, or they are done.
            return
        for in_flight in self._found(batch):
            if in_flight.last_offset >= start_offset:
                self._acknowledge_batch(batch, in_flight)

    def _found(self, batch: AcknowledgementBatch) -> list[InFlightBatch]:
        partition = self._partition
        floor = partition.batches.floor(batch.first_offset)
        if floor is None and partition.begins_within(batch.first_offset, batch.last_offset):
            floor = partition.batches.floor(partition.start_offset)
        if floor is None:
            raise ApiError(ErrorCode.INVALID_RECORD_STATE, _NOT_IN_CACHE)
        found = partition.batches.between(floor.first_offset, batch.last_offset)
        if found[-1].last_offset < batch.first_offset:
            raise ApiError(ErrorCode.INVALID_REQUEST, _FIRST_IS_PAST)
        if batch.last_offset > found[-1].last_offset:
            raise ApiError(ErrorCode.INVALID_REQUEST, _LAST_IS_PAST)
        return found

    def _acknowledge_batch(self, batch: AcknowledgementBatch, in_flight: InFlightBatch) -> None:
        first, last = in_flight.first_offset, in_flight.last_offset
        is_whole = (
            in_flight.is_within(batch.first_offset, batch.last_offset)
            and len(batch.types) == 1
            and not self._partition.begins_within(first, last)
        )
        if in_flight.offsets is None:
            self._check_whole(in_flight.state)
            if is_whole:
                self._acknowledge_range(batch.types[0], first, last, in_flight.state)
                return
            self._partition.split(in_flight)
        for offset, _, state in in_flight.states():
            if offset > batch.last_offset:
                break
            if offset >= batch.first_offset and offset >= self._partition.start_offset:
                self._check_offset(state)
                self._acknowledge_range(batch.type_of(offset), offset, offset, state)

    def _check_whole(self, state: InFlightState) -> None:
        # Only acquired records have a member.
        if state.member_id == NO_MEMBER:
            raise ApiError(ErrorCode.INVALID_RECORD_STATE, _NOT_ACQUIRED)
        if state.member_id != self._member_id:
            why = "Member is not the owner of batch record"
            raise ApiError(ErrorCode.INVALID_RECORD_STATE, why)

    def _check_offset(self, state: InFlightState) -> None:
        if state.state is not RecordState.ACQUIRED:
            raise ApiError(ErrorCode.INVALID_RECORD_STATE, _OFFSET_NOT_ACQUIRED)
        if state.member_id != self._member_id:
            why = "Member is not the owner of offset"
            raise ApiError(ErrorCode.INVALID_RECORD_STATE, why)

    def _acknowledge_range(
        self, acknowledge_type: int, first: int, last: int, state: InFlightState
    ) -> None:
        if acknowledge_type == AcknowledgeType.RENEW:
            if not self._partition.settings.renews_locks:
                raise ApiError(ErrorCode.INVALID_RECORD_STATE, _NOT_RENEWABLE)
            state.clear_lock()
            state.lock = self._partition.lock(first, last, self._now_ms)
            return
        new_state = STATE_OF_ACKNOWLEDGEMENT[AcknowledgeType(acknowledge_type)]
        if acknowledge_type == AcknowledgeType.REJECT:
            new_state = self._partition.settings.state_after_last_delivery
        self._start(new_state, first, last, state)

    def release(self) -> None:
        partition = self._partition
        for batch in partition.batches:
            if (
                batch.offsets is None
                and batch.state.member_id == self._member_id
                and partition.begins_within(batch.first_offset, batch.last_offset)
            ):
                partition.split(batch)
            for first, last, state in batch.states():
                if self._is_releasable(state):
                    self._start(partition.state_after_release(last), first, last, state)

    def _is_releasable(self, state: InFlightState) -> bool:
        # A loaded state may be ACQUIRED by nobody.
        return state.state is RecordState.ACQUIRED and state.member_id in (
            self._member_id,
            NO_MEMBER,
        )

    def _start(self, new_state: RecordState, first: int, last: int, state: InFlightState) -> None:
        partition, settings = self._partition, self._partition.settings
        is_started = state.start_transition(
            new_state, settings.delivery_count_max, settings.state_after_last_delivery
        )
        assert is_started, state.as_text()
        self._states.append(state)
        self._batches.append(as_written(first, last, state))
        if state.state.is_terminal:
            partition.delivery_complete_count += partition.count_from_start(first, last)
        elif state.state is RecordState.ARCHIVING:
            is_rejected = new_state is RecordState.ARCHIVING
            cause = _Cause.CLIENT_REJECT if is_rejected else _Cause.DELIVERY_COUNT_EXCEEDED
            self._archiving.append(ArchivingBatch(first, last, state, cause))
