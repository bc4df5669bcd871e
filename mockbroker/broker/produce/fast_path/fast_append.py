"""Append of a valid batch on the fast path when it changes more than the log's end.

Examples are the first batch of a segment, a producer or a transaction. Refused batches and retries
are left to the general path.
"""

from mockbroker.broker.call import Call
from mockbroker.broker.produce.transaction_verification import (
    FirstBatch,
    Question,
    verify_at_once,
)
from mockbroker.broker.produce.transactional_produce import operation_of
from mockbroker.broker.service import Service
from mockbroker.events.event_types import Sender
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.produce_template import Fields
from mockbroker.protocol.records.header_fields import (
    ATTRIBUTES,
    BASE_SEQUENCE,
    PRODUCER_EPOCH,
    PRODUCER_ID,
)
from mockbroker.protocol.types import NO_PRODUCER_ID, TRANSACTIONAL, BatchHeader, Buffer
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch


class PlainAppend:
    """Appends for the requests of one connection that have the same sender fields.

    `fields` are the fields of a batch header, in wire order.
    """

    __slots__ = ("_sender", "_service", "_transactional_id")

    def __init__(self, service: Service, sender: Sender) -> None:
        """Append the batches of a sender."""
        self._service = service
        self._sender = sender
        self._transactional_id = sender.transactional_id

    def may_verify(self, fields: Fields) -> bool:
        """Return True if the coordinator can verify the transaction of a batch."""
        return (
            self._transactional_id is not None
            and fields[PRODUCER_ID] > NO_PRODUCER_ID
            and not self._service.cluster.options.fences_first_write
        )

    def append(
        self, partition: Partition, log: PartitionLog, buffer: Buffer, fields: Fields
    ) -> bool:
        """Append a batch, verified if it is the first of a transaction.

        Return False, and leave the log unchanged, if the general path has to answer.
        """
        guard: VerificationGuard | None = None
        try:
            if fields[ATTRIBUTES] & TRANSACTIONAL:
                service = self._service
                if service.event_bus is not None or service.broker_calls_in_flight:
                    # The coordinator's events must follow the request's, and its questions wait.
                    return False
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

    def _verification_guard(self, partition: Partition, fields: Fields) -> VerificationGuard | None:
        """Verify the transaction of a batch with the coordinator, if that is necessary.

        Raises:
            ApiError: the batch must not be appended, or not yet.

        """
        assert self._transactional_id is not None, "asked in `may_verify`"
        call = Call(
            self._service,
            broker_id=self._sender.broker,
            connection_id=0,
            api_key=ApiKey.PRODUCE,
            api_version=self._sender.version,
            correlation_id=0,
            client_id=None,
        )
        producer = ProducerIdAndEpoch(fields[PRODUCER_ID], fields[PRODUCER_EPOCH])
        checked = verify_at_once(
            call,
            Question(operation_of(self._sender.version), self._transactional_id, producer),
            (FirstBatch(partition, fields[BASE_SEQUENCE]),),
        )
        for code in checked.errors.values():
            raise ApiError(code, "the coordinator refuses it")
        return checked.guards.get(partition.topic_partition)
