"""Connections of one model client: encoded requests to brokers, decoded responses back."""

from collections import deque
from typing import NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message
from tests.simulation.steps import Lost
from tests.support.in_process import (
    SIZE,
    Brokers,
    Peer,
    read_answer,
)


class _Asked(NamedTuple):
    api_key: ApiKey
    version: int
    correlation_id: int


class Link:
    """One connection: responses arrive in the order of the requests, as brokers promise."""

    def __init__(self, brokers: Brokers, broker_id: int) -> None:
        self._peer = Peer(brokers, broker_id)
        self._asked: deque[_Asked] = deque()
        self._read = 0

    @property
    def is_gone(self) -> bool:
        """True if the broker, or the network, has closed the connection."""
        return self._peer.is_hung_up

    def send(self, request: Message, version: int) -> None:
        """Send a request."""
        assert request.API is not None
        correlation_id = self._peer.send(request, version)
        self._asked.append(_Asked(request.API, version, correlation_id))

    @property
    def has_answer(self) -> bool:
        """True if a complete response can be read."""
        written = self._peer.transport.written
        if len(written) < self._read + SIZE.size:
            return False
        (size_bytes,) = SIZE.unpack_from(written, self._read)
        return len(written) >= self._read + SIZE.size + int(size_bytes)

    def receive(self) -> Message:
        """Read the response to the oldest request.

        Raises:
            Lost: it is the answer to another request.

        """
        written = self._peer.transport.written
        (size_bytes,) = SIZE.unpack_from(written, self._read)
        start = self._read + SIZE.size
        self._read = start + int(size_bytes)
        asked = self._asked.popleft()
        frame = bytes(written[start : self._read])
        kind = response_type(asked.api_key)
        correlation_id, answer = read_answer(frame, asked.api_key, asked.version, kind)
        # An answer that a fault has swallowed without a hang-up: clients give such a connection up.
        if correlation_id != asked.correlation_id:
            raise Lost
        return answer

    def cut(self) -> None:
        """Close the connection at once."""
        self._peer.transport.vanish()


class Links:
    """A client's connections, one for each broker that it uses."""

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._links: dict[int, Link] = {}

    def send(self, broker_id: int, request: Message, version: int) -> None:
        """Send a request, over a new connection if there is none.

        Raises:
            Lost: the broker is down, or has closed the connection before all answers.

        """
        link = self._links.get(broker_id)
        if link is not None and link.is_gone:
            self.give_up(broker_id)
            raise Lost
        if link is None:
            if self._brokers.listeners[broker_id].is_stopping:
                raise Lost
            link = self._links[broker_id] = Link(self._brokers, broker_id)
        link.send(request, version)

    def has_news(self, broker_id: int) -> bool:
        """True if a response, or the end of the connection, has arrived."""
        link = self._links.get(broker_id)
        return link is None or link.has_answer or link.is_gone

    def receive(self, broker_id: int) -> Message:
        """Read the next response.

        Raises:
            Lost: no response has arrived, or the connection is closed; it is given up.

        """
        link = self._links.get(broker_id)
        if link is None or not link.has_answer:
            self.give_up(broker_id)
            raise Lost
        try:
            return link.receive()
        except Lost:
            self.give_up(broker_id)
            raise

    def break_all(self) -> None:
        """Close all connections; the client notices when it next uses them."""
        for link in self._links.values():
            if not link.is_gone:
                link.cut()

    def give_up(self, broker_id: int) -> None:
        """Close the connection to a broker."""
        link = self._links.pop(broker_id, None)
        if link is not None and not link.is_gone:
            link.cut()
