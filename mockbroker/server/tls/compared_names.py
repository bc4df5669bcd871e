"""Names in a certificate, which the next certificate of a broker has to have, too."""

from collections.abc import Sequence
from typing import NamedTuple

from cryptography.x509 import (
    ExtensionNotFound,
    SubjectAlternativeName,
    load_pem_x509_certificate,
)


class CertificateNames(NamedTuple):
    """Names in a certificate."""

    subject: str
    hosts: Sequence[str]


def names_of_certificate(chain_pem: str) -> CertificateNames:
    """Return the names in the first certificate of a chain.

    Raises:
        ValueError: it is damaged.

    """
    certificate = load_pem_x509_certificate(chain_pem.encode("ascii"))
    try:
        found = certificate.extensions.get_extension_for_class(SubjectAlternativeName)
    except ExtensionNotFound:
        hosts: list[str] = []
    else:
        hosts = sorted(str(name.value) for name in found.value)
    return CertificateNames(certificate.subject.rfc4514_string(), hosts)
