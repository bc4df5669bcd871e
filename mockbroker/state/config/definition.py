"""Definition of a config: name, type, default, allowed values and update mode; its description.

The tables of this package have six columns: name, type (Kafka's `ConfigDef.Type`), default (`null`,
`required`, `""` for the empty text), allowed values, update mode, and the releases that the row
applies to: `*` for all, `2.4`, `..2.4`, `2.4..`, or `1.1..2.4`, ends included. Allowed values are
written `-` for any, `0..` and `0..9` for bounds, `a|b` for a choice, `nocase:a|b` for a
case-insensitive one, `full:a|b` for a list without empty parts, or the name of a rule of
`validator.py`. Update modes: `dynamic`: clients can change it; `static`: set only at start;
`apparent`: static, but described as dynamic; `internal`: static and not described; `unlisted`:
dynamic, and described only if a client has set it.
"""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from mockbroker.state.config.broker_coordinator_configs import COORDINATOR_CONFIGS
from mockbroker.state.config.broker_log_configs import LOG_CONFIGS
from mockbroker.state.config.broker_security_configs import SECURITY_CONFIGS
from mockbroker.state.config.broker_server_configs import SERVER_CONFIGS
from mockbroker.state.config.subscriber_configs import CLIENT_METRICS_CONFIGS, GROUP_CONFIGS
from mockbroker.state.config.topic_configs import TOPIC_CONFIGS
from mockbroker.state.release.release_versions import known_releases

ConfigValue: TypeAlias = bool | int | float | str | tuple[str, ...] | None
"""A parsed config: a LIST is a tuple, PASSWORD and CLASS are text, null is None."""

_OWN_CONFIGS: Final = """
allow.everyone.if.no.acl.found BOOLEAN false - internal *
max.incremental.fetch.session.cache.slots INT 1000 0.. internal 0.11..1.0
mockbroker.internal.topics.at.once BOOLEAN true - internal *
mockbroker.memory.bytes LONG 2147483648 1048576.. internal *
mockbroker.seed LONG 0 0.. internal *
producer.id.expiration.check.interval.ms INT 600000 1.. internal ..2.8
super.users STRING "" - internal *
"""

_OF_A_LISTENER: Final = "listener.name."
_OF_A_MECHANISM: Final = (
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
    "connections.max.reauth.ms",
    "sasl.oauthbearer.allow.unverified.audience",
    "sasl.oauthbearer.allow.unverified.issuer",
    "sasl.oauthbearer.clock.skew.seconds",
    "sasl.oauthbearer.expected.audience",
    "sasl.oauthbearer.expected.issuer",
    "sasl.oauthbearer.jwks.endpoint.refresh.ms",
    "sasl.oauthbearer.jwks.endpoint.url",
    "sasl.oauthbearer.jwt.validator.class",
    "sasl.oauthbearer.scope.claim.name",
    "sasl.oauthbearer.sub.claim.name",
)
"""Configs that a listener may have for each mechanism of SASL."""
_EVERY_RELEASE: Final = "*"
_SPAN: Final = ".."
_NO_DEFAULT: Final = frozenset({"null", "required"})


class ConfigType(IntEnum):
    """The type of a config, numbered as in DescribeConfigs (`ConfigEntry.ConfigType`)."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigSource(IntEnum):
    """The source of a config's value, numbered as in DescribeConfigs (`ConfigSource`)."""

    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8


class ConfigDefinition(NamedTuple):
    """One config of a topic or a broker in one release of Kafka."""

    name: str
    type: ConfigType
    default: str | None
    """The default as text; None if there is none."""
    allowed: str
    """The allowed values, in the notation of the tables."""
    is_dynamic: bool
    """True if clients can change it while the cluster runs."""
    looks_dynamic: bool
    """True if it is described as a config that clients can change."""
    is_internal: bool
    """True if it is accepted but never described."""
    is_unlisted: bool
    """True if it is described only after a client has set it."""

    @property
    def is_sensitive(self) -> bool:
        """True if its value is hidden from clients."""
        return self.type is ConfigType.PASSWORD

    @property
    def documentation(self) -> str:
        """A sentence about the allowed values, in place of Kafka's own text."""
        allowed = "any value" if self.allowed == "-" else f"allowed: {self.allowed}"
        default = "no default" if self.default is None else f'default "{self.default}"'
        changed = "a client may change it" if self.is_dynamic else "set when the broker starts"
        return f"{self.name} ({self.type.name}): {default}, {allowed}; {changed}."


class ConfigSynonym(NamedTuple):
    """One of the places where a config is set, as in DescribeConfigs."""

    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    """A config as in DescribeConfigs."""

    name: str
    value: str | None
    """The effective value; None when it is null or sensitive."""
    source: ConfigSource
    read_only: bool
    is_sensitive: bool
    type: ConfigType | None
    """None for a config that the release does not know."""
    synonyms: tuple[ConfigSynonym, ...]
    """All places where it is set, the effective one first."""
    documentation: str | None = None
    """Description of the allowed values; None for a config that the release does not know.

    It is empty for a config that the release knows without documentation.
    """


@cache
def topic_definitions(release: str) -> Mapping[str, ConfigDefinition]:
    """Return the configs of a topic in a release, by name."""
    return _parse(TOPIC_CONFIGS, release)


@cache
def group_definitions(release: str) -> Mapping[str, ConfigDefinition]:
    """Return the configs of a group in a release, by name."""
    return _parse(GROUP_CONFIGS, release)


@cache
def client_metrics_definitions(release: str) -> Mapping[str, ConfigDefinition]:
    """Return the configs of a client metrics subscription in a release, by name."""
    return _parse(CLIENT_METRICS_CONFIGS, release)


@cache
def broker_definitions(release: str) -> Mapping[str, ConfigDefinition]:
    """Return the configs of a broker in a release, and mockbroker's own, by name."""
    tables = (LOG_CONFIGS, SERVER_CONFIGS, COORDINATOR_CONFIGS, SECURITY_CONFIGS, _OWN_CONFIGS)
    merged: dict[str, ConfigDefinition] = {}
    for table in tables:
        merged.update(_parse(table, release))
    return dict(sorted(merged.items()))


def listener_prefix(listener: str) -> str:
    """Return the prefix of a listener's own configs, with its name in lower case (KIP-103)."""
    return f"{_OF_A_LISTENER}{listener.lower()}."


def base_config_name(name: str) -> str | None:
    """Return the broker config that a listener's own config overrides; None for other configs."""
    if not name.startswith(_OF_A_LISTENER):
        return None
    _, separator, base = name.removeprefix(_OF_A_LISTENER).partition(".")
    if not separator:
        return None
    # As in Kafka, the name of a mechanism is not checked.
    return next((name for name in _OF_A_MECHANISM if base.endswith(f".{name}")), base)


def base_definition(release: str, name: str) -> ConfigDefinition | None:
    """Return the definition of a broker config, which may have the prefix of a listener."""
    return broker_definitions(release).get(base_config_name(name) or name)


def _holds_for(row_releases: str, release: str) -> bool:
    if _SPAN not in row_releases:
        return row_releases in {_EVERY_RELEASE, release}
    releases = known_releases()
    oldest, newest = row_releases.split(_SPAN)
    first = releases.index(oldest) if oldest else 0
    last = releases.index(newest) if newest else len(releases) - 1
    return first <= releases.index(release) <= last


def _parse(table: str, release: str) -> dict[str, ConfigDefinition]:
    definitions: dict[str, ConfigDefinition] = {}
    for row in table.strip().split("\n"):
        name, type_name, default, allowed, update, row_releases = row.split()
        if _holds_for(row_releases, release):
            definitions[name] = ConfigDefinition(
                name,
                ConfigType[type_name],
                None if default in _NO_DEFAULT else default.strip('"'),
                allowed,
                update in {"dynamic", "unlisted"},
                update in {"dynamic", "apparent", "unlisted"},
                update == "internal",
                update == "unlisted",
            )
    return definitions
