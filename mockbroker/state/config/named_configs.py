"""Configs of resources that are only names: groups (KIP-848), client metrics (KIP-714).

Consumer groups read theirs. The others are stored and described as in Kafka, but have no effect: no
metrics are collected from clients.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import (
    ConfigDefinition,
    ConfigEntry,
    ConfigSource,
    ConfigSynonym,
    client_metrics_definitions,
    group_definitions,
)
from mockbroker.state.config.validator import config_text, default_value, parse_config, split_list
from mockbroker.state.release.config_options import ConfigOptions

CLIENT_METRICS: Final = 16
GROUP: Final = 32

_SYNONYMS: Final = {"streams.assignor.name": "group.streams.assignors"}
_KINDS: Final = ("consumer", "share", "streams")
_STANDBY_REPLICAS: Final = "streams.num.standby.replicas"
_DEAD_LETTERS: Final = "errors.deadletterqueue.topic.name"
_INTERVAL: Final = "interval.ms"
_MATCH: Final = "match"
_SHORTEST_MS, _LONGEST_MS = 100, 3_600_000
_MATCHABLE: Final = frozenset(
    f"client_{each}"
    for each in (
        "instance_id",
        "id",
        "software_name",
        "software_version",
        "source_address",
        "source_port",
    )
)


def group_integer(configs: ConfigRepository, name: str, group_id: str, broker_id: int) -> int:
    """Return the value of a group's config of an integer type: its own, or that of its broker."""
    own = configs.named_overrides.get((GROUP, group_id))
    if own is None or name not in own:
        return configs.broker_integer(f"group.{name}", broker_id)
    return int(own[name])


class NamedConfigs(Protocol):
    """The configs of one resource type."""

    unnamed: str
    """The error when configs without a resource name are altered."""
    unnamed_described: str
    """The error when configs without a resource name are described."""

    def check(self, overrides: Mapping[str, str]) -> None:
        """Check the configs of one resource; raise INVALID_CONFIG or INVALID_REQUEST."""

    def describe(
        self, overrides: Mapping[str, str], broker_id: int, names: Iterable[str] | None
    ) -> list[ConfigEntry]:
        """Describe one resource and the configs set for it; None selects all configs."""
        ...


def named_configs(options: ConfigOptions, configs: ConfigRepository) -> dict[int, NamedConfigs]:
    """Return the release's resource types beside topics and brokers, by number."""
    kinds: dict[int, NamedConfigs] = {}
    if options.has_client_metrics:
        kinds[CLIENT_METRICS] = ClientMetricsConfigs(
            configs.release, are_typed=options.client_metrics_are_typed
        )
    if options.has_group_configs:
        kinds[GROUP] = GroupConfigs(configs)
    return kinds


class GroupConfigs:
    """Configs that override the brokers' settings for consumer, share and streams groups."""

    unnamed = "Default group resources are not allowed."
    unnamed_described = "Group name must not be empty"

    def __init__(self, configs: ConfigRepository) -> None:
        """Take bounds and inherited values from the brokers' configs."""
        self._configs = configs
        self._definitions = group_definitions(configs.release)

    def check(self, overrides: Mapping[str, str]) -> None:
        """Check names and values, and the bounds in the brokers' configs."""
        for name, text in overrides.items():
            definition = self._definitions.get(name)
            if definition is None:
                raise ApiError(ErrorCode.INVALID_CONFIG, f"Unknown group config name: {name}")
            why = self._out_of_bounds(name, parse_config(definition, text))
            if why:
                raise ApiError(ErrorCode.INVALID_CONFIG, why)
        for kind in _KINDS:
            self._check_session(kind, overrides)

    def _check_session(self, kind: str, overrides: Mapping[str, str]) -> None:
        session, heartbeat = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
        if session not in overrides and heartbeat not in overrides:
            return
        session_ms, heartbeat_ms = (
            int(overrides[name])
            if name in overrides
            else self._configs.broker_integer(f"group.{name}")
            for name in (session, heartbeat)
        )
        if session_ms <= heartbeat_ms:
            why = f"{session} must be greater than {heartbeat}"
            raise ApiError(ErrorCode.INVALID_CONFIG, why)

    def _out_of_bounds(self, name: str, value: object) -> str:
        if isinstance(value, int):
            return self._beyond_limits(name, value)
        if name in _SYNONYMS:
            assignors = split_list(config_text(self._configs.broker_value(_SYNONYMS[name])) or "")
            if value not in assignors:
                known = ", ".join(assignors)
                return (
                    f"{name} '{value}' is not a registered task assignor. Registered assignors"
                    f" are: [{known}]."
                )
        if name == _DEAD_LETTERS and str(value).startswith("__"):
            return f"{name}: DLQ topic name must not start with '__'"
        return ""

    def _beyond_limits(self, name: str, value: int) -> str:
        kind, _, rest = name.partition(".")
        lowest, highest = f"group.{kind}.min.{rest}", f"group.{kind}.max.{rest}"
        if name == _STANDBY_REPLICAS:
            limit = self._configs.broker_integer("group.streams.max.standby.replicas")
            return f"{name} must be less than or equal to {limit}" if value > limit else ""
        if lowest not in self._configs.broker_definitions:
            return ""
        low, high = (self._configs.broker_integer(each) for each in (lowest, highest))
        if low <= value <= high:
            return ""
        return f"{name} must be in the range {low} to {high} inclusive."

    def describe(
        self, overrides: Mapping[str, str], broker_id: int, names: Iterable[str] | None
    ) -> list[ConfigEntry]:
        """Describe a group, known or not: its own configs and the inherited ones."""
        wanted = self._definitions.keys() if names is None else set(names)
        return [
            self._entry(definition, overrides.get(name), broker_id)
            for name, definition in self._definitions.items()
            if name in wanted
        ]

    def _entry(self, definition: ConfigDefinition, own: str | None, broker_id: int) -> ConfigEntry:
        synonyms = self._beneath(definition, broker_id)
        if own is not None:
            text = config_text(parse_config(definition, own))
            source = ConfigSource.DYNAMIC_GROUP_CONFIG
            synonyms.insert(0, ConfigSynonym(name=definition.name, value=text, source=source))
        return _entry(definition, synonyms[0].value, synonyms[0].source, synonyms)

    def _beneath(self, definition: ConfigDefinition, broker_id: int) -> list[ConfigSynonym]:
        broker_name = _SYNONYMS.get(definition.name, f"group.{definition.name}")
        if broker_name in self._configs.broker_definitions:
            return self._configs.broker_synonyms(broker_name, broker_id)
        text = config_text(default_value(definition))
        return [ConfigSynonym(definition.name, text, ConfigSource.DEFAULT_CONFIG)]


class ClientMetricsConfigs:
    """Subscriptions to client metrics: the clients, the metrics and the interval."""

    unnamed = "Subscription name can't be empty"
    unnamed_described = "Client metrics subscription name must not be empty"

    def __init__(self, release: str, *, are_typed: bool) -> None:
        """Describe configs with types and defaults, or only the configs that are set."""
        self._are_typed = are_typed
        self._definitions = client_metrics_definitions(release)

    def check(self, overrides: Mapping[str, str]) -> None:
        """Check names, the interval, and the patterns that select clients."""
        for name in overrides:
            if name not in self._definitions:
                why = f"Unknown client metrics configuration: {name}"
                raise ApiError(ErrorCode.INVALID_REQUEST, why)
        if (interval := overrides.get(_INTERVAL)) is not None:
            self._check_interval(interval)
        for pattern in split_list(overrides.get(_MATCH, "")):
            _check_pattern(pattern)

    def _check_interval(self, text: str) -> None:
        try:
            value = parse_config(self._definitions[_INTERVAL], text)
        except ApiError:
            if self._are_typed:
                raise
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
        assert isinstance(value, int), value
        if not _SHORTEST_MS <= value <= _LONGEST_MS:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"Invalid value {value} for {_INTERVAL}, interval must be between {_SHORTEST_MS}"
                f" and {_LONGEST_MS} (1 hour)",
            )

    def describe(
        self, overrides: Mapping[str, str], broker_id: int, names: Iterable[str] | None
    ) -> list[ConfigEntry]:
        """Describe a subscription, known or not."""
        assert broker_id > 0, broker_id
        wanted = self._definitions.keys() if names is None else set(names)
        return [
            self._entry(definition, overrides.get(name))
            for name, definition in self._definitions.items()
            if name in wanted and (self._are_typed or name in overrides)
        ]

    def _entry(self, definition: ConfigDefinition, own: str | None) -> ConfigEntry:
        source = ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG
        if not self._are_typed:
            bare = _entry(definition, own, source, ())
            return bare._replace(type=None, documentation="")
        if own is None:
            default = config_text(default_value(definition))
            return _entry(definition, default, ConfigSource.DEFAULT_CONFIG, ())
        text = config_text(parse_config(definition, own))
        return _entry(definition, text, source, [ConfigSynonym(definition.name, text, source)])


def _check_pattern(pattern: str) -> None:
    name, _, expression = pattern.partition("=")
    try:
        re.compile(expression)
    except re.error:
        expression = ""
    if name.strip() not in _MATCHABLE or not expression or "=" in expression:
        why = f"Illegal client matching pattern: {pattern}"
        raise ApiError(ErrorCode.INVALID_CONFIG, why)


def _entry(
    definition: ConfigDefinition,
    value: str | None,
    source: ConfigSource,
    synonyms: Iterable[ConfigSynonym],
) -> ConfigEntry:
    return ConfigEntry(
        name=definition.name,
        value=value,
        source=source,
        read_only=False,
        is_sensitive=False,
        type=definition.type,
        synonyms=tuple(synonyms),
        documentation=definition.documentation,
    )
