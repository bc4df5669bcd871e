"""Stores in PEM, and the refusals of all types."""

from pathlib import Path

import pytest

from mockbroker.errors import SettingsError
from mockbroker.server.tls.authority import Authority
from mockbroker.server.tls.stores import (
    StoreConfigs,
    authorities_of_file,
    authorities_of_pem,
    key_store_of_file,
    key_store_of_pem,
)
from tests.support.tls_stores import traditional_key

AUTHORITY = Authority()
ISSUED = AUTHORITY.issue("broker", ["localhost"])


def configs(
    path: Path, kind: str = "PEM", password: str | None = None, name: str = "ssl.keystore"
) -> StoreConfigs:
    return StoreConfigs(name, kind, str(path), password)


def test_a_file_in_pem_has_the_chain_and_the_key(tmp_path: Path) -> None:
    path = tmp_path / "broker.pem"
    path.write_text("comment\n" + ISSUED.key_pem + ISSUED.certificate_pem + AUTHORITY.ca_pem)
    store = key_store_of_file(configs(path, "pem"), None)
    assert store.chain_pem == ISSUED.certificate_pem + AUTHORITY.ca_pem
    assert store.key_pem == ISSUED.key_pem


def test_a_trust_store_in_pem_has_all_authorities(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    other = Authority().ca_pem
    path.write_text(AUTHORITY.ca_pem + other)
    assert authorities_of_file(configs(path)) == AUTHORITY.ca_pem + other


@pytest.mark.parametrize(
    ("chain", "key", "why"),
    [
        ("", ISSUED.key_pem, "ssl.keystore.certificate.chain=(PEM): it has no certificate"),
        (ISSUED.certificate_pem, "", "ssl.keystore.key=(hidden): it has no private key"),
        (ISSUED.certificate_pem, traditional_key(ISSUED), "openssl pkcs8 -topk8"),
    ],
)
def test_what_lacks_something_is_refused(chain: str, key: str, why: str) -> None:
    with pytest.raises(SettingsError) as refused:
        key_store_of_pem(chain, key, None)
    assert why in str(refused.value)
    assert "BEGIN" not in str(refused.value)


def test_a_trust_store_without_certificates_is_refused() -> None:
    with pytest.raises(SettingsError, match="it has no certificate"):
        authorities_of_pem(ISSUED.key_pem)


def test_a_jks_file_is_refused_with_the_command_that_converts_it(tmp_path: Path) -> None:
    path = tmp_path / "broker.jks"
    path.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    with pytest.raises(SettingsError) as refused:
        key_store_of_file(configs(path, "JKS", "x"), None)
    assert refused.value.why == (
        "it is a JKS file, which only Java reads; convert it: keytool -importkeystore"
        f" -srckeystore {path} -destkeystore {tmp_path / 'broker.p12'} -deststoretype PKCS12;"
        " then set ssl.keystore.type=PKCS12"
    )


@pytest.mark.parametrize(
    ("kind", "password", "why"),
    [
        ("PEM", "x", "ssl.keystore.password=(hidden): a PEM file has none"),
        ("PKCS12", None, "set ssl.keystore.password, too"),
        ("BCFKS", "x", "ssl.keystore.type=BCFKS: supported are PEM and PKCS12"),
        ("PEM", None, "it cannot be read: No such file or directory"),
    ],
)
def test_configs_that_do_not_fit_are_refused(
    tmp_path: Path, kind: str, password: str | None, why: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        key_store_of_file(configs(tmp_path / "none", kind, password), None)
    assert why in str(refused.value)


def test_a_password_of_a_trust_store_in_pem_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="a PEM file has none"):
        authorities_of_file(configs(tmp_path, "PEM", "x", "ssl.truststore"))


def test_the_password_is_in_no_representation(tmp_path: Path) -> None:
    assert "hidden-word" not in repr(configs(tmp_path, "PEM", "hidden-word"))
