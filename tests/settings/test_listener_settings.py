"""Bind addresses and advertised addresses of listeners."""

import pytest

from mockbroker.errors import SettingsError
from mockbroker.settings.listener_settings import (
    ListenerSettings,
    Named,
    Wanted,
    broker_listeners,
    parse_address,
)

PROTOCOLS = "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"
TESTCONTAINERS = {
    "listeners": "PLAINTEXT://0.0.0.0:9092,BROKER://0.0.0.0:9093,CONTROLLER://0.0.0.0:9094",
    "listener.security.protocol.map": "BROKER:PLAINTEXT,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    "advertised.listeners": "PLAINTEXT://localhost:32768,BROKER://f00:9093",
}


def wanted(*lines: str, brokers: int = 1, port: int | None = None) -> Wanted:
    known = dict(line.split("=", 1) for line in lines)
    return Wanted(known, None, port, None, brokers, "--port")


def main_of(*lines: str) -> ListenerSettings:
    return broker_listeners(wanted(*lines)).by_broker[0][0]


def test_the_default_listener_is_kafkas_port_on_this_machine() -> None:
    assert main_of() == ListenerSettings("PLAINTEXT", "127.0.0.1", 9092, "127.0.0.1", 9092)


def test_listeners_have_a_bind_address_and_an_advertised_address() -> None:
    listener = main_of(
        "listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://localhost:9093",
        "advertised.listeners=PLAINTEXT://broker.test:19092",
    )
    assert listener == ListenerSettings("PLAINTEXT", "0.0.0.0", 9092, "broker.test", 19092)


def test_every_listener_except_those_of_controllers_serves_clients() -> None:
    given = Wanted(TESTCONTAINERS, None, None, None, 1, "--port")
    listeners = broker_listeners(given)
    assert listeners.by_broker == (
        (
            ListenerSettings("PLAINTEXT", "0.0.0.0", 9092, "localhost", 32768),
            ListenerSettings("BROKER", "0.0.0.0", 9093, "f00", 9093),
        ),
    )
    assert listeners.idle == (Named("CONTROLLER", "0.0.0.0", 9094),)


def test_plaintext_is_the_main_listener_in_any_position() -> None:
    names = "listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT,PLAINTEXT:PLAINTEXT"
    assert main_of("listeners=A://h:1,PLAINTEXT://h:2", names).name == "PLAINTEXT"
    assert main_of("listeners=A://h:1,B://h:2", names).name == "A"


def test_a_controller_listener_whose_port_a_broker_takes_is_dropped() -> None:
    lines = ("listeners=PLAINTEXT://h:9092,CONTROLLER://h:9093",)
    assert broker_listeners(wanted(*lines)).idle
    assert broker_listeners(wanted(*lines, brokers=2)).idle == ()


def test_a_listener_on_all_addresses_is_found_on_this_one() -> None:
    for listener in ("PLAINTEXT://:9092", "PLAINTEXT://0.0.0.0:9092", "PLAINTEXT://[::]:9092"):
        assert main_of(f"listeners={listener}").advertised_host == "127.0.0.1"
        given = wanted(f"listeners={listener}")._replace(advertised_host="kafka.test")
        assert broker_listeners(given).by_broker[0][0].advertised_host == "kafka.test"


def test_a_listener_may_have_a_name_of_its_own() -> None:
    listener = main_of(
        "listeners=INSIDE://h:1,STEER://h:2",
        "controller.listener.names=STEER",
        "listener.security.protocol.map=INSIDE:PLAINTEXT,STEER:PLAINTEXT",
    )
    assert (listener.name, listener.host, listener.port) == ("INSIDE", "h", 1)


def test_each_listener_of_each_broker_has_a_port_of_its_own() -> None:
    lines = ("listeners=A://h:1,B://h:11", "listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT")
    by_broker = broker_listeners(wanted(*lines, brokers=2)).by_broker
    assert [[each.port for each in listeners] for listeners in by_broker] == [[1, 11], [2, 12]]
    with pytest.raises(SettingsError) as error:
        broker_listeners(wanted(*lines, brokers=11))
    assert error.value.why == "port 11 is used twice; each of the 11 brokers uses the next port"


@pytest.mark.parametrize(
    ("lines", "key", "why"),
    [
        (["listeners=h:1"], "listeners", "h:1 is not written as NAME://HOST:PORT"),
        (
            ["listeners=PLAINTEXT://h:1,PLAINTEXT://h:2"],
            "listeners",
            "PLAINTEXT is named twice",
        ),
        (
            ["listeners=PLAINTEXT://h:1,A://h:1", "listener.security.protocol.map=A:PLAINTEXT"],
            "listeners",
            "port 1 is used twice",
        ),
        (
            ["advertised.listeners=SASL_PLAINTEXT://h:1"],
            "advertised.listeners",
            "there is no listener SASL_PLAINTEXT; the listeners are PLAINTEXT",
        ),
        (
            ["advertised.listeners=SASL_SSL://h:1"],
            "advertised.listeners",
            "there is no listener SASL_SSL; the listeners are PLAINTEXT",
        ),
        (
            ["advertised.listeners=A://h:1", "listener.security.protocol.map=A:PLAINTEXT"],
            "advertised.listeners",
            "there is no listener A; the listeners are PLAINTEXT",
        ),
        (
            ["advertised.listeners=PLAINTEXT://0.0.0.0:1"],
            "advertised.listeners",
            "clients cannot reach a broker at 0.0.0.0",
        ),
        (
            ["security.inter.broker.protocol=SSL"],
            "security.inter.broker.protocol",
            "no listener has this security protocol; the listeners are PLAINTEXT",
        ),
        (
            ["inter.broker.listener.name=A"],
            "inter.broker.listener.name",
            "there is no such listener; the listeners are PLAINTEXT",
        ),
        (
            ["inter.broker.listener.name=PLAINTEXT", "security.inter.broker.protocol=PLAINTEXT"],
            "inter.broker.listener.name",
            "security.inter.broker.protocol is set, too: set only one of them",
        ),
        (
            ["listeners=A://h:1"],
            "listeners",
            (
                "the listener A has no security protocol: add A:PLAINTEXT to"
                f" listener.security.protocol.map, or another of {PROTOCOLS}"
            ),
        ),
        (
            ["listeners=A://h:1", "listener.security.protocol.map=A:TLS"],
            "listeners",
            f"TLS is no security protocol; the protocols are {PROTOCOLS}",
        ),
    ],
)
def test_invalid_listeners_are_errors(lines: list[str], key: str, why: str) -> None:
    with pytest.raises(SettingsError) as error:
        broker_listeners(wanted(*lines))
    assert (error.value.key, error.value.why) == (key, why)


@pytest.mark.parametrize("key", ["listeners", "advertised.listeners"])
def test_a_listener_with_an_impossible_port_is_refused(key: str) -> None:
    with pytest.raises(SettingsError) as error:
        broker_listeners(wanted(f"{key}=PLAINTEXT://h:65536"))
    assert (error.value.key, error.value.why) == (key, "allowed are ports 0 to 65535")
    with pytest.raises(SettingsError) as error:
        broker_listeners(wanted(f"{key}=PLAINTEXT://h:65535", brokers=2))
    why = "allowed are ports 0, or 1 to 65534 for 2 brokers"
    assert (error.value.key, error.value.why) == (key, why)


def test_the_port_option_replaces_the_port_of_the_listener() -> None:
    given = wanted("listeners=PLAINTEXT://h:65535", brokers=2, port=5)
    assert [each[0].port for each in broker_listeners(given).by_broker] == [5, 6]


@pytest.mark.parametrize(("text", "address"), [("h:1", ("h", 1)), (" [::1]:9092 ", ("::1", 9092))])
def test_an_address_is_a_host_and_a_port(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "h", ":1", "h:0", "h:65536", "h:x"])
def test_an_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not written as host:port"):
        parse_address(text)


@pytest.mark.parametrize(
    ("listeners", "expected"),
    [
        ("", ["SSL"]),
        ("SASL_SSL://h:1", ["SASL_SSL"]),
        ("SSL://h:1,PLAINTEXT://h:2", ["PLAINTEXT", "SSL"]),
    ],
)
def test_with_tls_the_default_listener_has_it(listeners: str, expected: list[str]) -> None:
    known = {"listeners": listeners} if listeners else {}
    ((*found,), *_) = broker_listeners(
        Wanted(
            known, host=None, port=None, advertised_host=None, brokers=1, port_setting="", tls=True
        )
    ).by_broker
    assert [each.name for each in found] == expected
    assert [each.security_protocol.value for each in found] == expected
