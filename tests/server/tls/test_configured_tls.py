"""Settings of TLS from Kafka's configs, for a listener and by release."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from mockbroker.errors import SettingsError
from mockbroker.server.tls.authority import process_authority
from mockbroker.server.tls.configured_tls import ConfiguredTls
from mockbroker.server.tls.tls_settings import ClientAuth
from mockbroker.settings.listener_settings import ListenerSettings, SecurityProtocol
from mockbroker.state.config.config_repository import ConfigRepository
from tests.support.tls_stores import PASSWORD, pkcs12_key_store, pkcs12_trust_store

AUTHORITY = process_authority()
ISSUED = AUTHORITY.issue("broker", ["localhost"])
INLINE = {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.certificate.chain": ISSUED.certificate_pem,
    "ssl.keystore.key": ISSUED.key_pem,
}
OWN = "listener.name.outside."


def configured(
    configs: Mapping[str, str],
    *,
    release: str = "4.4",
    protocol: SecurityProtocol = SecurityProtocol.SSL,
    issues: bool = False,
) -> ConfiguredTls:
    listener = ListenerSettings("OUTSIDE", "127.0.0.1", 0, "127.0.0.1", 0, protocol)
    issued = AUTHORITY.broker_certificate([]) if issues else None
    return ConfiguredTls(ConfigRepository(release, configs, {}), listener, 1, issued)


def test_a_store_may_be_in_the_configs() -> None:
    settings = configured(INLINE | {"ssl.truststore.certificates": AUTHORITY.ca_pem}).settings()
    assert settings.key_store.chain_pem == ISSUED.certificate_pem
    assert settings.authorities_pem == AUTHORITY.ca_pem
    assert settings.protocols == ("TLSv1.2", "TLSv1.3")
    assert settings.client_auth is ClientAuth.NONE


@pytest.mark.parametrize("release", ["0.11", "2.4", "4.4"])
def test_a_store_may_be_a_file(tmp_path: Path, release: str) -> None:
    configs = {
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": pkcs12_key_store(tmp_path / "k", ISSUED, AUTHORITY.ca_pem),
        "ssl.keystore.password": PASSWORD,
        "ssl.truststore.location": pkcs12_trust_store(tmp_path / "t", AUTHORITY.ca_pem),
        "ssl.truststore.password": PASSWORD,
    }
    found = configured(configs, release=release)
    assert found.settings().key_store.key_pem == ISSUED.key_pem
    assert found.settings().authorities_pem == AUTHORITY.ca_pem


def test_a_config_of_the_listener_overrides_that_of_the_broker() -> None:
    configs = INLINE | {"ssl.client.auth": "required", OWN + "ssl.client.auth": "requested"}
    assert configured(configs).settings().client_auth is ClientAuth.REQUESTED


@pytest.mark.parametrize(
    ("release", "configs", "expected"),
    [
        ("4.4", {"ssl.client.auth": "required"}, ClientAuth.NONE),
        ("4.4", {OWN + "ssl.client.auth": "required"}, ClientAuth.REQUIRED),
        ("2.8", {OWN + "ssl.client.auth": "required"}, ClientAuth.REQUIRED),
        ("2.4", {OWN + "ssl.client.auth": "required"}, ClientAuth.NONE),
    ],
)
def test_beside_sasl_only_the_listener_itself_asks_for_certificates(
    release: str, configs: Mapping[str, str], expected: ClientAuth
) -> None:
    found = configured(configs, release=release, protocol=SecurityProtocol.SASL_SSL, issues=True)
    assert found.settings().client_auth is expected


def test_an_issued_certificate_holds_where_no_store_is_configured() -> None:
    issued = AUTHORITY.broker_certificate([])
    assert configured({}, issues=True).settings().key_store is issued.key_store
    assert configured({}, issues=True).settings().authorities_pem == AUTHORITY.ca_pem
    assert configured(INLINE, issues=True).settings().key_store != issued.key_store


def test_without_a_store_there_is_no_tls() -> None:
    with pytest.raises(SettingsError, match=r"listeners=OUTSIDE: TLS needs a certificate: set"):
        configured({}).settings()


@pytest.mark.parametrize("release", ["1.1", "2.3", "4.4"])
def test_rules_for_principals_are_those_of_the_release(release: str) -> None:
    rules = {"ssl.principal.mapping.rules": "RULE:^CN=(.*)$/$1/U,DEFAULT"}
    mapper = configured(rules, release=release).mapper()
    assert mapper.name("CN=app") == ("CN=app" if release == "1.1" else "APP")


def test_rules_that_are_none_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"ssl\.principal\.mapping\.rules=app: Invalid rule"):
        configured({"ssl.principal.mapping.rules": "app"}).mapper()
