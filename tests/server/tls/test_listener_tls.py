"""Contexts of a listener, before and after its configs or its files change."""

import ssl
from pathlib import Path

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
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


def change(tls: ListenerTls, configs: ConfigRepository, **altered: str) -> None:
    names = {f"listener.name.ssl.ssl.keystore.{name}": value for name, value in altered.items()}
    tls.check(configs, 1, names, names)


def test_a_change_to_a_store_that_can_be_read_is_allowed(
    tls: ListenerTls, configs: ConfigRepository, tmp_path: Path
) -> None:
    write(tmp_path / "other.pem")
    change(tls, configs, location=str(tmp_path / "other.pem"))


def test_a_change_to_a_store_that_is_not_there_is_refused(
    tls: ListenerTls, configs: ConfigRepository, tmp_path: Path
) -> None:
    with pytest.raises(ApiError, match="cannot be read") as refused:
        change(tls, configs, location=str(tmp_path / "none.pem"))
    assert refused.value.code == ErrorCode.INVALID_REQUEST


DAMAGED = "-----BEGIN {0}-----\nAAAA\n-----END {0}-----\n"


@pytest.mark.parametrize("damaged", ["CERTIFICATE", "PRIVATE KEY", ""])
def test_a_change_to_a_damaged_store_is_refused(
    tls: ListenerTls, configs: ConfigRepository, tmp_path: Path, damaged: str
) -> None:
    path, issued = tmp_path / "other.pem", AUTHORITY.issue("broker", ["localhost"])
    parts = {"CERTIFICATE": issued.certificate_pem, "PRIVATE KEY": issued.key_pem}
    parts["PRIVATE KEY"] = AUTHORITY.issue("broker", ["localhost"]).key_pem
    if damaged:
        parts[damaged] = DAMAGED.format(damaged)
    path.write_text("".join(parts.values()))
    with pytest.raises(ApiError) as refused:
        change(tls, configs, location=str(path))
    assert refused.value.code == ErrorCode.INVALID_REQUEST


def test_a_store_that_has_gone_can_be_replaced_by_another(
    tls: ListenerTls, configs: ConfigRepository, store: Path, tmp_path: Path
) -> None:
    store.unlink()
    write(tmp_path / "other.pem")
    change(tls, configs, location=str(tmp_path / "other.pem"))


def test_what_another_listener_or_broker_has_is_not_checked(
    tls: ListenerTls, configs: ConfigRepository
) -> None:
    wrong = {"listener.name.other.ssl.keystore.location": "none.pem", LOCATION: "none.pem"}
    tls.check(configs, 1, list(wrong)[:1], wrong)
    tls.check(configs, 2, wrong, wrong)


@pytest.mark.parametrize(
    ("name", "hosts", "config"),
    [("another", ["localhost"], "ssl.allow.dn.changes"), ("broker", [], "ssl.allow.san.changes")],
)
def test_a_certificate_has_other_names_only_if_they_are_allowed(
    store: Path, tmp_path: Path, name: str, hosts: list[str], config: str
) -> None:
    issued, path = AUTHORITY.issue(name, hosts), tmp_path / "other.pem"
    path.write_text(issued.certificate_pem + issued.key_pem)
    static = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(store)}
    strict = ConfigRepository("4.4", static, {})
    with pytest.raises(ApiError, match="not match"):
        change(ListenerTls(strict, SSL, 1), strict, location=str(path))
    lenient = ConfigRepository("4.4", {**static, config: "true"}, {})
    change(ListenerTls(lenient, SSL, 1), lenient, location=str(path))


def test_without_the_extra_certificates_are_not_compared(
    tls: ListenerTls, configs: ConfigRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued, path = AUTHORITY.issue("another"), tmp_path / "other.pem"
    path.write_text(issued.certificate_pem + issued.key_pem)
    monkeypatch.setattr("mockbroker.server.tls.configured_tls.find_spec", lambda _name: None)
    change(tls, configs, location=str(path))


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
