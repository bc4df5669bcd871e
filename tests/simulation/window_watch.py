"""Watch of sequences: the next batch is accepted, and a retry of the last five is recognised.

The watch remembers the batches that brokers report as appended. It forgets them where Kafka may:
with another leader, a truncation, or the expiry of a producer. Answers of faults are ignored.
"""

from collections import deque
from typing import Final, NamedTuple

from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import AnswerGiven, BatchProduced, Event, FaultStruck
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceRequest, ProduceResponse
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.events import (
    BatchAppended,
    LeaderElected,
    LogPosition,
    LogTruncated,
    ProducersExpired,
)
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE
from tests.support.in_process import Brokers

_TOPIC: Final = "orders"
_WINDOW: Final = 5
_REFUSALS: Final = frozenset(
    {ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID}
)


class _Batch(NamedTuple):
    producer_epoch: int
    base_sequence: int
    last_offset_delta: int
    base_offset: int


class _Place(NamedTuple):
    leader_id: int
    """A former leader that is isolated goes on."""
    partition: int
    producer_id: int


class WindowWatch:
    """Checks the answers to retries in one topic."""

    def __init__(self, brokers: Brokers) -> None:
        self._windows: Final[dict[_Place, deque[_Batch]]] = {}
        self._struck: Final[set[int]] = set()
        self._broken: Final[list[str]] = []
        subscribe(brokers.service, self._on_event)

    def look(self) -> None:
        """Report what the events since the last look have shown."""
        assert not self._broken, self._broken[0]

    def _on_event(self, event: Event) -> None:
        match event:
            case BatchProduced(log=log) if event.sender.topic == _TOPIC:
                self._appended(log, BatchHeader(*event.fields), event.base_offset)
            case BatchAppended(log=log, header=header) if log.topic == _TOPIC:
                if event.is_duplicate:
                    self._check_offset(log, header, event.base_offset)
                else:
                    self._appended(log, header, event.base_offset)
            case FaultStruck(call=call):
                self._struck.add(call.number)
            case AnswerGiven(request=ProduceRequest()):
                if event.call.number not in self._struck:
                    self._answered(event)
            case LeaderElected() | LogTruncated() | ProducersExpired() if event.topic == _TOPIC:
                self._windows.clear()
            case _:
                pass

    def _appended(self, log: LogPosition, header: BatchHeader, base_offset: int) -> None:
        if header.producer_id < 0:
            return
        place = _Place(log.leader_id, log.partition, header.producer_id)
        window = self._windows.setdefault(place, deque(maxlen=_WINDOW))
        if window and window[-1].producer_epoch != header.producer_epoch:
            window.clear()
        window.append(
            _Batch(
                header.producer_epoch, header.base_sequence, header.last_offset_delta, base_offset
            )
        )

    def _find(self, leader_id: int, partition: int, header: BatchHeader) -> _Batch | None:
        wanted = (header.producer_epoch, header.base_sequence, header.last_offset_delta)
        window = self._windows.get(_Place(leader_id, partition, header.producer_id), ())
        return next((each for each in window if each[:3] == wanted), None)

    def _check_offset(self, log: LogPosition, header: BatchHeader, base_offset: int) -> None:
        known = self._find(log.leader_id, log.partition, header)
        if known is not None and known.base_offset != base_offset:
            self._broken.append(
                f"a retry was answered with another offset: {base_offset} for {known}"
            )

    def _answered(self, event: AnswerGiven) -> None:
        request, response = event.request, event.response
        if not isinstance(request, ProduceRequest) or not isinstance(response, ProduceResponse):
            return
        for topic, answers in zip(request.topic_data, response.responses, strict=True):
            if topic.name != _TOPIC:
                continue
            for data, answer in zip(topic.partition_data, answers.partition_responses, strict=True):
                if answer.error_code in _REFUSALS and data.records is not None:
                    self._check_refusal(event.call.broker, data.index, bytes(data.records))

    def _check_refusal(self, leader_id: int, partition: int, records: bytes) -> None:
        header = parse_batch_header(records)
        known = self._find(leader_id, partition, header)
        if known is not None:
            self._broken.append(f"a retry of one of the last five batches was refused: {known}")
        window = self._windows.get(_Place(leader_id, partition, header.producer_id))
        last = window[-1] if window else None
        if last is not None and header.producer_epoch == last.producer_epoch:
            following = (last.base_sequence + last.last_offset_delta + 1) & MAX_SEQUENCE
            if header.base_sequence == following:
                self._broken.append(f"the batch after the last one was refused: {last}")
