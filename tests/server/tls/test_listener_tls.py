"""Contexts of a listener, before and after its configs or its files change."""

import ssl
from pathlib import Path

import pytest

from mockbroker.server.tls.authority import process_authority
from mockbroker.server.tls.listener_tls import ListenerTls
from mockbroker.state.config.config_repository import ConfigRepository
from tests.support.logged import Logged
from tests.support.tls_peer import SSL

AUTHORITY = process_authority()
LOCATION = "listener.name.ssl.ssl.keystore.location"


def write(path: Path) -> None:
    issued = AUTHORITY.issue("broker", ["localhost"])
    path.write_text(issued.certificate_pem + issued.key_pem)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "broker.pem"
    write(path)
    return path


@pytest.fixture
def configs(store: Path) -> ConfigRepository:
    static = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(store)}
    return ConfigRepository("4.4", static, {})


@pytest.fixture
def tls(configs: ConfigRepository) -> ListenerTls:
    return ListenerTls(configs, SSL, 1)


def test_connections_share_a_context(tls: ListenerTls, configs: ConfigRepository) -> None:
    assert tls.context(configs) is tls.context(configs)


def test_a_changed_file_is_loaded_with_the_next_change_of_configs(
    tls: ListenerTls, configs: ConfigRepository, store: Path
) -> None:
    before = tls.context(configs)
    write(store)
    assert tls.context(configs) is before
    configs.set_broker_overrides(1, {"log.retention.ms": "1000"})
    after = tls.context(configs)
    assert after is not before
    configs.set_broker_overrides(1, {})
    assert tls.context(configs) is after


def test_another_file_is_loaded(
    tls: ListenerTls, configs: ConfigRepository, tmp_path: Path
) -> None:
    before = tls.context(configs)
    other = tmp_path / "other.pem"
    write(other)
    configs.set_broker_overrides(1, {LOCATION: str(other)})
    assert tls.context(configs) is not before


def test_a_file_that_cannot_be_read_changes_nothing(
    tls: ListenerTls, configs: ConfigRepository, logged: Logged
) -> None:
    before = tls.context(configs)
    configs.set_broker_overrides(1, {LOCATION: "/none"})
    assert tls.context(configs) is before
    assert tls.context(configs) is before
    ((level, event, fields),) = logged.events
    assert (level, event) == ("error", "tls_not_reloaded")
    assert fields["listener"] == "SSL"
    assert "/none: it cannot be read" in str(fields["why"])


def test_an_issued_certificate_replaces_the_one_before(logged: Logged) -> None:
    configs = ConfigRepository("4.4", {}, {})
    tls = ListenerTls(configs, SSL, 1, AUTHORITY.broker_certificate([]))
    before = tls.context(configs)
    tls.issue(AUTHORITY.broker_certificate([], is_expired=True))
    assert tls.context(configs) is not before
    assert isinstance(before, ssl.SSLContext)
    assert not logged.events


@pytest.mark.parametrize(("release", "delay_s"), [("4.4", 0.1), ("1.1", 0)])
def test_a_failed_handshake_stays_open_as_long_as_in_kafka(release: str, delay_s: float) -> None:
    configs = ConfigRepository(release, {}, {})
    tls = ListenerTls(configs, SSL, 1, AUTHORITY.broker_certificate([]))
    assert tls.failure_delay_s == delay_s
