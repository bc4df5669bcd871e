"""Clients that connect with TLS to a listener of the recorded clusters."""

import contextlib
import socket
import ssl
from typing import Final
from warnings import catch_warnings

from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from tests.conformance.stored import Shown
from tests.conformance.talk import Talk
from tests.conformance.tls_stores import AUTHORITY, BROKER, PASSWORD, TRUSTED, client_file
from tests.support.in_process import frame_of, sized

LISTENER: Final = "SSL"
OWN: Final = f"listener.name.{LISTENER.lower()}."
WITH_TLS: Final = {
    "connection.failed.authentication.delay.ms": "0",
    OWN + "ssl.keystore.type": "PKCS12",
    OWN + "ssl.keystore.location": str(BROKER),
    OWN + "ssl.keystore.password": PASSWORD,
    OWN + "ssl.key.password": PASSWORD,
    OWN + "ssl.truststore.type": "PKCS12",
    OWN + "ssl.truststore.location": str(TRUSTED),
    OWN + "ssl.truststore.password": PASSWORD,
}
"""Configs of a listener with TLS that asks for no certificate."""
CLIENT_AUTH: Final = OWN + "ssl.client.auth"
VERSIONS: Final = sized(frame_of(ApiVersionsRequest(), 0))
_PATIENCE_S: Final = 10.0


def client(
    *versions: ssl.TLSVersion, certificate: str | None = None, ciphers: str = "DEFAULT"
) -> ssl.SSLContext:
    """Return a client that offers some versions; without any, 1.2 and 1.3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")  # so that it offers old versions at all
    with catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version = min(versions, default=ssl.TLSVersion.TLSv1_2)
        context.maximum_version = max(versions, default=ssl.TLSVersion.TLSv1_3)
    context.load_verify_locations(AUTHORITY)
    if certificate is not None:
        context.load_cert_chain(client_file(certificate))
    return context


def shake_hands(talk: Talk, title: str, context: ssl.SSLContext) -> None:
    """Connect, send a request, and record how far that came."""
    with _connected(talk) as sock:
        talk.note(title, "TLS handshake, ApiVersions v0", _outcome(sock, context))


def name_of_the_broker(talk: Talk) -> str:
    """Return the subject of the certificate that a new connection is shown."""
    context = client()
    context.check_hostname = False
    with _connected(talk) as sock, context.wrap_socket(sock) as secure:
        certificate = secure.getpeercert() or {}
    return str(certificate["subject"])


def send_bytes(talk: Talk, title: str, data: bytes) -> None:
    """Send bytes to the port, and record what comes back: an alert, or the end."""
    with _connected(talk) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        received = bytearray()
        with contextlib.suppress(ConnectionError):
            while part := sock.recv(1 << 16):
                received += part
        talk.note(title, f"{len(data)} bytes", {"received": bytes(received).hex()})


def _connected(talk: Talk) -> socket.socket:
    return socket.create_connection(talk.listener_address(LISTENER), _PATIENCE_S)


def _outcome(sock: socket.socket, context: ssl.SSLContext) -> Shown:
    try:
        secure = context.wrap_socket(sock, server_hostname="127.0.0.1")
    except (ConnectionError, ssl.SSLError) as error:
        return {"handshake": "refused", "alert": _alert(error), "request": "not sent"}
    (cipher, _, _), version = secure.cipher() or ("", "", 0), secure.version()
    shown = {"handshake": f"{version}, {cipher}", "alert": "none"}
    try:
        secure.sendall(VERSIONS)
        answer = secure.recv(4)
    except (ConnectionError, ssl.SSLError) as error:  # TLS 1.3 refuses certificates only now
        return {**shown, "alert": _alert(error), "request": "refused"}
    finally:
        secure.close()
    return {**shown, "request": "answered" if answer else "refused"}


def _alert(error: OSError) -> str:
    """Return the name of the alert that a broker sent; it may have none."""
    reason = error.reason if isinstance(error, ssl.SSLError) else None
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) or not reason:
        return "none"
    _, found, name = reason.partition("_ALERT_")
    return name.lower() if found else reason.lower()
