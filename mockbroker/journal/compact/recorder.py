"""Writes the ledger from what happens in a cluster."""

from collections.abc import Callable
from typing import Any, Final

from mockbroker.broker.service import Service
from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    ClusterEvent,
    Event,
    HungUp,
    RequestCame,
)
from mockbroker.events.produce_outcome import Answer, Appended
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag
from mockbroker.journal.compact.transaction_recorder import (
    FENCING,
    OF_TRANSACTIONS,
    TransactionRecorder,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
)
from mockbroker.protocol.records.batch import HEADER_BYTES, MAGIC_AT, MAGIC_V2, parse_batch_header
from mockbroker.protocol.records.header_fields import ATTRIBUTES, PRODUCER_ID
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import NO_PRODUCER_ID, NO_SEQUENCE, TopicPartition, Uuid
from mockbroker.state.events import (
    BatchAppended,
    LogTruncated,
    TopicDeleted,
    TransactionChanged,
)

_RESET: Final = "reset"
_DELTA_MAX: Final = (1 << 31) - 2
_UNKNOWN: Final = (NO_PRODUCER_ID, -1, NO_SEQUENCE, 0, 0)
_GIVEN: Final = int(Answer.GIVEN)
_UNWANTED: Final = int(Answer.UNWANTED)
_APPENDED: Final = int(Appended.YES)


class LedgerRecorder:
    """Listens to one cluster, and writes its ledger."""

    def __init__(self, ledger: Ledger, service: Service) -> None:
        """Write down what happens from now on."""
        self._ledger = ledger
        self._transactions = TransactionRecorder(ledger)
        self._pending: dict[int, dict[TopicPartition, list[int]]] = {}
        takers: dict[type, Callable[[Any], None]] = {
            AnswerGiven: self._answer_given,
            AnswerLost: self._answer_lost,
            BatchAppended: self._batch_appended,
            BatchProduced: self._batch_produced,
            ClusterEvent: self._event_came,
            HungUp: self._hung_up,
            LogTruncated: self._log_truncated,
            RequestCame: self._request_came,
            TopicDeleted: self._topic_deleted,
            TransactionChanged: self._transactions.changed,
        }
        self._taker_of = takers.get
        self.stop: Final = service.subscribe(self._take)
        """Write nothing more."""
        assert service.event_bus is not None, "somebody listens"
        self._event_bus = service.event_bus

    def _take(self, event: Event) -> None:
        taker = self._taker_of(type(event))
        if taker is not None:
            taker(event)

    # The narrow way: it came, was appended and was answered at once.

    def _batch_produced(self, event: BatchProduced) -> None:
        number, _, sender, fields, base_offset, position = event
        ledger = self._ledger
        ledger.moment = moment = ledger.moment + 1
        ledger.clients[sender.connection] = sender.client_id
        ledger.add(
            number,
            ledger.number_of(TopicPartition(position.topic, position.partition)),
            *fields[PRODUCER_ID:],
            sender.connection,
            self._event_bus.service.now_ms,
            Flag.TRANSACTIONAL if fields[ATTRIBUTES] else 0,
            moment,
            base_offset,
            position.leader_epoch,
            _APPENDED,
            moment,
            _GIVEN if sender.acks else _UNWANTED,
            0,
            moment,
        )

    # The wide way.

    def _request_came(self, event: RequestCame) -> None:
        call, request = event
        if not isinstance(request, ProduceRequest):
            return
        self._ledger.clients[call.connection] = call.client_id
        rows: dict[TopicPartition, list[int]] = {}
        for topic in request.topic_data:
            name = topic.name or self._name_of(topic.topic_id)
            for data in topic.partition_data:
                place = TopicPartition(name, data.index)
                rows[place] = [self._came(call.number, call.connection, place, data)]
        self._pending[call.number] = rows

    def _name_of(self, topic_id: Uuid) -> str:
        topic = self._event_bus.service.cluster.topics.by_id(topic_id)
        return str(topic_id) if topic is None else topic.name

    def _came(
        self, number: int, connection: int, place: TopicPartition, data: PartitionProduceData
    ) -> int:
        ledger = self._ledger
        producer_id, producer_epoch, base_sequence, count, flags = _batch_of(data)
        return ledger.add(
            number,
            ledger.number_of(place),
            producer_id,
            producer_epoch,
            base_sequence,
            count,
            connection,
            self._event_bus.service.now_ms,
            flags,
            ledger.next_moment(),
            -1, -1, 0, 0,
            0, 0, 0,
        )  # fmt: skip

    def _batch_appended(self, event: BatchAppended) -> None:
        """Find the row of what is appended; what the cluster itself writes has none."""
        call, position, header = self._event_bus.serving, event.log, event.header
        rows = self._pending.get(call.number) if call is not None else None
        place = TopicPartition(position.topic, position.partition)
        if rows is None or place not in rows:
            return
        ledger = self._ledger
        index = rows[place][-1]
        if index < 0:
            return
        row = ledger.row(index)
        if row.appended:  # once more, by a fault that doubles requests
            index = ledger.add(*row._replace(flags=row.flags | Flag.REPEATED))
            rows[place].append(index)
        if index >= 0:
            ledger.change(
                index,
                producer_id=header.producer_id,
                producer_epoch=header.producer_epoch,
                base_sequence=header.base_sequence,
                record_count=header.last_offset_delta + 1,
                base_offset=event.base_offset,
                leader_epoch=position.leader_epoch,
                appended=Appended.RETRY if event.is_duplicate else Appended.YES,
                appended_at=ledger.next_moment(),
            )

    def _answer_given(self, event: AnswerGiven) -> None:
        call, request, response = event
        if call.api is ApiKey.PRODUCE:
            rows = self._pending.pop(call.number, None)
            if rows:
                self._answered(rows, _read(response, call.api, call.version))
        elif call.api in OF_TRANSACTIONS:
            self._transactions.answered(call.api, request, _read(response, call.api, call.version))

    def _answered(self, rows: dict[TopicPartition, list[int]], response: Message | None) -> None:
        ledger = self._ledger
        codes: dict[TopicPartition, int] = {}
        if isinstance(response, ProduceResponse):
            for topic in response.responses:
                name = topic.name or self._name_of(topic.topic_id)
                for answered in topic.partition_responses:
                    codes[TopicPartition(name, answered.index)] = answered.error_code
        moment = ledger.next_moment()
        for place, indexes in rows.items():
            code = codes.get(place)
            for index in indexes:
                if index < 0:
                    continue
                ledger.change(
                    index,
                    answer=Answer.UNWANTED if code is None else Answer.GIVEN,
                    error_code=code or 0,
                    answered_at=moment,
                )
                if code in FENCING:
                    row = ledger.row(index)
                    producer = (None, row.producer_id, row.producer_epoch)
                    self._transactions.refused(producer, ApiKey.PRODUCE, ErrorCode(code))

    def _answer_lost(self, event: AnswerLost) -> None:
        """Note that a client will hear nothing; what was held may still be appended."""
        moment = self._ledger.next_moment()
        for indexes in self._pending.get(event.call.number, {}).values():
            for index in indexes:
                if index >= 0:
                    self._ledger.change(index, answer=Answer.LOST, answered_at=moment)

    # Logs, and the cluster.

    def _event_came(self, event: ClusterEvent) -> None:
        """Forget everything where the cluster begins anew."""
        if event.kind == _RESET:
            self._pending.clear()
            self._ledger.clear()

    def _hung_up(self, event: HungUp) -> None:
        told = ", ".join(f"{name} {value}" for name, value in event.facts.items())
        known, cause = self._ledger.hung_up, (event.reason, told)
        if cause in known or self._ledger.has_room():
            known[cause] = known.get(cause, 0) + 1

    def _log_truncated(self, event: LogTruncated) -> None:
        place = TopicPartition(event.topic, event.partition)
        self._ledger.truncated(place, event.after)

    def _topic_deleted(self, event: TopicDeleted) -> None:
        self._ledger.topic_deleted(event.topic)


def _batch_of(data: PartitionProduceData) -> tuple[int, int, int, int, int]:
    """Read who wrote a batch and how much; what is none, or is of an old format, says nothing."""
    records = data.records
    if records is None or len(records) < HEADER_BYTES or records[MAGIC_AT] != MAGIC_V2:
        return _UNKNOWN
    header = parse_batch_header(records)
    return (
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        min(max(header.last_offset_delta, -1), _DELTA_MAX) + 1,
        Flag.TRANSACTIONAL if header.is_transactional else 0,
    )


def _read(response: Message | Encoded | None, api: ApiKey, version: int) -> Message | None:
    if isinstance(response, Encoded):
        return decode(response_type(api), version, response.body)
    return response
