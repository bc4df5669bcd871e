"""What a listener needs for TLS, whatever form its configs had."""

from dataclasses import dataclass, field
from enum import StrEnum


class ClientAuth(StrEnum):
    """What a listener asks of a client's certificate, as in `ssl.client.auth`."""

    NONE = "none"
    REQUESTED = "requested"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class KeyStore:
    """Certificate of a broker with its chain, and its private key."""

    chain_pem: str
    key_pem: str = field(repr=False)
    key_password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class IssuedTls:
    """Key store of a broker from the authority of this process, and that authority."""

    key_store: KeyStore
    ca_pem: str


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Settings of one listener of one broker."""

    key_store: KeyStore
    authorities_pem: str | None = None
    """Certificates that a client's has to lead to; None: those of the machine."""
    client_auth: ClientAuth = ClientAuth.NONE
    protocols: tuple[str, ...] = ("TLSv1.2", "TLSv1.3")
    cipher_suites: tuple[str, ...] = ()
    """Names as in Java; none: the defaults."""
