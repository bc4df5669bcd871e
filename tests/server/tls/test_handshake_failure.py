"""Explanations of failed handshakes."""

import ssl

import pytest

from mockbroker.server.tls.handshake_failure import is_not_tls, why_handshake_failed


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("WRONG_VERSION_NUMBER", "not TLS: set security.protocol"),
        ("TLSV1_ALERT_UNKNOWN_CA", "the client does not trust the broker's certificate"),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "the client sent no certificate"),
        ("CERTIFICATE_VERIFY_FAILED", "the client's certificate is not valid"),
        ("BAD_SIGNATURE", "bad signature"),
    ],
)
def test_a_reason_of_openssl_is_explained(reason: str, why: str) -> None:
    error = ssl.SSLError(1, f"[SSL: {reason}] text (_ssl.c:1)")
    error.reason = reason
    assert why_handshake_failed(error).startswith(why)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("HTTP_REQUEST", True), ("WRONG_VERSION_NUMBER", True), ("TLSV1_ALERT_UNKNOWN_CA", False)],
)
def test_a_client_that_does_not_speak_tls_is_recognised(reason: str, expected: bool) -> None:
    error = ssl.SSLError(1, f"[SSL: {reason}] text (_ssl.c:1)")
    error.reason = reason
    assert is_not_tls(error) is expected


def test_an_error_without_a_reason_keeps_its_text() -> None:
    assert why_handshake_failed(ssl.SSLError("broken")) == "('broken',)"
