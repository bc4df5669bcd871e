"""Contexts of clients, against the context of a broker."""

import ssl

import pytest

from mockbroker.server.tls.authority import process_authority
from mockbroker.server.tls.client_context import client_context
from mockbroker.server.tls.listener_tls import ListenerTls
from tests.support.in_process import Brokers
from tests.support.tls_peer import TlsPeer, listen_with_tls

AUTHORITY = process_authority()


@pytest.fixture
def brokers() -> Brokers:
    found = Brokers()
    found.state.configs.static["listener.name.ssl.ssl.client.auth"] = "required"
    assert isinstance(listen_with_tls(found), ListenerTls)
    return found


def test_a_client_shows_its_certificate(brokers: Brokers) -> None:
    peer = TlsPeer(brokers, client_context(AUTHORITY.ca_pem, AUTHORITY.issue("alice")))
    peer.shake_hands()
    assert peer.tls.get_extra_info("principal") == "User:CN=alice"


def test_a_client_may_have_none(brokers: Brokers) -> None:
    peer = TlsPeer(brokers, client_context(AUTHORITY.ca_pem, None))
    peer.shake_hands()
    with pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"):
        peer.read()


def test_without_an_authority_those_of_the_machine_are_trusted(brokers: Brokers) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        TlsPeer(brokers, client_context(None, None)).shake_hands()
