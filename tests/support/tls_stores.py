"""Files of key stores and trust stores, as users have them."""

from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
    serialize_key_and_certificates,
)

from mockbroker.server.tls.authority import IssuedCertificate

PASSWORD: Final = "secret of the store"


def private_key(issued: IssuedCertificate) -> EllipticCurvePrivateKey:
    """Load the key of a certificate."""
    key = load_pem_private_key(issued.key_pem.encode(), None)
    assert isinstance(key, EllipticCurvePrivateKey), key
    return key


def certificates(pem: str) -> list[x509.Certificate]:
    """Load all certificates of a text."""
    return x509.load_pem_x509_certificates(pem.encode())


def pkcs12_key_store(path: Path, issued: IssuedCertificate, authority_pem: str) -> str:
    """Write a certificate with its chain and key, as `openssl pkcs12 -export` does."""
    (certificate,) = certificates(issued.certificate_pem)
    chain = certificates(authority_pem)
    encryption = BestAvailableEncryption(PASSWORD.encode())
    data = serialize_key_and_certificates(
        b"broker", private_key(issued), certificate, chain, encryption
    )
    path.write_bytes(data)
    return str(path)


def pkcs12_trust_store(path: Path, authority_pem: str) -> str:
    """Write an authority, as `keytool -importcert` does."""
    trusted = [PKCS12Certificate(each, b"ca") for each in certificates(authority_pem)]
    encryption = BestAvailableEncryption(PASSWORD.encode())
    path.write_bytes(serialize_java_truststore(trusted, encryption))
    return str(path)


def encrypted_key(issued: IssuedCertificate, password: str) -> str:
    """Return the key in PEM, encrypted."""
    encryption = BestAvailableEncryption(password.encode())
    return (
        private_key(issued)
        .private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
        .decode("ascii")
    )


def traditional_key(issued: IssuedCertificate) -> str:
    """Return the key in OpenSSL's older form, which Kafka does not read."""
    return issued.key_pem.replace("PRIVATE KEY", "EC PRIVATE KEY")
