"""A plain batch that was judged, appended at the least cost.

What the batch's header says comes as the list of its fields, in the order of the wire.
"""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.produce.transaction_verification import Batch, verify
from mockbroker.broker.produce.transactional_produce import operation_of
from mockbroker.broker.service import Service
from mockbroker.events.event_types import Sender
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.records.batch import stamp
from mockbroker.protocol.types import NO_PRODUCER_ID, BatchHeader
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_run import append_producer_batch
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.producer_id_and_epoch import ProducerIdAndEpoch

BATCH_LENGTH: Final = 1
ATTRIBUTES: Final = 5
MAX_TIMESTAMP: Final = 8
PRODUCER_ID: Final = 9
PRODUCER_EPOCH: Final = 10
BASE_SEQUENCE: Final = 11
RECORD_COUNT: Final = 12
"""Where each field stands."""


class PlainAppend:
    """Appends for the requests of one connection that begin alike."""

    __slots__ = ("_sender", "_service", "_transactional_id")

    def __init__(self, service: Service, sender: Sender) -> None:
        """Append what comes of a sender."""
        self._service = service
        self._sender = sender
        self._transactional_id = sender.transactional_id

    def is_answered_for(self, fields: list[int]) -> bool:
        """Tell whether a transaction's batch may be appended here: somebody answers for it."""
        return (
            self._transactional_id is not None
            and fields[PRODUCER_ID] > NO_PRODUCER_ID
            and not self._service.cluster.options.fences_first_write
        )

    def append(
        self,
        partition: Partition,
        log: PartitionLog,
        buffer: bytes | memoryview,
        fields: list[int],
        correlation_id: int,
    ) -> int | None:
        """Append a batch, and return its base offset; None where it is a retry, or refused.

        A copy of ours is stamped already, one that stays where it was received is not.
        """
        service = self._service
        base_offset = log.log_end_offset
        if not (
            self._append_usual(partition, log, buffer, fields)
            or self._append_unusual(partition, log, buffer, fields)
        ):
            return None
        if type(buffer) is memoryview:
            stamp(buffer, 0, base_offset, partition.leader_epoch)
        if service.parking.waiting:
            service.parking.touch(partition)
        if service.evidence is not None:
            service.evidence.batch_produced(
                self._sender, correlation_id, partition, fields, base_offset
            )
        return base_offset

    def _append_usual(
        self, partition: Partition, log: PartitionLog, buffer: bytes | memoryview, fields: list[int]
    ) -> bool:
        """Append where that is all to be done; else change nothing."""
        if fields[PRODUCER_ID] <= NO_PRODUCER_ID:
            return log.append_plain(
                buffer,
                fields[MAX_TIMESTAMP],
                fields[RECORD_COUNT],
                leader_epoch=partition.leader_epoch,
                now_ms=self._service.now_ms,
            )
        return append_producer_batch(
            log,
            buffer,
            fields[MAX_TIMESTAMP],
            fields[RECORD_COUNT],
            producer_id=fields[PRODUCER_ID],
            producer_epoch=fields[PRODUCER_EPOCH],
            base_sequence=fields[BASE_SEQUENCE],
            is_transactional=fields[ATTRIBUTES] != 0,
            leader_epoch=partition.leader_epoch,
            now_ms=self._service.now_ms,
        )

    def _append_unusual(
        self, partition: Partition, log: PartitionLog, buffer: bytes | memoryview, fields: list[int]
    ) -> bool:
        """Append where there is more to do, unless that is for the pipeline."""
        guard: VerificationGuard | None = None
        try:
            if fields[ATTRIBUTES]:
                if self._service.evidence is not None:
                    return False  # what the coordinator does is told after its request came
                guard = self._verification_guard(partition, fields)
            info = log.append(
                BatchHeader(*fields),
                buffer,
                leader_epoch=partition.leader_epoch,
                now_ms=self._service.now_ms,
                verification_guard=guard,
            )
        except ApiError:
            return False
        return not info.is_duplicate

    def _verification_guard(
        self, partition: Partition, fields: list[int]
    ) -> VerificationGuard | None:
        """Have the coordinator asked about a transaction's batch, where that is needed.

        Raises:
            ApiError: it must not be appended, or only a moment later.

        """
        assert self._transactional_id is not None, "such batches are not plain without one"
        call = Call(
            self._service,
            broker_id=self._sender.broker,
            connection_id=0,
            api_key=ApiKey.PRODUCE,
            api_version=self._sender.version,
            correlation_id=0,
            client_id=None,
        )
        checked = verify(
            call,
            operation_of(self._sender.version),
            self._transactional_id,
            ProducerIdAndEpoch(fields[PRODUCER_ID], fields[PRODUCER_EPOCH]),
            (Batch(partition, fields[BASE_SEQUENCE]),),
        )
        for code in checked.errors.values():
            raise ApiError(code, "the coordinator says so")
        return checked.guards.get(partition.topic_partition)
