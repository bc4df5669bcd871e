"""Key stores and trust stores of each type, from files or in configs, as PEM.

Follows Kafka's `DefaultSslEngineFactory`.
"""

import re
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

from mockbroker.errors import SettingsError, install_hint
from mockbroker.server.tls.tls_settings import KeyStore

_PKCS12: Final = "mockbroker.server.tls.pkcs12"
"""Loaded by name: it needs the extra `tls`."""
_JKS_MAGIC: Final = b"\xfe\xed\xfe\xed"
_BLOCK: Final = r"-----BEGIN {0}-----.*?-----END {0}-----"
_CERTIFICATE: Final = re.compile(_BLOCK.format("CERTIFICATE"), re.DOTALL)
_KEY: Final = re.compile(_BLOCK.format("(?:ENCRYPTED )?PRIVATE KEY"), re.DOTALL)
_OLD_KEY: Final = re.compile(r"-----BEGIN (RSA|EC|DSA) PRIVATE KEY-----")


@dataclass(frozen=True, slots=True)
class StoreConfigs:
    """Configs of a key store or of a trust store."""

    name: str
    """`ssl.keystore` or `ssl.truststore`, with which the names of its configs begin."""
    type: str
    location: str | None
    password: str | None = field(repr=False)

    def error(self, why: str) -> SettingsError:
        """Create the error about the store's file."""
        return SettingsError(f"{self.name}.location", str(self.location), why)

    def read(self) -> bytes:
        """Read the file.

        Raises:
            SettingsError: it cannot be read, or is a JKS file.

        """
        try:
            data = Path(str(self.location)).read_bytes()
        except OSError as error:
            raise self.error(f"it cannot be read: {error.strerror}") from None
        if data.startswith(_JKS_MAGIC):
            raise self.error(
                "it is a JKS file, which only Java reads; convert it:"
                f" keytool -importkeystore -srckeystore {self.location}"
                f" -destkeystore {Path(str(self.location)).with_suffix('.p12')}"
                f" -deststoretype PKCS12; then set {self.name}.type=PKCS12"
            )
        return data

    @property
    def is_pem(self) -> bool:
        """True for PEM; Java reads PKCS12 for both of its own types.

        Raises:
            SettingsError: the type is unknown.

        """
        kind = self.type.upper()
        if kind not in ("PEM", "PKCS12", "JKS"):
            raise SettingsError(f"{self.name}.type", self.type, "supported are PEM and PKCS12")
        return kind == "PEM"


def key_store_of_file(configs: StoreConfigs, key_password: str | None) -> KeyStore:
    """Read a key store.

    Raises:
        SettingsError: it cannot be read, or lacks a password, a certificate or a key.

    """
    if configs.is_pem:
        if configs.password is not None:
            why = "a PEM file has none; the password of its key is ssl.key.password"
            raise SettingsError(f"{configs.name}.password", "(hidden)", why)
        text = configs.read().decode("latin-1")
        return key_store_of_pem(text, text, key_password)
    if configs.password is None:
        raise configs.error(f"set {configs.name}.password, too")
    if key_password not in (None, configs.password):
        why = f"in a PKCS12 store it is that of the store, {configs.name}.password"
        raise SettingsError("ssl.key.password", "(hidden)", why)
    store: KeyStore = _pkcs12(configs).key_store_of_pkcs12(configs.read(), configs)
    return store


def key_store_of_pem(chain: str, key: str, key_password: str | None) -> KeyStore:
    """Take the certificates and the private key from texts in PEM.

    Raises:
        SettingsError: there is no certificate or key, or the key is not in PKCS#8's form.

    """
    certificates, keys = _CERTIFICATE.findall(chain), _KEY.findall(key)
    if not certificates:
        raise SettingsError("ssl.keystore.certificate.chain", "(PEM)", "it has no certificate")
    if not keys:
        why = "it has no private key"
        if _OLD_KEY.search(key):
            why = "Kafka reads keys as PKCS#8 only; convert it: openssl pkcs8 -topk8 -in KEY"
        raise SettingsError("ssl.keystore.key", "(hidden)", why)
    return KeyStore("\n".join(certificates) + "\n", keys[0] + "\n", key_password)


def authorities_of_file(configs: StoreConfigs) -> str:
    """Read the certificates of a trust store, as PEM.

    Raises:
        SettingsError: it cannot be read, or has no certificate.

    """
    if not configs.is_pem:
        text: str = _pkcs12(configs).authorities_of_pkcs12(configs.read(), configs)
        return text
    if configs.password is not None:
        raise SettingsError(f"{configs.name}.password", "(hidden)", "a PEM file has none")
    return authorities_of_pem(configs.read().decode("latin-1"))


def authorities_of_pem(text: str) -> str:
    """Take the certificates from a text in PEM.

    Raises:
        SettingsError: there is none.

    """
    certificates = _CERTIFICATE.findall(text)
    if not certificates:
        raise SettingsError("ssl.truststore.certificates", "(PEM)", "it has no certificate")
    return "\n".join(certificates) + "\n"


def _pkcs12(configs: StoreConfigs) -> ModuleType:
    try:
        return import_module(_PKCS12)
    except ImportError:
        why = f"a PKCS12 store needs cryptography: {install_hint('tls')}; PEM needs nothing more"
        raise SettingsError(f"{configs.name}.type", configs.type, why) from None
