"""Python's `ssl.SSLContext` for a client of a cluster."""

import ssl
from typing import TYPE_CHECKING

from mockbroker.server.tls.server_context import load_key_store
from mockbroker.server.tls.tls_settings import KeyStore

if TYPE_CHECKING:
    from mockbroker.server.tls.authority import IssuedCertificate


def client_context(ca_pem: str | None, certificate: "IssuedCertificate | None") -> ssl.SSLContext:
    """Return a context that trusts an authority, or those of the machine, and shows a certificate.

    Raises:
        SettingsError: the certificate cannot be read.

    """
    context = ssl.create_default_context(cadata=ca_pem)
    if certificate is not None:
        load_key_store(context, KeyStore(certificate.certificate_pem, certificate.key_pem))
    return context
