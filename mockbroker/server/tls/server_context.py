"""Python's `ssl.SSLContext` for the settings of a listener."""

import re
import ssl
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mockbroker.errors import SettingsError
from mockbroker.server.tls.tls_settings import ClientAuth, KeyStore, TlsSettings

KEY_STORE: Final = "ssl.keystore.location"
TRUST_STORE: Final = "ssl.truststore.location"
PROTOCOLS: Final = "ssl.enabled.protocols"
CIPHER_SUITES: Final = "ssl.cipher.suites"

_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
"""The older ones are turned off in Java and in OpenSSL, whatever the config says."""
_VERIFY: Final = {
    ClientAuth.NONE: ssl.CERT_NONE,
    ClientAuth.REQUESTED: ssl.CERT_OPTIONAL,
    ClientAuth.REQUIRED: ssl.CERT_REQUIRED,
}
_CONTEXTS_MAX: Final = 16
_TLS_13_SUITE: Final = re.compile(r"TLS_(AES|CHACHA20)_")


@lru_cache(maxsize=_CONTEXTS_MAX)
def server_context(settings: TlsSettings) -> ssl.SSLContext:
    """Return the context for connections that a listener accepts.

    Equal settings share one: clients resume their sessions, and the next cluster starts sooner.

    Raises:
        SettingsError: the certificate, the key, a protocol or a cipher suite cannot be used.

    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _set_protocols(context, settings)
    _set_cipher_suites(context, settings.cipher_suites)
    load_key_store(context, settings.key_store)
    context.verify_mode = _VERIFY[settings.client_auth]
    if settings.client_auth is not ClientAuth.NONE:
        _load_authorities(context, settings.authorities_pem)
    return context


def check_stores(settings: TlsSettings) -> None:
    """Check that the certificate, its key and the authorities can be used.

    Raises:
        SettingsError: one of them cannot.

    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_key_store(context, settings.key_store)
    if settings.authorities_pem is not None:
        _load_authorities(context, settings.authorities_pem)


def _set_protocols(context: ssl.SSLContext, settings: TlsSettings) -> None:
    enabled = [version for name, version in _VERSIONS.items() if name in settings.protocols]
    if not enabled:
        given = ",".join(settings.protocols)
        raise SettingsError(PROTOCOLS, given, f"supported are {', '.join(_VERSIONS)}")
    if settings.cipher_suites:
        is_new = [bool(_TLS_13_SUITE.match(name)) for name in settings.cipher_suites]
        if not any(is_new):
            enabled = [each for each in enabled if each is not ssl.TLSVersion.TLSv1_3]
        if all(is_new):
            enabled = [each for each in enabled if each is ssl.TLSVersion.TLSv1_3]
    if not enabled:
        suites = ",".join(settings.cipher_suites)
        raise SettingsError(CIPHER_SUITES, suites, "none of them fits ssl.enabled.protocols")
    context.minimum_version, context.maximum_version = enabled[0], enabled[-1]


def _set_cipher_suites(context: ssl.SSLContext, names: Sequence[str]) -> None:
    older = [name for name in names if not _TLS_13_SUITE.match(name)]
    if not older:
        return
    try:
        context.set_ciphers(":".join(map(openssl_name, older)))
    except ssl.SSLError:
        raise SettingsError(
            CIPHER_SUITES, ",".join(names), "this Python's OpenSSL has none of them"
        ) from None


def openssl_name(suite: str) -> str:
    """Return OpenSSL's name of a cipher suite of TLS 1.2 that has Java's name.

    >>> openssl_name("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
    'ECDHE-RSA-AES256-GCM-SHA384'
    >>> openssl_name("TLS_RSA_WITH_AES_128_CBC_SHA")
    'AES128-SHA'
    """
    exchange, _, cipher = suite.removeprefix("TLS_").partition("_WITH_")
    cipher = re.sub(r"AES_(128|256)", r"AES\1", cipher).replace("_CBC", "")
    cipher = cipher.replace("CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305")
    parts = [cipher] if exchange == "RSA" else [exchange, cipher]
    return "-".join(part.replace("_", "-") for part in parts)


def load_key_store(context: ssl.SSLContext, store: KeyStore) -> None:
    """Let a context show a certificate, that of a broker or of a client.

    Raises:
        SettingsError: the certificate and the key cannot be read, or do not belong together.

    """
    # Python reads both from files only. The folder is the user's own, and lives for this moment.
    with TemporaryDirectory(prefix="mockbroker-tls-") as folder:
        chain, key = Path(folder, "chain.pem"), Path(folder, "key.pem")
        chain.write_text(store.chain_pem)
        key.write_text(store.key_pem)
        try:
            # Without a password, OpenSSL would ask at the terminal.
            context.load_cert_chain(chain, key, password=lambda: store.key_password or "")
        except ssl.SSLError as error:
            raise SettingsError(KEY_STORE, "(the certificate and its key)", _why(error)) from None


def _why(error: ssl.SSLError) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return "the private key is not the one of the certificate"
    return "the certificate or its key cannot be read, or ssl.key.password is wrong"


def _load_authorities(context: ssl.SSLContext, authorities_pem: str | None) -> None:
    if authorities_pem is None:
        context.load_default_certs(ssl.Purpose.CLIENT_AUTH)
        return
    try:
        context.load_verify_locations(cadata=authorities_pem)
    except ssl.SSLError:
        why = "the certificates cannot be read"
        raise SettingsError(TRUST_STORE, "(the certificates)", why) from None
