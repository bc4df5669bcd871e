"""Backend of the recorder that writes the ledger: one compact row per batch, for assertions."""

from collections.abc import Callable
from typing import Any, Final

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    CallId,
    ClusterEvent,
    Event,
    HungUp,
    RequestCame,
)
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import ROWS_MAX, Ledger
from mockbroker.journal.compact.row import Flag
from mockbroker.journal.compact.transaction_recorder import (
    FENCING,
    OF_TRANSACTIONS,
    TransactionRecorder,
)
from mockbroker.journal.recorder import Recorder
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
_NUMBER_MAX: Final = (1 << 32) - 3
"""The highest event number that fits into a row."""
_DELTA_MAX: Final = (1 << 31) - 2
_UNKNOWN: Final = (NO_PRODUCER_ID, -1, NO_SEQUENCE, 0, 0)
_GIVEN: Final = int(ResponseOutcome.GIVEN)
_UNWANTED: Final = int(ResponseOutcome.UNWANTED)
_APPENDED: Final = int(Appended.YES)


class RowRecorder:
    """Writes the ledger of one cluster."""

    def __init__(self, ledger: Ledger, recorder: Recorder) -> None:
        """Attach to a recorder."""
        self._ledger = ledger
        self._recorder: Final = recorder
        self._transactions = TransactionRecorder(ledger)
        self._pending: dict[int, dict[TopicPartition, list[int]]] = {}
        handlers: dict[type, Callable[[Any, int], None]] = {
            AnswerGiven: self._answer_given,
            AnswerLost: self._answer_lost,
            BatchAppended: self._batch_appended,
            BatchProduced: self._batch_produced,
            ClusterEvent: self._cluster_event,
            HungUp: self._hung_up,
            LogTruncated: self._log_truncated,
            RequestCame: self._request_came,
            TopicDeleted: self._topic_deleted,
            TransactionChanged: self._transactions.changed,
        }
        self._handler_of = handlers.get
        recorder.attach(self.on_event)
        self._bus = recorder.bus

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self._ledger

    def stop(self) -> None:
        """Stop writing."""
        self._recorder.detach(self.on_event)

    def reset(self) -> None:
        """Write again, if the ledger was full: a reset of the cluster empties it."""
        if self._ledger.dropped:
            self.stop()
            self._pending.clear()
            self._ledger.clear()
            self._recorder.attach(self.on_event)
            self._bus = self._recorder.bus

    def on_event(self, event: Event, number: int) -> None:
        """Record the parts of an event that concern batches, transactions and logs.

        A full ledger proves nothing, so the events after that are not worth their cost.
        """
        handler = self._handler_of(type(event))
        if handler is None:
            return
        was_full = self._ledger.dropped
        if number > _NUMBER_MAX:
            self._ledger.dropped += 1
        else:
            handler(event, number)
        if self._ledger.dropped and not was_full:
            self._recorder.after_this_event(self._stop_if_full)

    def _stop_if_full(self) -> None:
        if self._ledger.dropped:
            self.stop()

    # The fast path: one event for the request, the append and the response.

    def _batch_produced(self, event: BatchProduced, number: int) -> None:
        call_number, _, sender, fields, base_offset, position = event
        ledger = self._ledger
        ledger.clients[sender.connection] = sender.client_id
        ledger.add(
            call_number,
            ledger.number_of(TopicPartition(position.topic, position.partition)),
            *fields[PRODUCER_ID:],
            sender.connection,
            self._bus.service.now_ms,
            Flag.TRANSACTIONAL if fields[ATTRIBUTES] else 0,
            number,
            base_offset,
            position.leader_epoch,
            _APPENDED,
            number + 1,
            _GIVEN if sender.acks else _UNWANTED,
            0,
            number + 2 if sender.acks else number + 1,
        )

    # The general path.

    def _request_came(self, event: RequestCame, number: int) -> None:
        call, request = event
        if not isinstance(request, ProduceRequest):
            return
        self._ledger.clients[call.connection] = call.client_id
        rows: dict[TopicPartition, list[int]] = {}
        for topic in request.topic_data:
            name = topic.name or self._name_of(topic.topic_id)
            for data in topic.partition_data:
                place = TopicPartition(name, data.index)
                rows[place] = [self._came(number, call, place, data)]
        self._pending[call.number] = rows

    def _name_of(self, topic_id: Uuid) -> str:
        topic = self._bus.service.cluster.topics.by_id(topic_id)
        return str(topic_id) if topic is None else topic.name

    def _came(
        self, number: int, call: CallId, place: TopicPartition, data: PartitionProduceData
    ) -> int:
        ledger = self._ledger
        producer_id, producer_epoch, base_sequence, count, flags = _batch_of(data)
        return ledger.add(
            call.number,
            ledger.number_of(place),
            producer_id,
            producer_epoch,
            base_sequence,
            count,
            call.connection,
            self._bus.service.now_ms,
            flags,
            number,
            -1, -1, 0, 0,
            0, 0, 0,
        )  # fmt: skip

    def _batch_appended(self, event: BatchAppended, number: int) -> None:
        """Update the row of an appended batch; batches of the cluster itself have none."""
        call, position, header = self._bus.serving, event.log, event.header
        rows = self._pending.get(call.number) if call is not None else None
        place = TopicPartition(position.topic, position.partition)
        if rows is None or place not in rows:
            return
        ledger = self._ledger
        index = rows[place][-1]
        if index < 0:
            return
        row = ledger.row(index)
        if row.appended:  # again, by a fault that applies requests twice
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
                appended_at=number,
            )

    def _answer_given(self, event: AnswerGiven, number: int) -> None:
        call, request, response = event
        if call.api is ApiKey.PRODUCE:
            rows = self._pending.pop(call.number, None)
            if rows:
                self._answered(number, rows, _read(response, call.api, call.version))
        elif call.api in OF_TRANSACTIONS and not call.is_between_brokers:
            self._transactions.answered(call.api, request, _read(response, call.api, call.version))

    def _answered(
        self, number: int, rows: dict[TopicPartition, list[int]], response: Message | None
    ) -> None:
        ledger = self._ledger
        codes: dict[TopicPartition, int] = {}
        if isinstance(response, ProduceResponse):
            for topic in response.responses:
                name = topic.name or self._name_of(topic.topic_id)
                for answered in topic.partition_responses:
                    codes[TopicPartition(name, answered.index)] = answered.error_code
        for place, indexes in rows.items():
            code = codes.get(place)
            for index in indexes:
                if index < 0:
                    continue
                ledger.change(
                    index,
                    answer=ResponseOutcome.UNWANTED if code is None else ResponseOutcome.GIVEN,
                    error_code=code or 0,
                    answered_at=number,
                )
                if code in FENCING:
                    row = ledger.row(index)
                    producer = (None, row.producer_id, row.producer_epoch)
                    self._transactions.refused(producer, ApiKey.PRODUCE, ErrorCode(code))

    def _answer_lost(self, event: AnswerLost, number: int) -> None:
        """Record a call without a response; a held request may still be appended."""
        for indexes in self._pending.get(event.call.number, {}).values():
            for index in indexes:
                if index >= 0:
                    self._ledger.change(index, answer=ResponseOutcome.LOST, answered_at=number)

    # Logs, and the cluster.

    def _cluster_event(self, event: ClusterEvent, _number: int) -> None:
        """Delete everything when the cluster is reset."""
        if event.kind == _RESET:
            self._pending.clear()
            self._ledger.clear()

    def _hung_up(self, event: HungUp, _number: int) -> None:
        facts = ", ".join(f"{name} {value}" for name, value in event.facts.items())
        known, why = self._ledger.hung_up, (event.reason, facts)
        if why in known or self._ledger.has_room():
            known[why] = known.get(why, 0) + 1

    def _log_truncated(self, event: LogTruncated, number: int) -> None:
        if event.broker is not None:
            return  # the partition's log has not changed
        place = TopicPartition(event.topic, event.partition)
        self._ledger.truncated(place, number, event.after)

    def _topic_deleted(self, event: TopicDeleted, _number: int) -> None:
        self._ledger.topic_deleted(event.topic)


def _batch_of(data: PartitionProduceData) -> tuple[int, int, int, int, int]:
    """Read producer and size from a batch; empty for invalid bytes and old formats."""
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


def ledger_recorder(recorder: Recorder, rows_max: int | None) -> RowRecorder:
    """Return the writer of a new ledger of at most so many rows, from now on."""
    return RowRecorder(Ledger(ROWS_MAX if rows_max is None else rows_max), recorder)
