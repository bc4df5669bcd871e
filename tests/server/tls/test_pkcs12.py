"""Stores in PKCS12, as keytool and OpenSSL make them."""

from pathlib import Path

import pytest

from mockbroker.errors import SettingsError
from mockbroker.server.tls.authority import Authority
from mockbroker.server.tls.stores import StoreConfigs, authorities_of_file, key_store_of_file
from tests.support.tls_stores import PASSWORD, pkcs12_key_store, pkcs12_trust_store

AUTHORITY = Authority()
ISSUED = AUTHORITY.issue("broker", ["localhost"])


@pytest.fixture
def key_store(tmp_path: Path) -> StoreConfigs:
    path = pkcs12_key_store(tmp_path / "broker.p12", ISSUED, AUTHORITY.ca_pem)
    return StoreConfigs("ssl.keystore", "PKCS12", path, PASSWORD)


@pytest.fixture
def trust_store(tmp_path: Path) -> StoreConfigs:
    path = pkcs12_trust_store(tmp_path / "ca.p12", AUTHORITY.ca_pem)
    return StoreConfigs("ssl.truststore", "JKS", path, PASSWORD)


def test_a_key_store_has_the_chain_and_the_key(key_store: StoreConfigs) -> None:
    store = key_store_of_file(key_store, None)
    assert store.chain_pem == ISSUED.certificate_pem + AUTHORITY.ca_pem
    assert store.key_pem == ISSUED.key_pem


def test_as_in_java_the_type_jks_reads_pkcs12(trust_store: StoreConfigs) -> None:
    assert authorities_of_file(trust_store) == AUTHORITY.ca_pem


def test_a_wrong_password_is_refused(key_store: StoreConfigs) -> None:
    wrong = StoreConfigs(key_store.name, key_store.type, key_store.location, "wrong")
    with pytest.raises(SettingsError, match=r"or ssl\.keystore\.password is wrong"):
        key_store_of_file(wrong, None)


def test_a_trust_store_is_no_key_store(trust_store: StoreConfigs) -> None:
    with pytest.raises(SettingsError, match="has no private key with a certificate"):
        key_store_of_file(trust_store, None)
