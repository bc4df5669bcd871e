"""Why a TLS handshake failed, in words that say what to do."""

import ssl
from typing import Final

_WHY: Final = {
    "CERTIFICATE_VERIFY_FAILED": "the client's certificate is not valid for the trust store",
    "HTTP_REQUEST": "an HTTP request on a TLS port of Kafka's protocol",
    "NO_SHARED_CIPHER": "client and broker have no cipher suite in common",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": (
        "the client sent no certificate, and ssl.client.auth is required: set ssl.keystore.location"
        " in the client"
    ),
    "UNSUPPORTED_PROTOCOL": "client and broker have no TLS version in common",
}
_NOT_TLS: Final = frozenset(
    {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "UNEXPECTED_MESSAGE", "BAD_RECORD_TYPE"}
)
_UNTRUSTED: Final = ("UNKNOWN_CA", "BAD_CERTIFICATE", "CERTIFICATE_UNKNOWN", "CERTIFICATE_EXPIRED")
INTERNAL_ERROR: Final = bytes.fromhex("15030300020250")
"""Alert in plain text, which Java's TLS sends to a client that does not speak TLS."""


def is_not_tls(error: ssl.SSLError) -> bool:
    """Return whether the client does not speak TLS at all."""
    return getattr(error, "reason", None) in {*_NOT_TLS, "HTTP_REQUEST"}


def why_handshake_failed(error: ssl.SSLError) -> str:
    """Explain an error of a handshake or of a later record."""
    reason = getattr(error, "reason", None) or ""
    if reason in _WHY:
        return _WHY[reason]
    if reason in _NOT_TLS:
        return "not TLS: set security.protocol to SSL or SASL_SSL in the client"
    if reason.endswith(_UNTRUSTED):
        return (
            "the client does not trust the broker's certificate: give it the authority"
            f" (ssl.truststore, ssl.ca.location), or check the host's name ({reason})"
        )
    return reason.lower().replace("_", " ") or str(error)
