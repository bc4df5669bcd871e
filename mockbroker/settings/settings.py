"""Settings of a new cluster: command line over environment over server.properties over defaults."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mockbroker.errors import SettingsError, similar_names
from mockbroker.protocol.errors import ApiError
from mockbroker.settings.listener_settings import (
    Listeners,
    ListenerSettings,
    Named,
    Wanted,
    broker_listeners,
)
from mockbroker.state.config.broker_config import check_broker_configs
from mockbroker.state.config.broker_security_configs import AUTHORIZER_CLASS
from mockbroker.state.config.definition import broker_definitions
from mockbroker.state.release.options import DEFAULT_RELEASE, Options
from mockbroker.state.release.proposals import with_proposals

DEFAULT_NODE_ID: Final = 1

_BROKERS_MAX: Final = 100
_NO_LEVEL: Final = -1

# Set per broker from the settings below, so that each broker's own value is shown.
_PER_BROKER: Final = frozenset(
    {"node.id", "broker.id", "listeners", "advertised.listeners", "broker.rack"}
)


class BrokerEndpoint(NamedTuple):
    """Broker with its id, rack and listeners."""

    node_id: int
    rack: str | None
    listeners: tuple[ListenerSettings, ...]
    """The first is its main one."""

    @property
    def main(self) -> ListenerSettings:
        """Listener whose address identifies the broker."""
        return self.listeners[0]


class InitialTopic(NamedTuple):
    """Topic that exists from the start."""

    name: str
    num_partitions: int
    """-1 for the default of the cluster."""


class Settings(NamedTuple):
    """Checked settings of a new cluster."""

    options: Options
    endpoints: tuple[BrokerEndpoint, ...]
    """One per broker, in the order of their ids."""
    idle_listeners: tuple[Named, ...]
    """Listeners of controllers: bound, but not served."""
    configs: Mapping[str, str]
    """Broker configs that all brokers share."""
    topics: tuple[InitialTopic, ...]
    seed: int
    cluster_id: str | None
    """None: chosen by the seed."""
    tls: bool
    """True to issue certificates for listeners with TLS that have none."""
    warnings: tuple[str, ...]
    """Warnings, which the caller logs."""


class SettingNames(NamedTuple):
    """Names of settings in errors, which depend on their source."""

    release: str
    topic: str
    config: str
    feature: str
    proposal: str
    brokers: str
    port: str
    topic_form: str
    """Form of a topic."""
    pair_form: str
    """Form of a config or a feature."""
    unknown_allowed: str = ""
    """Part of an error about an unknown config, with the setting that allows it."""


COMMAND_LINE: Final = SettingNames(
    release="--kafka",
    topic="--topic",
    config="-c",
    feature="--feature",
    proposal="--proposal",
    brokers="--brokers",
    port="--port",
    topic_form="written as NAME or NAME:PARTITIONS, from 1 on",
    pair_form="written as KEY=VALUE",
)
PYTHON: Final = SettingNames(
    release="kafka",
    topic="topics",
    config="config",
    feature="features",
    proposal="proposals",
    brokers="brokers",
    port="port",
    topic_form="each topic has a name, and a number of partitions from 1 on",
    pair_form="each value has a name",
    unknown_allowed=" (`allow_unknown_config=True` ignores it)",
)


class Given(NamedTuple):
    """Settings of the user; None or empty if not given."""

    host: str | None = None
    port: int | None = None
    brokers: int = 1
    topics: Sequence[str] = ()
    """As `NAME` or `NAME:PARTITIONS`."""
    configs: Sequence[str] = ()
    """As `KEY=VALUE`."""
    features: Sequence[str] = ()
    """As `NAME=LEVEL`."""
    proposals: Sequence[str] = ()
    """Names of what Kafka never shipped (`state/proposals.py`)."""
    properties: str = ""
    """The text of a server.properties file."""
    release: str | None = None
    names: SettingNames = COMMAND_LINE
    scenario: Mapping[str, str] = {}
    """Broker configs of a scenario, which override those of the file; all must exist."""
    environment: Mapping[str, str] = {}
    """Broker configs that override those of the scenario and the file."""
    variables: Mapping[str, str] = {}
    """Name of the variable of each config that it decides, for errors."""
    advertised_host: str | None = None
    """Advertised host of listeners that have no other."""
    tls: bool = False
    """True to issue certificates for listeners with TLS that have none."""
    cluster_id: str | None = None
    """Cluster id; default: chosen by the seed."""
    is_strict: bool = False
    """True if a config that the release does not have is an error."""
    warnings: tuple[str, ...] = ()
    """Earlier warnings."""


def resolve_settings(given: Given) -> Settings:
    """Merge the settings of the user with the defaults.

    Raises:
        SettingsError: a setting is invalid; the error names it and the allowed values.

    """
    names = given.names
    options = _options(given.release, given.features, names)
    options = _with_proposals(options, given.proposals, names)
    configs = _pairs(names.config, given.configs, names)
    merged = _in_file(given.properties) | dict(given.scenario) | dict(given.environment) | configs
    known, warnings = _known_configs(options.release, merged, given)
    _check_authorizer(options, known.get(AUTHORIZER_CLASS, ""), given)
    endpoints, listeners = _endpoints(given, known)
    return Settings(
        options=options,
        endpoints=endpoints,
        idle_listeners=listeners.idle,
        configs={name: text for name, text in known.items() if name not in _PER_BROKER},
        topics=tuple(_initial_topic(text, names) for text in given.topics),
        seed=int(known.get("mockbroker.seed", "0")),
        cluster_id=given.cluster_id,
        tls=given.tls,
        warnings=(*given.warnings, *warnings),
    )


# Options


def _options(release: str | None, features: Sequence[str], names: SettingNames) -> Options:
    try:
        options = Options.for_release(release or DEFAULT_RELEASE)
    except ValueError as error:
        raise SettingsError(names.release, str(release), str(error)) from None
    levels = _pairs(names.feature, features, names)
    for name, text in levels.items():
        options = _with_feature(options, f"{names.feature} {name}", name, text)
    return options


def _with_feature(options: Options, setting: str, name: str, text: str) -> Options:
    level = int(text) if text.isdecimal() else _NO_LEVEL
    try:
        return options.with_feature(name, level)
    except ValueError as error:
        raise SettingsError(setting, text, str(error)) from None


def _with_proposals(options: Options, proposals: Sequence[str], names: SettingNames) -> Options:
    for proposal in proposals:
        try:
            options = with_proposals(options, [proposal])
        except ValueError as error:
            raise SettingsError(names.proposal, proposal, str(error)) from None
    return options


# Configs


def _in_file(properties: str) -> dict[str, str]:
    if not properties:
        return {}
    # Imported late: few clusters have a properties file.
    from mockbroker.settings.java_properties import parse_properties

    return parse_properties(properties)


def _pairs(option: str, texts: Sequence[str], names: SettingNames) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key.strip():
            raise SettingsError(option, text, names.pair_form)
        pairs[key.strip()] = value.strip()
    return pairs


def _known_configs(
    release: str, merged: Mapping[str, str], given: Given
) -> tuple[dict[str, str], list[str]]:
    try:
        known, unknown = check_broker_configs(release, merged)
    except ApiError as error:
        name = next((name for name in merged if f"configuration {name}:" in error.why), "")
        setting = given.variables.get(name, name)
        raise SettingsError(setting, merged.get(name, ""), error.why) from None
    for name in unknown:
        is_own = name in given.scenario  # a file that nobody but us reads
        if given.is_strict or is_own:
            setting = given.variables.get(name, name)
            advice = "" if is_own else given.names.unknown_allowed
            raise SettingsError(setting, merged[name], _unknown_config(release, name, advice))
    return known, [_unknown_config(release, name, ", it is ignored") for name in unknown]


def _check_authorizer(options: Options, name: str, given: Given) -> None:
    served = options.security.authorizers
    if not name or name in served:
        return
    why = f"served as Kafka {options.release}: {', '.join(served)}"
    raise SettingsError(given.variables.get(AUTHORIZER_CLASS, AUTHORIZER_CLASS), name, why)


def _unknown_config(release: str, name: str, outcome: str) -> str:
    guesses = similar_names(name, broker_definitions(release), 1)
    hint = f"; did you mean {guesses[0]}?" if guesses else ""
    return f"Kafka {release} has no broker config {name}{outcome}{hint}"


# Brokers


def _endpoints(
    given: Given, known: Mapping[str, str]
) -> tuple[tuple[BrokerEndpoint, ...], Listeners]:
    if not 1 <= given.brokers <= _BROKERS_MAX:
        why = f"allowed are 1 to {_BROKERS_MAX}"
        raise SettingsError(given.names.brokers, str(given.brokers), why)
    wanted = Wanted(
        known,
        host=given.host,
        port=given.port,
        advertised_host=given.advertised_host,
        brokers=given.brokers,
        port_setting=given.names.port,
        tls=given.tls,
    )
    listeners = broker_listeners(wanted)
    first_id = int(known.get("node.id", known.get("broker.id", str(DEFAULT_NODE_ID))))
    first_id = DEFAULT_NODE_ID if first_id < 0 else first_id
    rack = known.get("broker.rack")
    endpoints = (
        BrokerEndpoint(first_id + index, rack, each)
        for index, each in enumerate(listeners.by_broker)
    )
    return tuple(endpoints), listeners


# Topics


def _initial_topic(text: str, names: SettingNames) -> InitialTopic:
    name, separator, count = text.partition(":")
    if not name or (separator and (not count.isdecimal() or int(count) == 0)):
        raise SettingsError(names.topic, text, names.topic_form)
    return InitialTopic(name=name, num_partitions=int(count) if separator else -1)
