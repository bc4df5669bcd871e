"""PKCS12 stores, as Java's keytool and OpenSSL make them."""

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12KeyAndCertificates,
    load_pkcs12,
)

from mockbroker.server.tls.stores import StoreConfigs
from mockbroker.server.tls.tls_settings import KeyStore


def key_store_of_pkcs12(data: bytes, configs: StoreConfigs) -> KeyStore:
    """Read the private key, its certificate and the chain.

    Raises:
        SettingsError: the store or its password is wrong, or there is no key.

    """
    store = _loaded(data, configs)
    if store.key is None or store.cert is None:
        raise configs.error("the store has no private key with a certificate")
    chain = [store.cert, *store.additional_certs]
    pem = b"".join(each.certificate.public_bytes(Encoding.PEM) for each in chain)
    key = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return KeyStore(pem.decode("ascii"), key.decode("ascii"))


def authorities_of_pkcs12(data: bytes, configs: StoreConfigs) -> str:
    """Read all certificates of a trust store, as PEM.

    Raises:
        SettingsError: the store or its password is wrong, or there is no certificate.

    """
    store = _loaded(data, configs)
    found = [each for each in (store.cert, *store.additional_certs) if each is not None]
    if not found:
        raise configs.error("the store has no certificate")
    pem = b"".join(each.certificate.public_bytes(Encoding.PEM) for each in found)
    return pem.decode("ascii")


def _loaded(data: bytes, configs: StoreConfigs) -> PKCS12KeyAndCertificates:
    password = None if configs.password is None else configs.password.encode("utf-8")
    try:
        return load_pkcs12(data, password)
    except ValueError:
        why = f"it is no PKCS12 store, or {configs.name}.password is wrong"
        raise configs.error(why) from None
