"""Addresses at which brokers listen, and which they advertise, from `listeners` and other configs.

Listeners of controllers are bound, but serve nobody. All others serve clients. As in Kafka, a
client gets the addresses that brokers advertise for the listener to which it is connected. Each
listener has a security protocol: the one of its name, or of `listener.security.protocol.map`.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.errors import SettingsError

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 9092
PLAINTEXT: Final = "PLAINTEXT"

_LISTENER: Final = r"(?P<name>[^:]+)://\[?(?P<host>[^/\]]*)\]?:(?P<port>\d+)"
PORT_MAX: Final = 65535
ANYWHERE: Final = ("", "0.0.0.0", "::")


class SecurityProtocol(StrEnum):
    """The security protocol of a listener, as in Kafka's `security.protocol`."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def is_sasl(self) -> bool:
        """True if clients authenticate by SASL."""
        return self in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL)

    @property
    def is_ssl(self) -> bool:
        """True if connections use TLS."""
        return self in (SecurityProtocol.SSL, SecurityProtocol.SASL_SSL)


class ListenerSettings(NamedTuple):
    """One listener of a broker."""

    name: str
    host: str
    port: int
    """0: any free port."""
    advertised_host: str
    advertised_port: int
    """0: the bound port."""
    security_protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT


class Named(NamedTuple):
    """Listener in the form of `listeners` and `advertised.listeners`."""

    name: str
    host: str
    port: int
    security_protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT


class Wanted(NamedTuple):
    """Settings that determine listeners."""

    known: Mapping[str, str]
    """The configs."""
    host: str | None
    """Overrides the host of the first listener."""
    port: int | None
    """Overrides its port."""
    advertised_host: str | None
    """Advertised host of listeners that have no other."""
    brokers: int
    port_setting: str
    """Name of the port setting, for errors."""
    tls: bool = False
    """True if the only listener uses TLS where `listeners` does not say what there is."""


class Listeners(NamedTuple):
    """The listeners of all brokers."""

    by_broker: tuple[tuple[ListenerSettings, ...], ...]
    """The first of each broker is its main one, whose address tests and tools use."""
    idle: tuple[Named, ...]
    """Listeners of controllers."""


def broker_listeners(wanted: Wanted) -> Listeners:
    """Return the listeners of each broker; ports increase by one from broker to broker.

    Raises:
        SettingsError: a listener is invalid.

    """
    known = wanted.known
    served, idle = _parsed("listeners", known)
    protocol = SecurityProtocol.SSL if wanted.tls else SecurityProtocol.PLAINTEXT
    default = Named(protocol.value, DEFAULT_HOST, DEFAULT_PORT, protocol)
    first, *others = _main_first(served) or [default]
    if wanted.host is not None:
        first = first._replace(host=wanted.host)
    if wanted.port is not None:
        first = first._replace(port=wanted.port)
        if allowed := _allowed_ports(wanted.port, wanted.brokers):
            raise SettingsError(wanted.port_setting, str(wanted.port), f"allowed are {allowed}")
    named = (first, *others)
    _check_between_brokers(known, named)
    _check_ports(known.get("listeners", ""), named, wanted.brokers)
    advertised = _advertised(wanted, named)
    by_broker = tuple(
        tuple(_nth(listener, index, advertised, wanted.advertised_host) for listener in named)
        for index in range(wanted.brokers)
    )
    taken = {listener.port for listeners in by_broker for listener in listeners}
    return Listeners(by_broker, tuple(each for each in idle if each.port not in taken))


def parse_address(text: str) -> tuple[str, int]:
    """Read `host:port` or `[host]:port`.

    Raises:
        ValueError: the form or the port is invalid.

    """
    host, _, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 1 <= int(port) <= PORT_MAX:
        raise ValueError(f"{text!r} is not written as host:port")
    return host, int(port)


def _nth(
    listener: Named, index: int, advertised: Mapping[str, Named], host: str | None
) -> ListenerSettings:
    shown = advertised.get(listener.name)
    if shown is None:
        shown_host = host or (DEFAULT_HOST if listener.host in ANYWHERE else listener.host)
        shown = Named(listener.name, shown_host, listener.port)
    return ListenerSettings(
        name=listener.name,
        host=listener.host,
        port=_nth_port(listener.port, index),
        advertised_host=shown.host,
        advertised_port=_nth_port(shown.port, index),
        security_protocol=listener.security_protocol,
    )


def _nth_port(port: int, index: int) -> int:
    return port + index if port else 0


def _main_first(listeners: Iterable[Named]) -> list[Named]:
    return sorted(listeners, key=lambda listener: listener.name != PLAINTEXT)


def _advertised(wanted: Wanted, named: Iterable[Named]) -> dict[str, Named]:
    key = "advertised.listeners"
    text = wanted.known.get(key, "")
    found, _ = _parsed(key, wanted.known)
    names = [listener.name for listener in named]
    for each in found:
        if each.name not in names:
            raise SettingsError(
                key, text, f"there is no listener {each.name}; the listeners are {', '.join(names)}"
            )
        if each.host in ANYWHERE:
            raise SettingsError(
                key, text, f"clients cannot reach a broker at {each.host or 'no host'}"
            )
        if allowed := _allowed_ports(each.port, wanted.brokers):
            raise SettingsError(key, text, f"allowed are ports {allowed}")
    return {each.name: each for each in found}


def _check_ports(text: str, named: Iterable[Named], brokers: int) -> None:
    key = "listeners"
    ports: list[int] = []
    for listener in named:
        if allowed := _allowed_ports(listener.port, brokers):
            raise SettingsError(key, text, f"allowed are ports {allowed}")
        ports += (listener.port + index for index in range(brokers) if listener.port)
    twice = next((port for port in ports if ports.count(port) > 1), None)
    if twice is not None:
        each = f"; each of the {brokers} brokers uses the next port" if brokers > 1 else ""
        raise SettingsError(key, text, f"port {twice} is used twice{each}")


def _allowed_ports(port: int, brokers: int) -> str:
    """Describe the allowed first ports; empty if `port` leaves one for each broker."""
    greatest = PORT_MAX + 1 - brokers
    if 0 <= port <= greatest:
        return ""
    return f"0 to {greatest}" if brokers == 1 else f"0, or 1 to {greatest} for {brokers} brokers"


def _parsed(key: str, known: Mapping[str, str]) -> tuple[list[Named], list[Named]]:
    """Return the listeners of a config: those for clients, and those for controllers."""
    text = known.get(key, "")
    controllers = known.get("controller.listener.names", "CONTROLLER").upper().split(",")
    protocols = _security_protocols(known)
    served: list[Named] = []
    idle: list[Named] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(_LISTENER, part)
        if match is None:
            raise SettingsError(key, text, f"{part} is not written as NAME://HOST:PORT")
        listener = Named(match["name"].upper(), match["host"], int(match["port"]))
        if listener.name in controllers:
            idle.append(listener)
            continue
        protocol = protocols.get(listener.name, listener.name)
        if protocol not in set(SecurityProtocol):
            raise SettingsError(key, text, _no_protocol(listener.name, protocol))
        listener = listener._replace(security_protocol=SecurityProtocol(protocol))
        if any(each.name == listener.name for each in served):
            raise SettingsError(key, text, f"{listener.name} is named twice")
        served.append(listener)
    return served, idle


def _security_protocols(known: Mapping[str, str]) -> dict[str, str]:
    text = known.get("listener.security.protocol.map", "")
    pairs = (part.strip().partition(":") for part in text.split(",") if part.strip())
    return {name.strip().upper(): protocol.strip().upper() for name, _, protocol in pairs}


def _no_protocol(name: str, protocol: str) -> str:
    known = ", ".join(SecurityProtocol)
    if protocol != name:
        return f"{protocol} is no security protocol; the protocols are {known}"
    return (
        f"the listener {name} has no security protocol: add {name}:PLAINTEXT to"
        f" listener.security.protocol.map, or another of {known}"
    )


def _check_between_brokers(known: Mapping[str, str], named: Iterable[Named]) -> None:
    """Check the settings of requests between brokers, which are not sent here, as Kafka does."""
    key, protocol_key = "inter.broker.listener.name", "security.inter.broker.protocol"
    name, protocol = known.get(key), known.get(protocol_key)
    if name is not None and protocol is not None:
        raise SettingsError(key, name, f"{protocol_key} is set, too: set only one of them")
    listeners = ", ".join(each.name for each in named)
    if name is not None and all(each.name != name.upper() for each in named):
        raise SettingsError(key, name, f"there is no such listener; the listeners are {listeners}")
    if protocol is not None and all(each.security_protocol != protocol for each in named):
        why = f"no listener has this security protocol; the listeners are {listeners}"
        raise SettingsError(protocol_key, protocol, why)
