"""Counts of what clients ask and get, from the events of a cluster: requests, bytes and records.

They are the one source of the counters in `/metrics` and in OpenTelemetry. Nothing is counted
before somebody reads them for the first time. Calls between brokers are not counted.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mockbroker.events.event_bus import EventSource, subscribe
from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    ConnectionOpened,
    Event,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import first_error
from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.records.batch import (
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC_AT,
    MAGIC_V2,
    batch_spans,
    parse_batch_header,
)
from mockbroker.protocol.records.header_fields import BATCH_LENGTH
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Buffer, BufferChain
from mockbroker.state.events import BatchAppended


class AnsweredRequest(NamedTuple):
    """Requests of one API and version that got the same error."""

    api: str
    version: int
    error: str
    """The first error in the response, or `NONE`."""


class UnansweredRequest(NamedTuple):
    """Requests of one API and version that got no response, in the same way."""

    api: str
    version: int
    how: str
    """`hang_up`, `silence` or `gone`."""


class RequestCounts:
    """Counts of one cluster, since they were made."""

    def __init__(self) -> None:
        """Start at zero."""
        self.answered: Final[Counter[AnsweredRequest]] = Counter()
        self.unanswered: Final[Counter[UnansweredRequest]] = Counter()
        self.bytes_in: Final[Counter[str]] = Counter()
        """Bytes of batches appended, by topic, without markers."""
        self.bytes_out: Final[Counter[str]] = Counter()
        """Bytes of records fetched, by topic."""
        self.records_out: Final[Counter[str]] = Counter()
        """Records fetched, by topic; markers count too."""
        self.connections: Final[Counter[int]] = Counter()
        """Connections opened, by broker."""
        self._handlers: Final[Mapping[type[Any], Callable[[Any], None]]] = {
            AnswerGiven: self._answered,
            AnswerLost: self._lost,
            BatchAppended: self._appended,
            BatchProduced: self._produced,
            ConnectionOpened: self._opened,
        }

    def on_event(self, event: Event) -> None:
        """Count an event."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def _answered(self, event: AnswerGiven) -> None:
        call, response = event.call, event.response
        if call.is_between_brokers:
            return
        error = first_error(response) if isinstance(response, Message) else ErrorCode.NONE
        self.answered[AnsweredRequest(call.api.title, call.version, error.name)] += 1
        if isinstance(response, FetchResponse):
            self._fetched(response)

    def _fetched(self, response: FetchResponse) -> None:
        for topic in response.responses:
            if topic.topic:  # the name, also in versions with topic ids
                for partition in topic.partitions:
                    records = partition.records or b""
                    self.bytes_out[topic.topic] += len(records)
                    self.records_out[topic.topic] += _record_count(records)

    def _lost(self, event: AnswerLost) -> None:
        call = event.call
        if not call.is_between_brokers:
            self.unanswered[UnansweredRequest(call.api.title, call.version, event.how)] += 1

    def _appended(self, event: BatchAppended) -> None:
        if not event.is_duplicate:
            self.bytes_in[event.log.topic] += event.header.batch_length + LOG_OVERHEAD_BYTES

    def _produced(self, event: BatchProduced) -> None:
        request = AnsweredRequest(ApiKey.PRODUCE.title, event.sender.version, ErrorCode.NONE.name)
        self.answered[request] += 1
        self.bytes_in[event.log.topic] += event.fields[BATCH_LENGTH] + LOG_OVERHEAD_BYTES

    def _opened(self, event: ConnectionOpened) -> None:
        self.connections[event.broker] += 1


def _record_count(records: Buffer | BufferChain) -> int:
    buffers = records.buffers if isinstance(records, BufferChain) else (records,)
    try:
        return sum(_counted(buffer, *span) for buffer in buffers for span in batch_spans(buffer))
    except DecodeError:  # a fault has corrupted them
        return 0


def _counted(buffer: Buffer, start: int, end: int) -> int:
    if buffer[start + MAGIC_AT] != MAGIC_V2 or end - start < HEADER_BYTES:
        return 1  # a message of an old format
    return parse_batch_header(buffer, start).record_count


def counted_requests(service: EventSource) -> RequestCounts:
    """Count the requests of a service from now on, also after a reset."""
    counts = RequestCounts()
    subscribe(service, counts.on_event)
    return counts
