"""Buffer of the responses to requests that arrived together: small ones are written as one."""

from typing import Final

from mockbroker.broker.client_connection import ClientConnection
from mockbroker.broker.outcomes import JOIN_BELOW_BYTES, Parts

FLUSH_ABOVE_BYTES: Final = 256 * 1024


class ResponseBuffer:
    """Responses of a connection that are not written yet."""

    __slots__ = ("_connection", "_size_bytes", "small_responses")

    def __init__(self, connection: ClientConnection) -> None:
        """Write to the transport that the connection has at that time."""
        self._connection = connection
        self.small_responses: list[bytes] = []
        """Responses to write as one; the fast path appends its own."""
        self._size_bytes = 0

    def add(self, parts: Parts) -> None:
        """Join small parts with the responses before; write large ones directly."""
        size_bytes = sum(map(len, parts))
        if size_bytes < JOIN_BELOW_BYTES * len(parts):
            self.small_responses.append(b"".join(parts))
            self._size_bytes += size_bytes
            if self._size_bytes > FLUSH_ABOVE_BYTES:
                self.flush()
            return
        self.flush()
        if self._connection.transport is not None:
            self._connection.transport.writelines(parts)

    def flush(self) -> None:
        """Write what there is."""
        responses = self.small_responses
        if responses:
            if self._connection.transport is not None:
                self._connection.transport.write(
                    responses[0] if len(responses) == 1 else b"".join(responses)
                )
            responses.clear()
            self._size_bytes = 0
