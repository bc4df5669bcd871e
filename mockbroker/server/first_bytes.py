"""Detection of HTTP and TLS clients on a Kafka port, by their first bytes."""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from mockbroker.broker.refusal_log import RefusalLog
from mockbroker.events import logging


class Explained(NamedTuple):
    """Reply to a client of another protocol, and the reason for the log."""

    reply: bytes
    why: str


_METHODS: Final = (b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"PATC", b"CONN")
_TLS_HANDSHAKE: Final = b"\x16\x03"
_PAGE: Final = (
    b"This port speaks Kafka's wire protocol, not HTTP.\n"
    b"Point a Kafka client at it: bootstrap.servers=<this host and port>.\n"
)
_HTTP_REPLY: Final = (
    b"HTTP/1.1 421 Misdirected Request\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(_PAGE), _PAGE)
)


def explain_first_bytes(data: bytes) -> Explained | None:
    """Detect a client of another protocol by the first bytes it sent; return None for Kafka.

    As Kafka frames, the letters of an HTTP method and a TLS hello would be absurd sizes (`GET ` is
    1,195,725,856 bytes, TLS 369,295,6xx), with errors that are hard to understand.
    """
    if data[:4] in _METHODS:
        return Explained(_HTTP_REPLY, "an HTTP request on the Kafka port")
    if data[:2] == _TLS_HANDSHAKE:
        return Explained(
            b"",
            "a TLS hello on a plaintext port: set security.protocol=PLAINTEXT in the client",
        )
    return None


def is_other_protocol(
    data: bytes,
    transport: asyncio.Transport | None,
    who: Callable[[], dict[str, object]],
    refusals: RefusalLog,
) -> bool:
    """Refuse a client of another protocol; return False for one of Kafka's.

    `who` returns the fields of the log line that name the client. A client that connects again and
    again gets a line for its first connection, its tenth, its hundredth.
    """
    explained = explain_first_bytes(data)
    if explained is None or transport is None:
        return False
    peer = transport.get_extra_info("peername")
    if count := refusals.counted("not_kafka", peer[0] if peer else None, explained.why):
        repeated = {} if count == 1 else {"connections": count}
        logging.warning("not_kafka", **who(), why=explained.why, **repeated)
    transport.write(explained.reply)
    transport.close()
    return True
