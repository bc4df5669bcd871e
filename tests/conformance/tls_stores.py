"""Certificates of the recordings; `python -m tests.conformance.tls_stores` makes them again.

They are kept because real brokers read them from files, and a recording has to stay true; they
protect nothing, and last a hundred years.
"""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER: Final = Path(__file__).with_name("tls")
PASSWORD: Final = "secret of a store"
BROKER, OTHER_NAME, OTHER_HOSTS, TRUSTED = (
    FOLDER / f"{name}.p12" for name in ("broker", "other_name", "other_hosts", "trusted")
)
AUTHORITY: Final = FOLDER / "authority.pem"
CLIENTS: Final = ("trusted", "foreign", "expired", "server_only", "self_signed")
_BEGIN: Final = datetime(2020, 1, 1, tzinfo=UTC)
_CENTURY: Final = timedelta(days=36_500)
_DAY: Final = timedelta(days=1)
_SERVER, _CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH


class Issued(NamedTuple):
    """Certificate with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        """Key and certificate in one text."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return key + self.certificate.public_bytes(Encoding.PEM)


def client_file(name: str) -> Path:
    """Return the file of a client's certificate and key."""
    return FOLDER / f"client_{name}.pem"


def issue(
    name: str,
    issuer: Issued | None = None,
    *,
    life: timedelta = _CENTURY,
    hosts: tuple[str, ...] = (),
    usage: tuple[x509.ObjectIdentifier, ...] = (_SERVER, _CLIENT),
) -> Issued:
    """Issue a certificate; one without an issuer signs itself, and may issue others."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signed_by = subject if issuer is None else issuer.certificate.subject
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signed_by)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGIN)
        .not_valid_after(_BEGIN + life)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), True)
    )
    if issuer is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usage), False)
    if hosts:
        addresses = [x509.IPAddress(ip_address(host)) for host in hosts]
        builder = builder.add_extension(x509.SubjectAlternativeName(addresses), False)
    return Issued(builder.sign(key if issuer is None else issuer.key, SHA256()), key)


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    encryption = BestAvailableEncryption(PASSWORD.encode())
    authority, another = issue("authority of recordings"), issue("another authority")
    here, elsewhere = ("127.0.0.1",), ("127.0.0.2",)
    for path, name, hosts in (
        (BROKER, "broker", here),
        (OTHER_NAME, "another broker", here),
        (OTHER_HOSTS, "broker", elsewhere),
    ):
        issued = issue(name, authority, hosts=hosts)
        chain = [authority.certificate]
        path.write_bytes(
            pkcs12.serialize_key_and_certificates(
                b"broker", issued.key, issued.certificate, chain, encryption
            )
        )
    entry = pkcs12.PKCS12Certificate(authority.certificate, b"authority")
    TRUSTED.write_bytes(pkcs12.serialize_java_truststore([entry], encryption))
    AUTHORITY.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    clients = {
        "trusted": issue("alice", authority),
        "foreign": issue("alice", another),
        "expired": issue("alice", authority, life=_DAY),
        "server_only": issue("alice", authority, usage=(_SERVER,)),
        "self_signed": issue("alice"),
    }
    for name, issued in clients.items():
        client_file(name).write_bytes(issued.pem)


if __name__ == "__main__":
    main()
