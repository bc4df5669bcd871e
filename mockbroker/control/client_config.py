"""What a client needs to connect to a listener, and its settings for each client library."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockbroker.control.advertised_listeners import ListenerInfo, address
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.settings.listener_settings import SecurityProtocol

if TYPE_CHECKING:
    import ssl

    from mockbroker.server.tls.authority import IssuedCertificate

_CONTEXT: Final = "mockbroker.server.tls.client_context"
"""Loaded by name, as most clusters have no TLS."""
_MECHANISMS: Final = "sasl.enabled.mechanisms"


class ClientAccess(NamedTuple):
    """Who a client is, and to which listener it connects."""

    user: str | None = None
    """For a listener with SASL, with the password."""
    password: str = ""
    mechanism: str | None = None
    """Of SASL; None: the first one of the listener."""
    certificate: "IssuedCertificate | None" = None
    """What a client with TLS shows, from `cluster.certificates.issue`."""
    listener: str | None = None
    """None: the main one."""


ANYONE: Final = ClientAccess()


class Login(NamedTuple):
    """How a client authenticates by SASL."""

    user: str
    password: str
    mechanism: str


class ClientNeeds(NamedTuple):
    """What a client needs to connect to a listener."""

    bootstrap_servers: str
    security_protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    ca_pem: str | None = None
    """Authority to trust; None if the user knows it better."""
    certificate: "IssuedCertificate | None" = None
    """Certificate of the client, if it shows one."""
    login: Login | None = None


def client_needs(running: RunningCluster, access: ClientAccess) -> ClientNeeds:
    """Return what a client needs to connect.

    Raises:
        LookupError: there is no such listener.
        ValueError: the listener needs SASL, and there is no user.

    """
    chosen = _listeners(running, access.listener)
    first = chosen[0]
    protocol = first.security_protocol
    login: Login | None = None
    if protocol.is_sasl:
        if access.user is None:
            example = 'ClientAccess(user="alice", password="secret")'
            raise ValueError(f"the listener {first.name} uses SASL: give {example}")
        configs = running.state.configs
        enabled = configs.listener_value(_MECHANISMS, first.name, first.broker_id)
        assert isinstance(enabled, tuple), enabled
        login = Login(access.user, access.password, access.mechanism or enabled[0])
    issues = protocol.is_ssl and running.settings.tls
    return ClientNeeds(
        ",".join(address(each.advertised_host, each.advertised_port) for each in chosen),
        protocol,
        ca_pem=running.security.authority.ca_pem if issues else None,
        certificate=access.certificate,
        login=login,
    )


def _listeners(running: RunningCluster, name: str | None) -> list[ListenerInfo]:
    views = running.advertised.views
    wanted = views[0].name if name is None else name.upper()
    chosen = [each for each in views if each.name == wanted]
    if not chosen:
        names = ", ".join(dict.fromkeys(each.name for each in views))
        raise LookupError(f"there is no listener {name}; the listeners are {names}")
    return chosen


def client_config(client: str, needs: ClientNeeds, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with which a client library connects to a listener, plus `extra`.

    Raises:
        ValueError: no such client is known.

    """
    connect = _CONNECT.get(client)
    if connect is None:
        raise ValueError(f"client {client!r} is unknown; the clients are {', '.join(CLIENTS)}")
    return connect(needs) | dict(extra)


def _librdkafka(needs: ClientNeeds) -> dict[str, Any]:
    settings = {"bootstrap.servers": needs.bootstrap_servers, **_protocol(needs)}
    if needs.security_protocol.is_ssl:
        if needs.ca_pem is not None:
            settings["ssl.ca.pem"] = needs.ca_pem
        if needs.certificate is not None:
            settings["ssl.certificate.pem"] = needs.certificate.certificate_pem
            settings["ssl.key.pem"] = needs.certificate.key_pem
    if needs.login is not None:
        settings["sasl.mechanism"] = needs.login.mechanism
        settings["sasl.username"] = needs.login.user
        settings["sasl.password"] = needs.login.password
    return settings


def _java(needs: ClientNeeds) -> dict[str, Any]:
    """Return settings for clients from 2.7 on: the older ones read no PEM (KIP-651)."""
    settings = {"bootstrap.servers": needs.bootstrap_servers, **_protocol(needs)}
    if needs.security_protocol.is_ssl:
        if needs.ca_pem is not None:
            settings["ssl.truststore.type"] = "PEM"
            settings["ssl.truststore.certificates"] = needs.ca_pem
        if needs.certificate is not None:
            settings["ssl.keystore.type"] = "PEM"
            settings["ssl.keystore.certificate.chain"] = needs.certificate.certificate_pem
            settings["ssl.keystore.key"] = needs.certificate.key_pem
    if needs.login is not None:
        settings["sasl.mechanism"] = needs.login.mechanism
        settings["sasl.jaas.config"] = _jaas(needs.login)
    return settings


def _jaas(login: Login) -> str:
    kind = "scram.Scram" if login.mechanism.startswith("SCRAM-") else "plain.Plain"
    user, password = (
        text.replace("\\", "\\\\").replace('"', '\\"') for text in (login.user, login.password)
    )
    module = f"org.apache.kafka.common.security.{kind}LoginModule"
    return f'{module} required username="{user}" password="{password}";'


def _python(needs: ClientNeeds, servers: str | list[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {"bootstrap_servers": servers}
    if needs.security_protocol is not SecurityProtocol.PLAINTEXT:
        settings["security_protocol"] = needs.security_protocol.value
    if needs.security_protocol.is_ssl:
        context: ssl.SSLContext = import_module(_CONTEXT).client_context(
            needs.ca_pem, needs.certificate
        )
        settings["ssl_context"] = context
    if needs.login is not None:
        settings["sasl_mechanism"] = needs.login.mechanism
        settings["sasl_plain_username"] = needs.login.user
        settings["sasl_plain_password"] = needs.login.password
    return settings


def _protocol(needs: ClientNeeds) -> dict[str, str]:
    if needs.security_protocol is SecurityProtocol.PLAINTEXT:
        return {}
    return {"security.protocol": needs.security_protocol.value}


_CONNECT: Final[Mapping[str, Callable[[ClientNeeds], dict[str, Any]]]] = {
    "confluent": _librdkafka,
    "aiokafka": lambda needs: _python(needs, needs.bootstrap_servers),
    "kafka-python": lambda needs: _python(needs, needs.bootstrap_servers.split(",")),
    "java": _java,
    "spark": lambda needs: {f"kafka.{name}": value for name, value in _java(needs).items()},
}

CLIENTS: Final = tuple(_CONNECT)
