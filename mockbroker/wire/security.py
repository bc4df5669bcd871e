"""Security of connections to a cluster, from the settings of Kafka's clients.

The names are those of Java's clients, as in the file for `--command-config` of Kafka's tools, and
in Spark's options behind `kafka.`; those of librdkafka are understood, too.
"""

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from mockbroker.errors import SettingsError
from mockbroker.server.tls.server_context import load_key_store
from mockbroker.server.tls.stores import (
    StoreConfigs,
    authorities_of_file,
    authorities_of_pem,
    key_store_of_file,
    key_store_of_pem,
)
from mockbroker.server.tls.tls_settings import KeyStore
from mockbroker.settings.java_properties import parse_properties
from mockbroker.settings.listener_settings import SecurityProtocol
from mockbroker.state.security.sasl.jaas_config import JaasConfigError, parse_jaas_config
from mockbroker.wire.sasl_client import MECHANISMS, OAUTHBEARER, ClientLogin, unsecured_token

PROTOCOL: Final = "security.protocol"
_MECHANISM: Final = "sasl.mechanism"
_JAAS: Final = "sasl.jaas.config"
_TOKENS: Final = "sasl.oauthbearer.token.endpoint.url"
_CHECK: Final = "ssl.endpoint.identification.algorithm"
_KEY: Final = "ssl.keystore"
_TRUST: Final = "ssl.truststore"
_KEY_PASSWORD: Final = "ssl.key.password"
SETTINGS: Final = frozenset(
    {
        *(PROTOCOL, _MECHANISM, "sasl.mechanisms", _JAAS, "sasl.username", "sasl.password"),
        *(_TOKENS, _CHECK, _KEY_PASSWORD, "ssl.ca.location", "ssl.ca.pem"),
        *(f"{_TRUST}.{name}" for name in ("type", "location", "password", "certificates")),
        *(f"{_KEY}.{name}" for name in ("type", "location", "password", "certificate.chain")),
        f"{_KEY}.key",
    }
)
"""Settings that are understood here."""
_HIDDEN: Final = "(hidden)"
_FILE: Final = "file://"
_CONTEXTS_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class Security:
    """Protocol, authorities and credentials of connections; a value that processes can pass on.

    Files were read when it was made, so that Spark's workers need none.
    """

    protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    authorities_pem: str | None = None
    """Certificates that a broker's has to lead to; None: those of the machine."""
    key_store: KeyStore | None = field(default=None, repr=False)
    """Certificate of the client, if it shows one."""
    checks_names: bool = True
    login: ClientLogin | None = None

    def options(self) -> dict[str, str]:
        """Return the settings again, with all files' contents in them."""
        options = {PROTOCOL: self.protocol.value}
        if self.authorities_pem is not None:
            options |= {f"{_TRUST}.type": "PEM", f"{_TRUST}.certificates": self.authorities_pem}
        if self.key_store is not None:
            options |= {
                f"{_KEY}.type": "PEM",
                f"{_KEY}.certificate.chain": self.key_store.chain_pem,
                f"{_KEY}.key": self.key_store.key_pem,
            }
            if self.key_store.key_password is not None:
                options[_KEY_PASSWORD] = self.key_store.key_password
        if not self.checks_names:
            options[_CHECK] = ""
        if self.login is not None:
            options |= {
                _MECHANISM: self.login.mechanism,
                "sasl.username": self.login.user,
                "sasl.password": self.login.token or self.login.password,
            }
        return options


PLAINTEXT: Final = Security()


@lru_cache(_CONTEXTS_MAX)
def context_of(security: Security) -> ssl.SSLContext:
    """Return the context for connections with TLS.

    Raises:
        SettingsError: the certificate of the client cannot be used.

    """
    context = ssl.create_default_context(cadata=security.authorities_pem)
    context.check_hostname = security.checks_names
    if security.key_store is not None:
        load_key_store(context, security.key_store)
    return context


def security_of_file(path: Path) -> Security:
    """Read the settings of a file such as `client.properties`.

    Raises:
        SettingsError: it cannot be read, or a setting is wrong.

    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            "--command-config", str(path), f"it cannot be read: {_why(error)}"
        ) from None
    return security_of(parse_properties(text))


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def security_of(settings: Mapping[str, str]) -> Security:
    """Take the settings that concern security; others are left out.

    Raises:
        SettingsError: one is wrong, or one is missing; the text has no secrets.

    """
    text = settings.get(PROTOCOL, SecurityProtocol.PLAINTEXT.value)
    try:
        protocol = SecurityProtocol(text.strip().upper())
    except ValueError:
        names = ", ".join(SecurityProtocol)
        raise SettingsError(PROTOCOL, text, f"the protocols are {names}") from None
    return Security(
        protocol,
        authorities_pem=_authorities(settings) if protocol.is_ssl else None,
        key_store=_key_store(settings) if protocol.is_ssl else None,
        checks_names=settings.get(_CHECK, "https").strip().lower() not in {"", "none"},
        login=_login(settings) if protocol.is_sasl else None,
    )


# TLS


def _authorities(settings: Mapping[str, str]) -> str | None:
    for name in (f"{_TRUST}.certificates", "ssl.ca.pem"):
        if name in settings:
            return authorities_of_pem(settings[name])
    if "ssl.ca.location" in settings:
        return authorities_of_file(_store(_TRUST, "PEM", settings["ssl.ca.location"], None))
    location = settings.get(f"{_TRUST}.location")
    if location is None:
        return None
    kind = settings.get(f"{_TRUST}.type", "JKS")
    return authorities_of_file(_store(_TRUST, kind, location, settings.get(f"{_TRUST}.password")))


def _key_store(settings: Mapping[str, str]) -> KeyStore | None:
    password = settings.get(_KEY_PASSWORD)
    if f"{_KEY}.certificate.chain" in settings:
        chain = settings[f"{_KEY}.certificate.chain"]
        return key_store_of_pem(chain, settings.get(f"{_KEY}.key", ""), password)
    location = settings.get(f"{_KEY}.location")
    if location is None:
        return None
    kind = settings.get(f"{_KEY}.type", "JKS")
    store = _store(_KEY, kind, location, settings.get(f"{_KEY}.password"))
    return key_store_of_file(store, password)


def _store(name: str, kind: str, location: str, password: str | None) -> StoreConfigs:
    return StoreConfigs(name, kind, location.removeprefix(_FILE), password)


# SASL


def _login(settings: Mapping[str, str]) -> ClientLogin:
    mechanism = settings.get(_MECHANISM, settings.get("sasl.mechanisms", "GSSAPI")).strip().upper()
    if mechanism not in MECHANISMS:
        why = f"the mechanisms are {', '.join(MECHANISMS)}"
        raise SettingsError(_MECHANISM, mechanism, why)
    options = _jaas_options(settings)
    if mechanism == OAUTHBEARER:
        return ClientLogin(mechanism, token=_token(settings, options))
    user = options.get("username", settings.get("sasl.username"))
    password = options.get("password", settings.get("sasl.password"))
    if user is None or password is None:
        why = f"{mechanism} needs username and password in it, or sasl.username and sasl.password"
        raise SettingsError(_JAAS, _HIDDEN, why)
    return ClientLogin(mechanism, user, password)


def _jaas_options(settings: Mapping[str, str]) -> dict[str, str]:
    if _JAAS not in settings:
        return {}
    try:
        return parse_jaas_config(settings[_JAAS]).options
    except JaasConfigError as error:
        raise SettingsError(_JAAS, _HIDDEN, str(error)) from None


def _token(settings: Mapping[str, str], options: Mapping[str, str]) -> str:
    """Return the token of a file, or Kafka's unsecured one."""
    if token := settings.get("sasl.password"):
        return token
    place = settings.get(_TOKENS, "")
    if place.startswith(_FILE):
        try:
            return Path(place.removeprefix(_FILE)).read_text("utf-8").strip()
        except OSError as error:
            raise SettingsError(_TOKENS, place, f"it cannot be read: {error.strerror}") from None
    subject = options.get("unsecuredLoginStringClaim_sub")
    if subject is None or place:
        why = (
            "OAUTHBEARER needs a file with a token (file:///path), or unsecuredLoginStringClaim_sub"
        )
        raise SettingsError(_TOKENS, place, f"{why} in {_JAAS}")
    return unsecured_token(subject, time.time())
