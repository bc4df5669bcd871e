"""Brokers without sockets and their clients, on a loop and a clock that the test advances."""

import struct
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar, cast

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.broker.produce.fast_path.produce_path import ProducePath
from mockbroker.broker.service import Service
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix, encode
from mockbroker.protocol.framing import SIZE_BYTES, read_size
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message
from mockbroker.server.connection import RECEIVE_BYTES, Connection
from mockbroker.server.listener import Listener
from mockbroker.state.clock import VirtualClock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.release.options import Options
from mockbroker.state.release.proposals import with_proposals
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition, Topic
from tests.support.fake_transport import FakeTransport
from tests.support.virtual_loop import VirtualLoop

MessageT = TypeVar("MessageT", bound=Message)

NOW_MS: Final = 1_700_000_000_000
CLIENT_ID: Final = "in-process"
SIZE: Final = struct.Struct(">i")


def frame_of(request: Message, version: int, correlation_id: int = 1) -> bytes:
    """Encode a request with its header, without its size."""
    assert request.API is not None
    header = RequestHeader(
        request_api_key=request.API,
        request_api_version=version,
        correlation_id=correlation_id,
        client_id=CLIENT_ID,
    )
    header_version = request_header_version(request.API, version)
    return encode(header, header_version) + encode(request, version)


def sized(frame: bytes) -> bytes:
    """Prefix a frame with its size."""
    return SIZE.pack(len(frame)) + frame


def frames_in(data: bytes | bytearray) -> list[bytes]:
    """Split written bytes into answers, all of which must be complete."""
    frames: list[bytes] = []
    position = 0
    while position < len(data):
        (size_bytes,) = SIZE.unpack_from(data, position)
        position += SIZE.size
        assert size_bytes <= len(data) - position, "an answer is cut off"
        frames.append(bytes(data[position : position + size_bytes]))
        position += size_bytes
    return frames


def read_answer(
    frame: bytes, api_key: ApiKey, version: int, kind: type[MessageT]
) -> tuple[int, MessageT]:
    """Decode an answer, and return its correlation id and body."""
    header_version = response_header_version(api_key, version)
    header, position = decode_prefix(ResponseHeader, header_version, frame)
    answer = decode(response_type(api_key), version, frame, position)
    assert isinstance(answer, kind), answer
    return header.correlation_id, answer


class PortlessListener(Listener):
    """Listener without a port that can be killed and started."""

    def kill(self) -> None:
        """Close all connections, and accept no new ones."""
        self.is_stopping = True
        for connection in list(self.connections):
            connection.abort()

    def reopen(self) -> None:
        """Accept connections again."""
        self.is_stopping = False


class GeneralPathListener(PortlessListener):
    """Listener whose connections use the general path for every request."""

    def fast_path(self, connection_id: int, principal: str) -> ProducePath:
        """Return no fast path."""
        return ProducePath(self.service, self.broker_id, range(0), connection_id, principal)


class CountingListener(PortlessListener):
    """Listener that counts the answers of its connections on the fast path."""

    fast_answers = 0

    def fast_path(self, connection_id: int, principal: str) -> ProducePath:
        """Return a fast path that counts its answers."""
        return cast("ProducePath", CountingPath(self, connection_id, principal))


class CountingPath:
    """Fast path that reports its answers to its listener."""

    def __init__(self, listener: CountingListener, connection_id: int, principal: str) -> None:
        versions = listener.service.routes[ApiKey.PRODUCE].versions
        broker_id = listener.broker_id
        self.path = ProducePath(listener.service, broker_id, versions, connection_id, principal)
        self.listener = listener

    def answer(self, data: bytes | bytearray, start: int, stop: int) -> bytes | None:
        """Answer one frame."""
        answer = self.path.answer(data, start, stop)
        self.listener.fast_answers += answer is not None
        return answer

    def answer_frames(self, data: bytes, position: int, until: int, out: list[bytes]) -> int:
        """Answer frames, and count them; with acks=0 they have no answers."""
        after = self.path.answer_frames(data, position, until, out)
        while position < after:
            position += SIZE_BYTES + read_size(data, position)[0]
            self.listener.fast_answers += 1
        return after


class Brokers:
    """State and service of a cluster without ports; timers and work run only on demand."""

    def __init__(
        self,
        *,
        brokers: int = 1,
        topics: Mapping[str, int] | None = None,
        release: str = "4.4",
        features: Mapping[str, int] | None = None,
        proposals: Sequence[str] = (),
        configs: Mapping[str, str] | None = None,
        fast: bool = True,
    ) -> None:
        self.loop = VirtualLoop()
        self.clock = VirtualClock(NOW_MS)
        self.state = ClusterState(
            with_proposals(Options.for_release(release, features=features), proposals),
            [Broker(node_id=n, host="127.0.0.1", port=9091 + n) for n in range(1, brokers + 1)],
            records=LOG_RECORDS,
            configs=configs,
            now_ms=NOW_MS,
            client_clock=self.clock.clients,
        )
        for name, count in (topics or {}).items():
            self.state.create_topic(NewTopic(name=name, num_partitions=count, replication_factor=1))
        self.service = Service(self.state, self.clock, self.loop.as_loop)
        kind = CountingListener if fast else GeneralPathListener
        buffer = bytearray(RECEIVE_BYTES)
        self.listeners: dict[int, PortlessListener] = {
            n: kind(self.service, n, buffer) for n in self.state.brokers
        }

    def topic(self, name: str) -> Topic:
        """Return an existing topic."""
        topic = self.state.topics.get(name)
        assert topic is not None, name
        return topic

    def partition(self, name: str, index: int = 0) -> Partition:
        """Return an existing partition."""
        return self.topic(name).partitions[index]

    def log_bytes(self, name: str, index: int = 0) -> bytes:
        """Return all bytes of a partition's log, as a fetch would."""
        log = self.state.log_of(self.partition(name, index), NOW_MS)
        found = log.read(log.log_start_offset, max_bytes=1 << 40, up_to_offset=log.log_end_offset)
        return b"".join(found.buffers)

    @property
    def fast_answers(self) -> int:
        """Number of requests answered on the fast path."""
        return sum(
            listener.fast_answers
            for listener in self.listeners.values()
            if isinstance(listener, CountingListener)
        )

    def pass_time(self, by_ms: int) -> None:
        """Advance the loop and the cluster's clock."""
        self.clock.advance(by_ms)
        self.loop.advance(by_ms / 1000)

    def connect(self, broker_id: int = 1) -> "Peer":
        """Open a connection to a broker."""
        return Peer(self, broker_id)

    def ask(
        self, request: Message, version: int, kind: type[MessageT], *, broker_id: int = 1
    ) -> MessageT:
        """Send one request over a new connection, and read the answer."""
        return self.connect(broker_id).ask(request, version, kind)


class Peer:
    """Client side of a connection."""

    def __init__(self, brokers: Brokers, broker_id: int) -> None:
        self._loop = brokers.loop
        self._correlation_id = 0
        self._read = 0
        self.connection = Connection(brokers.listeners[broker_id])
        self.transport = FakeTransport(brokers.loop.as_loop, self.connection)
        self.connection.connection_made(self.transport)

    def feed(self, data: bytes) -> int:
        """Deliver bytes in pieces as large as the connection's buffer.

        Stops when the connection pauses reading, and returns the number of delivered bytes.
        """
        position = 0
        while position < len(data):
            if self.transport.is_reading_paused:
                self._loop.run()  # it goes on reading after what it has
            if self.transport.is_closing() or self.transport.is_reading_paused:
                break
            protocol = self.transport.protocol
            room = memoryview(protocol.get_buffer(-1))
            assert room
            part = data[position : position + len(room)]
            room[: len(part)] = part
            position += len(part)
            protocol.buffer_updated(len(part))
        return position

    def send(self, request: Message, version: int) -> int:
        """Send a request, and return its correlation id."""
        self._correlation_id += 1
        self.feed(sized(frame_of(request, version, self._correlation_id)))
        return self._correlation_id

    def new_frames(self) -> list[bytes]:
        """Return the answers that arrived since the last call."""
        self._loop.run()
        frames = frames_in(self.transport.written[self._read :])
        self._read = len(self.transport.written)
        return frames

    def receive(self, api_key: ApiKey, version: int, kind: type[MessageT]) -> MessageT:
        """Read the only new answer, which belongs to the last request."""
        (frame,) = self.new_frames()
        correlation_id, answer = read_answer(frame, api_key, version, kind)
        assert correlation_id == self._correlation_id
        return answer

    def ask(self, request: Message, version: int, kind: type[MessageT]) -> MessageT:
        """Send a request, and read the answer, which must be sent at once."""
        assert request.API is not None
        self.send(request, version)
        return self.receive(request.API, version, kind)

    @property
    def is_hung_up(self) -> bool:
        """True if the broker closed the connection."""
        return self.transport.is_closing()

    def leave(self) -> None:
        """Close the connection."""
        self.transport.abort()
        self._loop.run()
