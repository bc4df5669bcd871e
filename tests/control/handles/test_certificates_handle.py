"""Certificates that a test issues, expires and renews while clients work."""

import socket
import ssl
from collections.abc import Iterator

import pytest

from mockbroker import ClientAccess, Cluster


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(tls=True, config={"ssl.client.auth": "required"}) as running:
        yield running


def shake_hands(cluster: Cluster, context: ssl.SSLContext) -> None:
    """Connect with TLS 1.2, in which the handshake ends with the word of the broker."""
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    host, port = cluster.bootstrap_servers.split(":")
    with (
        socket.create_connection((host, int(port)), timeout=10) as raw,
        context.wrap_socket(raw, server_hostname="localhost") as secure,
    ):
        assert secure.version() == "TLSv1.2"


def context_with(cluster: Cluster, *, expired: bool = False) -> ssl.SSLContext:
    issued = cluster.certificates.issue("alice", expired=expired)
    config = cluster.client_config("aiokafka", ClientAccess(certificate=issued))
    context = config["ssl_context"]
    assert isinstance(context, ssl.SSLContext)
    return context


def test_an_issued_certificate_is_accepted(cluster: Cluster) -> None:
    shake_hands(cluster, context_with(cluster))


def test_an_expired_certificate_of_a_client_is_refused(cluster: Cluster) -> None:
    with pytest.raises(ssl.SSLError, match="CERTIFICATE_EXPIRED"):
        shake_hands(cluster, context_with(cluster, expired=True))


def test_a_client_refuses_an_expired_certificate_until_it_is_renewed(cluster: Cluster) -> None:
    context = context_with(cluster)
    cluster.certificates.expire()
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        shake_hands(cluster, context)
    cluster.certificates.renew()
    shake_hands(cluster, context)


def test_the_authority_is_in_pem(cluster: Cluster) -> None:
    assert cluster.certificates.ca_pem == cluster.ca_pem
    assert cluster.ca_pem.startswith("-----BEGIN CERTIFICATE-----")
