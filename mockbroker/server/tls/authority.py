"""Certificate authority of this process, which lives in memory, and the certificates it issues."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mockbroker.server.tls.tls_settings import IssuedTls, KeyStore

_LIFE: Final = timedelta(days=3650)
_DAY: Final = timedelta(days=1)
_ALWAYS: Final = ("localhost", "127.0.0.1", "::1")
_USAGES: Final = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)


@dataclass(frozen=True, slots=True)
class IssuedCertificate:
    """Certificate with its private key, both in PEM; the key is PKCS#8, not encrypted."""

    certificate_pem: str
    key_pem: str = field(repr=False)


class Authority:
    """Authority with a key of its own, which is never written to a file."""

    def __init__(self) -> None:
        """Generate the key and the certificate of the authority."""
        self._key: Final = generate_private_key(SECP256R1())
        self._name: Final = _name("mockbroker test authority")
        builder = self._builder(self._name, self._key, is_expired=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        builder = builder.add_extension(_key_usage(signs_certificates=True), True)
        certificate = builder.sign(self._key, SHA256())
        self.ca_pem: Final = certificate.public_bytes(Encoding.PEM).decode("ascii")
        """Certificate of the authority, which clients have to trust."""
        self._brokers: Final[dict[tuple[frozenset[str], bool], IssuedTls]] = {}

    def issue(
        self, common_name: str, hosts: Sequence[str] = (), *, is_expired: bool = False
    ) -> IssuedCertificate:
        """Issue a certificate for hosts or addresses; one that is expired ended yesterday."""
        key = generate_private_key(SECP256R1())
        builder = self._builder(_name(common_name), key, is_expired=is_expired)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        builder = builder.add_extension(_key_usage(signs_certificates=False), True)
        builder = builder.add_extension(x509.ExtendedKeyUsage(_USAGES), False)
        if hosts:
            names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
            builder = builder.add_extension(names, False)
        certificate = builder.sign(self._key, SHA256())
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return IssuedCertificate(
            certificate.public_bytes(Encoding.PEM).decode("ascii"), private.decode("ascii")
        )

    def broker_certificate(self, hosts: Sequence[str], *, is_expired: bool = False) -> IssuedTls:
        """Return the certificate for brokers at some hosts; it is issued once."""
        key = (frozenset({*_ALWAYS, *hosts}), is_expired)
        found = self._brokers.get(key)
        if found is None:
            issued = self.issue("mockbroker", sorted(key[0]), is_expired=is_expired)
            found = IssuedTls(KeyStore(issued.certificate_pem, issued.key_pem), self.ca_pem)
            self._brokers[key] = found
        return found

    def _builder(
        self, subject: x509.Name, key: EllipticCurvePrivateKey, *, is_expired: bool
    ) -> x509.CertificateBuilder:
        # Real time: TLS libraries do not know the cluster's clock.
        now = datetime.now(UTC)
        begin, end = (now - 2 * _DAY, now - _DAY) if is_expired else (now - _DAY, now + _LIFE)
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
            .add_extension(own, False)
            .add_extension(issuer, False)
        )


@cache
def process_authority() -> Authority:
    """Return the authority of this process, which all its clusters share."""
    return Authority()


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
