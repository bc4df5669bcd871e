"""Contexts for settings: protocols, cipher suites, keys."""

import ssl
from dataclasses import replace

import pytest

from mockbroker.errors import SettingsError
from mockbroker.server.tls.authority import Authority
from mockbroker.server.tls.server_context import openssl_name, server_context
from mockbroker.server.tls.tls_settings import ClientAuth, KeyStore, TlsSettings
from tests.support.tls_stores import encrypted_key

AUTHORITY = Authority()
ISSUED = AUTHORITY.issue("broker", ["localhost"])
STORE = KeyStore(ISSUED.certificate_pem, ISSUED.key_pem)
SETTINGS = TlsSettings(STORE, authorities_pem=AUTHORITY.ca_pem)
V12, V13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


@pytest.mark.parametrize(
    ("protocols", "suites", "expected"),
    [
        (("TLSv1.2", "TLSv1.3"), (), (V12, V13)),
        (("TLSv1.2", "TLSv1.1", "TLSv1"), (), (V12, V12)),
        (("TLSv1.3",), (), (V13, V13)),
        (("TLSv1.2", "TLSv1.3"), ("TLS_AES_128_GCM_SHA256",), (V13, V13)),
        (
            ("TLSv1.2", "TLSv1.3"),
            ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",),
            (V12, V12),
        ),
    ],
)
def test_protocols_and_suites_choose_the_versions(
    protocols: tuple[str, ...],
    suites: tuple[str, ...],
    expected: tuple[ssl.TLSVersion, ssl.TLSVersion],
) -> None:
    context = server_context(replace(SETTINGS, protocols=protocols, cipher_suites=suites))
    assert (context.minimum_version, context.maximum_version) == expected


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (replace(SETTINGS, protocols=("TLSv1",)), "supported are TLSv1.2, TLSv1.3"),
        (
            replace(SETTINGS, protocols=("TLSv1.2",), cipher_suites=("TLS_AES_128_GCM_SHA256",)),
            "none of them fits ssl.enabled.protocols",
        ),
        (replace(SETTINGS, cipher_suites=("TLS_NONE",)), "this Python's OpenSSL has none of them"),
        (
            replace(
                SETTINGS,
                key_store=KeyStore(STORE.chain_pem, AUTHORITY.issue("other").key_pem),
            ),
            "the private key is not the one of the certificate",
        ),
        (
            replace(SETTINGS, authorities_pem="nothing", client_auth=ClientAuth.REQUIRED),
            "the certificates cannot be read",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: TlsSettings, why: str) -> None:
    with pytest.raises(SettingsError) as refused:
        server_context(settings)
    assert refused.value.why == why


def test_an_encrypted_key_needs_its_password() -> None:
    key = encrypted_key(ISSUED, "word")
    server_context(replace(SETTINGS, key_store=KeyStore(STORE.chain_pem, key, "word")))
    for password in ("wrong", None):
        store = KeyStore(STORE.chain_pem, key, password)
        with pytest.raises(SettingsError, match=r"or ssl\.key\.password is wrong"):
            server_context(replace(SETTINGS, key_store=store))


@pytest.mark.parametrize(
    ("client_auth", "mode"),
    [
        (ClientAuth.NONE, ssl.CERT_NONE),
        (ClientAuth.REQUESTED, ssl.CERT_OPTIONAL),
        (ClientAuth.REQUIRED, ssl.CERT_REQUIRED),
    ],
)
def test_certificates_of_clients_are_asked_for(
    client_auth: ClientAuth, mode: ssl.VerifyMode
) -> None:
    assert server_context(replace(SETTINGS, client_auth=client_auth)).verify_mode is mode


def test_equal_settings_share_a_context() -> None:
    assert server_context(SETTINGS) is server_context(replace(SETTINGS))
    assert server_context(SETTINGS) is not server_context(replace(SETTINGS, authorities_pem=None))


def test_without_a_trust_store_the_authorities_of_the_machine_hold() -> None:
    settings = replace(SETTINGS, authorities_pem=None, client_auth=ClientAuth.REQUIRED)
    assert server_context(settings).verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize(
    ("java", "openssl"),
    [
        ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"),
        ("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"),
        ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"),
        ("TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", "DHE-RSA-AES128-GCM-SHA256"),
    ],
)
def test_suites_have_openssl_names_that_exist(java: str, openssl: str) -> None:
    assert openssl_name(java) == openssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers(openssl)
    assert openssl in {each["name"] for each in context.get_ciphers()}
