"""Connection of one client: receives bytes, runs the request path, sends the responses.

As in Kafka, a connection serves one request at a time. While a response is delayed, or the client
does not read, further requests stay buffered; if they are many, the transport stops reading. All
connections of a loop receive into one buffer, so an idle one costs next to nothing. A larger frame
has its own buffer, which grows as its bytes arrive (the declared size is not trusted) and may keep
its batches.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from mockbroker.broker.call import ANONYMOUS
from mockbroker.broker.client_connection import ClientConnection
from mockbroker.broker.delayed import MILLISECONDS, DelayedResponse
from mockbroker.broker.outcomes import CloseConnection, Parts, Unanswered
from mockbroker.broker.request_path import DelayedCall, RequestPath
from mockbroker.broker.slices.sliced_work import SlicedWork
from mockbroker.broker.slices.steps import TooManySteps
from mockbroker.events import logging
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.framing import SIZE_BYTES, check_size, read_size
from mockbroker.protocol.headers import first_bytes_of
from mockbroker.protocol.schema.message import Message
from mockbroker.server.client_host import java_address
from mockbroker.server.first_bytes import is_other_protocol
from mockbroker.server.receive_buffer import LargeFrame, begin_large_frame
from mockbroker.server.response_buffer import ResponseBuffer

if TYPE_CHECKING:
    from mockbroker.broker.produce.fast_path.produce_path import ProducePath
    from mockbroker.server.listener import Listener

RECEIVE_BYTES: Final = 256 * 1024
LARGE_FRAME_BYTES: Final = 64 * 1024
PENDING_MAX_BYTES: Final = 1024 * 1024
SLICE_STEPS: Final = 256 * 1024
"""Work on one connection's buffered requests before the others are served, about 7 ms: a step is a
byte on the fast path, and a request on the general path costs as much as many bytes."""
_GENERAL_REQUEST_BYTES: Final = 256
_GENERAL_PATH_STEPS: Final = 16
_PRODUCE: Final = first_bytes_of(ApiKey.PRODUCE)
_END_TXN: Final = first_bytes_of(ApiKey.END_TXN)


class Connection(ClientConnection):
    """Asyncio protocol of one connection."""

    def __init__(self, listener: "Listener") -> None:
        """Serve a client of a listener."""
        self._listener = listener
        self._service = listener.service
        self.life = listener.life
        """Number of the port opening that accepted the connection."""
        self.connection_id = listener.next_connection_id()
        self.request_path: RequestPath = RequestPath(
            listener.service, listener.broker_id, self.connection_id, listener.name
        )
        self._gate = self.request_path.gate = listener.new_gate()
        self._receive_view = listener.receive_view
        self._transport: asyncio.Transport | None = None
        self._pending = b""
        self._large: LargeFrame | None = None
        self._unfinished: DelayedCall | SlicedWork[Parts | DelayedCall | None] | None = None
        """Delayed response, or a large request that is handled in slices."""
        self._is_write_paused = False
        self._is_read_paused = False
        self._is_first_read = True
        self._fast_path: ProducePath | None = None
        self._next_slice: asyncio.Handle | None = None

    @property
    def transport(self) -> asyncio.Transport | None:
        """Transport for the responses; None before the connection is made and after it is lost."""
        return self._transport

    def use_transport(self, transport: asyncio.Transport) -> None:
        """Replace the transport for later writes."""
        self._transport = transport

    # Callbacks of asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport, and register the connection."""
        # uvloop's transports do not derive from asyncio.Transport, but have its methods.
        self._transport = cast("asyncio.Transport", transport)
        self._listener.connections.add(self)
        self.request_path.certificate_principal = transport.get_extra_info("principal", ANONYMOUS)
        peer = transport.get_extra_info("peername")
        if peer:
            self.request_path.client_host = java_address(peer[0])
        if self._service.event_bus is not None:
            self._service.event_bus.connection_opened(*self._ids(), self.request_path.client_host)
        self._service.connections.add(self)
        if self._service.toxics is not None:
            self._service.toxics.connection_came(self)
        if self.is_late():
            self.abort()

    def is_late(self) -> bool:
        """Return True if the port was closed or the cluster was reset after the accept.

        The port may be open again by now.
        """
        listener = self._listener
        is_of_now = self.life == listener.life and self._service is listener.service
        return listener.is_stopping or not is_of_now

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection, and drop its delayed response."""
        self._listener.connections.discard(self)
        self._service.connections.discard(self)
        self._service.connection_closed(self.connection_id)
        if self._service.event_bus is not None:
            self._service.event_bus.connection_closed(*self._ids())
        self._transport = None
        self._pending = b""
        self._large = None
        if self._next_slice is not None:
            self._next_slice.cancel()
        waited, self._unfinished = self._unfinished, None
        if isinstance(waited, DelayedCall):
            self._service.purgatory.remove(waited.delayed)
            if self._service.event_bus is not None:
                self._service.event_bus.answer_lost(waited.call, "gone", "client gone")

    def pause_writing(self) -> None:
        """Stop serving while the client does not read."""
        self._is_write_paused = True

    def resume_writing(self) -> None:
        """Continue serving."""
        self._is_write_paused = False
        self._go_on()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes: the shared one, or the rest of a large frame."""
        return self._receive_view if self._large is None else self._large.room

    def buffer_updated(self, nbytes: int) -> None:
        """Process the received bytes."""
        self._service.read_clock()
        if self._large is not None:
            self._fill_large(nbytes)
            return
        received = self._receive_view[:nbytes]
        if nbytes > LARGE_FRAME_BYTES and not (self._pending or self._is_first_read):
            self._large = begin_large_frame(received, self._max_size_bytes)
            if self._large is not None:
                return
        data = self._pending + received
        if self._is_first_read and len(data) >= SIZE_BYTES:
            self._is_first_read = False
            if is_other_protocol(data, self._transport, self._who, self._service.refusals):
                return
        if self._next_slice is None:
            self._consume(data)
        else:
            self._pending = data  # a toxic may deliver bytes although reading is paused
        if self._service.busy_polling is not None:
            self._service.busy_polling.request_came(
                ends_transaction=data[SIZE_BYTES : SIZE_BYTES + len(_END_TXN)] == _END_TXN
            )

    def eof_received(self) -> bool:
        """Let the transport close the connection."""
        return False

    def close(self) -> None:
        """Close the connection after the buffered data is written."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    # Frames.

    def _consume(self, data: bytes) -> None:
        """Serve the whole frames of the data, at most a slice of them, and keep the rest."""
        position, end, slice_end = 0, len(data), SLICE_STEPS
        out = ResponseBuffer(self)
        is_struck = self._needs_general_path
        while end - position >= SIZE_BYTES and not self._is_blocked():
            if position >= slice_end:
                self._serve_the_others_first()
                break
            after = position if is_struck else self._on_fast_path(data, position, slice_end, out)
            if after > position:
                position = after
                continue
            (size_bytes,) = read_size(data, position)
            start = position + SIZE_BYTES
            stop = start + size_bytes
            if not 0 <= size_bytes <= self._max_size_bytes:
                out.flush()
                self._refuse_size(size_bytes)
                return
            if stop > end:
                if size_bytes > LARGE_FRAME_BYTES:
                    self._large = LargeFrame(size_bytes, memoryview(data)[start:])
                    position = end
                break
            slice_end -= _GENERAL_PATH_STEPS * (size_bytes + _GENERAL_REQUEST_BYTES)
            if not self._serve_frame(data[start:stop], out):
                return
            position = stop
        out.flush()
        self._pending = data[position:]
        if len(self._pending) > PENDING_MAX_BYTES and self._is_blocked():
            self._pause_reading()

    def _on_fast_path(self, data: bytes, position: int, until: int, out: ResponseBuffer) -> int:
        """Answer the next frames on the fast path; return the position after them."""
        fast_path, responses = self._fast_path_of(data, position + SIZE_BYTES), out.small_responses
        return fast_path.answer_frames(data, position, until, responses) if fast_path else position

    def _fast_path_of(self, data: bytes | bytearray, start: int) -> "ProducePath | None":
        """Return the fast path of Produce, which exists from the first Produce request on."""
        if self._fast_path is None and data[start : start + len(_PRODUCE)] == _PRODUCE:
            self._fast_path = self._listener.fast_path(
                self.connection_id, self.request_path.principal
            )
        return self._fast_path

    @property
    def _needs_general_path(self) -> bool:
        """True for faults, awaited events, isolated brokers, ACLs and clients to authenticate."""
        is_gated = self._gate is not None and not self._gate.is_open
        loses_responses = self.request_path.loses_responses
        return is_gated or loses_responses or self._service.needs_general_path

    @property
    def _max_size_bytes(self) -> int:
        max_size_bytes = self._listener.max_size_bytes
        return max_size_bytes if self._gate is None else self._gate.max_size_bytes(max_size_bytes)

    def _is_blocked(self) -> bool:
        loses_requests = self.request_path.loses_requests
        return bool(self._unfinished or self._is_write_paused or self._next_slice or loses_requests)

    def _serve_the_others_first(self) -> None:
        """Go on in the next round of the event loop; until then read nothing, and no end either."""
        self._next_slice = self._service.loop.call_soon(self._serve_next_slice)
        self._pause_reading()

    def _serve_next_slice(self) -> None:
        self._next_slice = None
        self._go_on()

    def _serve_frame(self, frame: bytes | bytearray, out: ResponseBuffer) -> bool:
        try:
            answer = self.request_path.answer(frame)
        except TooManySteps:
            self._serve_in_slices(frame)
            return True
        except CloseConnection as over:
            self._hang_up(over, out)
            return False
        self._take(answer, out)
        return True

    def _take(self, answer: Parts | DelayedCall | None, out: ResponseBuffer) -> None:
        """Send a response, or wait for it."""
        if self._service.toxics is not None:  # a toxic does not affect earlier responses
            out.flush()
            self._service.toxics.connection_came(self)
        if isinstance(answer, DelayedCall):
            self._unfinished = answer
            self._service.purgatory.delay(answer.delayed, self._finish)
        elif answer is not None:
            out.add(answer)
        self._mute(self.request_path.throttle_ms)

    def _mute(self, throttle_ms: int) -> None:
        """Serve a throttled client no more for a while; its response is on its way (KIP-219)."""
        if throttle_ms and self._next_slice is None:
            delay_s = throttle_ms / MILLISECONDS
            self._next_slice = self._service.loop.call_later(delay_s, self._serve_next_slice)
            self._pause_reading()

    def _serve_in_slices(self, frame: bytes | bytearray) -> None:
        work = SlicedWork(partial(self.request_path.answer_in_slices, frame))
        self._unfinished = work
        self._service.slices.add(work, self._finish_slices)

    def _finish_slices(self, work: SlicedWork[Parts | DelayedCall | None]) -> None:
        """Send the response to a large request, and serve the requests after it."""
        if self._transport is None or self._transport.is_closing():
            return
        self._unfinished = None
        out = ResponseBuffer(self)
        try:
            answer = work.result()
        except CloseConnection as over:
            self._hang_up(over, out)
            return
        self._take(answer, out)
        out.flush()
        self._go_on()

    def _finish(self, response: Message | Encoded | DelayedResponse | Unanswered) -> None:
        """Write a delayed response that is complete, and serve the requests after it."""
        if self._transport is None or self._transport.is_closing():
            return  # closed in this round: `connection_lost` reports the lost response
        waited, self._unfinished = self._unfinished, None
        assert isinstance(waited, DelayedCall)
        if isinstance(response, DelayedResponse):
            self._unfinished = DelayedCall(response, waited.request, waited.call)
            self._service.purgatory.delay(response, self._finish)
            return
        out = ResponseBuffer(self)
        try:
            answer = self.request_path.given(response, waited.request, waited.call)
        except CloseConnection as over:
            self._hang_up(over, out)
            return
        if answer is not None:
            out.add(answer)
            out.flush()
            self._mute(waited.call.throttle_ms)
            if waited.delayed.is_last:
                self.close()
        self._go_on()

    def _go_on(self) -> None:
        """Serve pending requests unless blocked or already closing, and resume reading."""
        if self._is_blocked() or self._transport is None or self._transport.is_closing():
            return
        self._service.read_clock()
        if self._large is not None:
            self._serve_large_if_whole()
        elif self._pending:
            self._consume(self._pending)
        if self._is_read_paused and not self._is_blocked():
            self._is_read_paused = False
            self._transport.resume_reading()

    def _pause_reading(self) -> None:
        if not self._is_read_paused and self._transport is not None:
            self._is_read_paused = True
            self._transport.pause_reading()

    # Large frames.

    def _fill_large(self, nbytes: int) -> None:
        assert self._large is not None
        self._large.fill(nbytes)
        if not self._is_blocked():
            self._serve_large_if_whole()
        elif self._large.is_whole:
            self._pause_reading()

    def _serve_large_if_whole(self) -> None:
        if self._large is None or not self._large.is_whole:
            return
        frame, self._large = self._large.data, None
        out = ResponseBuffer(self)
        is_struck = self._needs_general_path
        fast_path = None if is_struck else self._fast_path_of(frame, 0)
        answer = fast_path.answer(frame, 0, len(frame)) if fast_path else None
        if answer is not None:
            out.small_responses.append(answer)
        elif not self._serve_frame(frame, out):
            return
        out.flush()

    # Refusals.

    def _refuse_size(self, size_bytes: int) -> None:
        try:
            check_size(size_bytes, self._max_size_bytes)
        except DecodeError as error:
            self._hang_up(CloseConnection("bad_frame_size", why=error.why), ResponseBuffer(self))

    def _hang_up(self, over: CloseConnection, out: ResponseBuffer) -> None:
        out.flush()
        if self._service.event_bus is not None:
            self._service.event_bus.hung_up(*self._ids(), over.reason, over.fields)
        logging.warning("connection_closed", reason=over.reason, **over.fields, **self._who())
        self.close()

    def _ids(self) -> tuple[int, int]:
        """Return the ids of the broker and the connection for events."""
        return self._listener.broker_id, self.connection_id

    def _who(self) -> dict[str, object]:
        peer = self._transport.get_extra_info("peername") if self._transport else None
        return {
            "broker": self._listener.broker_id,
            "connection": self.connection_id,
            "peer": ":".join(map(str, peer[:2])) if peer else None,
        }
