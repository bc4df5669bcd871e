"""All configs of a cluster, as texts, and their precedence.

A topic's config is its own override, else the broker config that it falls back on, else the
default. A broker's config is the dynamic config of that broker, else the dynamic default of all
brokers, else the settings the process was started with, else the default (KIP-226).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mockbroker.state.config.definition import (
    ConfigDefinition,
    ConfigEntry,
    ConfigSource,
    ConfigSynonym,
    ConfigValue,
    base_config_name,
    base_definition,
    broker_definitions,
    listener_prefix,
    topic_definitions,
)
from mockbroker.state.config.topic_config import (
    NEWEST_RECORD_VERSION,
    TopicConfig,
    typed_topic_config,
)
from mockbroker.state.config.topic_configs import BROKER_SYNONYMS
from mockbroker.state.config.validator import config_text, default_value, parse_config

_HOUR_MS: Final = 3_600_000
_MINUTE_MS: Final = 60_000

# Older configs that replace a newer one that is not set, with the factor between their units.
_FALLBACKS: Final[Mapping[str, tuple[tuple[str, int], ...]]] = {
    "log.retention.ms": (("log.retention.minutes", _MINUTE_MS), ("log.retention.hours", _HOUR_MS)),
    "log.roll.ms": (("log.roll.hours", _HOUR_MS),),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", _HOUR_MS),),
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
}


class ConfigRepository:
    """The configs of all topics and brokers of a cluster, and every change to them."""

    def __init__(
        self,
        release: str,
        static: Mapping[str, str],
        static_by_broker: Mapping[int, Mapping[str, str]],
        *,
        keeps_old_message_formats: bool = False,
    ) -> None:
        """Create it with validated settings: those of all brokers, and those of each.

        Without `keeps_old_message_formats`, `message.format.version` has no effect.
        """
        self.release = release
        self._keeps_old_message_formats = keeps_old_message_formats
        self.static = dict(static)
        self.static_by_broker = {broker: dict(own) for broker, own in static_by_broker.items()}
        self.dynamic_default: dict[str, str] = {}
        """Configs that clients have set for all brokers."""
        self.dynamic_by_broker: dict[int, dict[str, str]] = {}
        """Configs that clients have set for one broker."""
        self.broker_changes = 0
        """How often clients have changed configs of brokers."""
        self.topic_overrides: dict[str, dict[str, str]] = {}
        self.named_overrides: dict[tuple[int, str], dict[str, str]] = {}
        """Configs that clients have set for groups and client metrics, by type and name."""
        self._topic_configs: dict[str, dict[int, TopicConfig]] = {}
        self._broker_values: dict[tuple[str, int | None], ConfigValue] = {}
        self._inherited_entries: dict[int, dict[str, ConfigEntry]] = {}
        """Descriptions of a topic without overrides, by broker: all such topics share them."""
        self._broker_entries: dict[int, tuple[ConfigEntry, ...]] = {}

    # Definitions

    @property
    def topic_definitions(self) -> Mapping[str, ConfigDefinition]:
        """The configs that a topic has in this release."""
        return topic_definitions(self.release)

    @property
    def broker_definitions(self) -> Mapping[str, ConfigDefinition]:
        """The configs that a broker has in this release."""
        return broker_definitions(self.release)

    # Effective values

    def broker_value(self, name: str, broker_id: int | None = None) -> ConfigValue:
        """Return the value of a broker's config; without a broker, that of all brokers."""
        key = (name, broker_id)
        try:
            return self._broker_values[key]
        except KeyError:
            value = self._broker_values[key] = self._effective_broker_value(name, broker_id)
            return value

    def broker_integer(self, name: str, broker_id: int | None = None) -> int:
        """Return the value of a broker's config of an integer type."""
        value = self.broker_value(name, broker_id)
        assert isinstance(value, int), (name, value)
        return value

    def broker_flag(self, name: str, broker_id: int | None = None) -> bool:
        """Return the value of a broker's BOOLEAN config."""
        return self.broker_value(name, broker_id) is True

    def listener_value(self, name: str, listener: str, broker_id: int) -> ConfigValue:
        """Return the value of a broker's config for one listener, which may have its own."""
        own = self.own_listener_value(name, listener, broker_id)
        return self.broker_value(name, broker_id) if own is None else own

    def own_listener_value(
        self, name: str, listener: str, broker_id: int, mechanism: str | None = None
    ) -> ConfigValue:
        """Return the value that only a listener has, or a listener for one mechanism of SASL.

        None: it has none.
        """
        middle = "" if mechanism is None else f"{mechanism.lower()}."
        own = f"{listener_prefix(listener)}{middle}{name}"
        text = next((layer[own] for _, layer in self._layers(broker_id) if own in layer), None)
        return None if text is None else parse_config(self.broker_definitions[name], text)

    def topic_config(self, topic: str, broker_id: int) -> TopicConfig:
        """Return the typed configs of a topic, as effective on the leader of a partition."""
        shared_by = topic if topic in self.topic_overrides else ""
        configs = self._topic_configs.setdefault(shared_by, {})
        config = configs.get(broker_id)
        if config is None:
            config = typed_topic_config(self.topic_values(topic, broker_id))
            if not self._keeps_old_message_formats:
                config = config._replace(record_version=NEWEST_RECORD_VERSION)
            configs[broker_id] = config
        return config

    def topic_values(self, topic: str | None, broker_id: int | None) -> dict[str, ConfigValue]:
        """Return a topic's effective configs; for None, those that a new topic inherits."""
        overrides = self.topic_overrides.get(topic, {}) if topic is not None else {}
        return {
            name: parse_config(definition, overrides[name])
            if name in overrides
            else self._inherited(definition, broker_id)
            for name, definition in self.topic_definitions.items()
        }

    def _inherited(self, definition: ConfigDefinition, broker_id: int | None) -> ConfigValue:
        synonym = BROKER_SYNONYMS.get(definition.name)
        if synonym is None:
            return default_value(definition)
        value = self.broker_value(synonym, broker_id)
        return default_value(definition) if value is None else value

    def _effective_broker_value(self, name: str, broker_id: int | None) -> ConfigValue:
        definition = self.broker_definitions[name]
        text = next((layer[name] for _, layer in self._layers(broker_id) if name in layer), None)
        if text is not None:
            return parse_config(definition, text)
        if definition.default is not None:
            return default_value(definition)
        for fallback, factor in _FALLBACKS.get(name, ()):
            value = self.broker_value(fallback, broker_id)
            if isinstance(value, int):
                return max(value * factor, -1)
        return None

    def _layers(self, broker_id: int | None) -> list[tuple[ConfigSource, Mapping[str, str]]]:
        layers: list[tuple[ConfigSource, Mapping[str, str]]] = [
            (ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, self.dynamic_default),
            (ConfigSource.STATIC_BROKER_CONFIG, self.static),
        ]
        if broker_id is not None:
            own = self.dynamic_by_broker.get(broker_id, {})
            layers.insert(0, (ConfigSource.DYNAMIC_BROKER_CONFIG, own))
            own_static = self.static_by_broker.get(broker_id, {})
            layers.append((ConfigSource.STATIC_BROKER_CONFIG, own_static))
        return layers

    # Changes

    def set_topic_overrides(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Replace the overrides of a topic; they are validated already."""
        if overrides:
            self.topic_overrides[topic] = dict(overrides)
        else:
            self.topic_overrides.pop(topic, None)
        self._topic_configs.pop(topic, None)

    def set_named_overrides(
        self, resource_type: int, name: str, overrides: Mapping[str, str]
    ) -> None:
        """Replace the configs of a group or client metrics subscription; only this removes them."""
        if overrides:
            self.named_overrides[resource_type, name] = dict(overrides)
        else:
            self.named_overrides.pop((resource_type, name), None)

    def set_broker_overrides(self, broker_id: int | None, overrides: Mapping[str, str]) -> None:
        """Replace the dynamic configs of a broker, or of all; they are validated already."""
        if broker_id is None:
            self.dynamic_default = dict(overrides)
        else:
            self.dynamic_by_broker[broker_id] = dict(overrides)
        self.broker_changes += 1
        self._forget_derived()

    def set_broker_static(self, broker_id: int, settings: Mapping[str, str]) -> None:
        """Add to the settings that a broker was started with."""
        self.static_by_broker.setdefault(broker_id, {}).update(settings)
        self._forget_derived()

    def _forget_derived(self) -> None:
        """Forget what was derived from the configs of brokers, one of which has changed."""
        self._broker_values.clear()
        self._topic_configs.clear()
        self._inherited_entries.clear()
        self._broker_entries.clear()

    def as_text(self) -> str:
        """Show all configs that are set, in a stable form."""
        layers = {
            "static": self.static,
            "all brokers": self.dynamic_default,
            **{f"broker {id_}": own for id_, own in sorted(self.dynamic_by_broker.items())},
            **{f"topic {name}": own for name, own in sorted(self.topic_overrides.items())},
            **{f"resource {key}": own for key, own in sorted(self.named_overrides.items())},
        }
        return "\n".join(f"{name} {sorted(own.items())}" for name, own in layers.items() if own)

    # Descriptions

    def describe_topic(
        self, topic: str, broker_id: int, names: Iterable[str] | None = None
    ) -> Sequence[ConfigEntry]:
        """Return a topic's configs as one of the brokers describes them; None selects all."""
        entries = self.describe_new_topic(self.topic_overrides.get(topic, {}), broker_id)
        return _selected(entries, names)

    def describe_new_topic(
        self, overrides: Mapping[str, str], broker_id: int
    ) -> Sequence[ConfigEntry]:
        """Return the configs that a topic with these overrides has, whether or not it exists."""
        inherited = self._inherited_entries.get(broker_id)
        if inherited is None:
            inherited = self._inherited_entries[broker_id] = {
                name: self._topic_entry(definition, {}, broker_id)
                for name, definition in self.topic_definitions.items()
                if not definition.is_internal
            }
        own = {
            name: self._topic_entry(self.topic_definitions[name], overrides, broker_id)
            for name in overrides
            if name in inherited
        }
        return tuple({**inherited, **own}.values())

    def describe_broker(
        self, broker_id: int, names: Iterable[str] | None = None
    ) -> Sequence[ConfigEntry]:
        """Return a broker's configs; None selects all of them."""
        entries = self._broker_entries.get(broker_id)
        if entries is None:
            entries = self._broker_entries[broker_id] = self._described_broker(broker_id)
        return _selected(entries, names)

    def _described_broker(self, broker_id: int) -> tuple[ConfigEntry, ...]:
        definitions = self.broker_definitions
        changed = {*self.dynamic_default, *self.dynamic_by_broker.get(broker_id, {})}
        entries = [
            self._broker_entry(definition, broker_id)
            for name, definition in definitions.items()
            if not definition.is_internal and (name in changed or not definition.is_unlisted)
        ]
        of_listeners = {name for name in self.static if base_config_name(name) is not None}
        others = sorted((changed | of_listeners).difference(definitions))
        return (*entries, *(self._other_entry(name, broker_id) for name in others))

    def describe_cluster_default(self, names: Iterable[str] | None = None) -> list[ConfigEntry]:
        """Return only the configs that clients have set for all brokers."""
        wanted = None if names is None else set(names)
        return [
            self._default_entry(name, text)
            for name, text in sorted(self.dynamic_default.items())
            if wanted is None or name in wanted
        ]

    def _topic_entry(
        self, definition: ConfigDefinition, overrides: Mapping[str, str], broker_id: int
    ) -> ConfigEntry:
        synonyms: list[ConfigSynonym] = []
        broker_name = BROKER_SYNONYMS.get(definition.name)
        if broker_name is not None:
            synonyms = self.broker_synonyms(broker_name, broker_id)
        if definition.name in overrides:
            text = config_text(parse_config(definition, overrides[definition.name]))
            own = ConfigSynonym(
                name=definition.name, value=text, source=ConfigSource.DYNAMIC_TOPIC_CONFIG
            )
            synonyms.insert(0, own)
        else:
            text = config_text(self._inherited(definition, broker_id))
        return ConfigEntry(
            name=definition.name,
            value=text,
            source=synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG,
            read_only=False,
            is_sensitive=definition.is_sensitive,
            type=definition.type,
            synonyms=tuple(synonyms),
            documentation=definition.documentation,
        )

    def _broker_entry(self, definition: ConfigDefinition, broker_id: int) -> ConfigEntry:
        synonyms = self.broker_synonyms(definition.name, broker_id)
        value = self._shown_broker_value(definition, broker_id)
        return ConfigEntry(
            name=definition.name,
            value=None if definition.is_sensitive else config_text(value),
            source=synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG,
            read_only=not definition.looks_dynamic,
            is_sensitive=definition.is_sensitive,
            type=definition.type,
            synonyms=tuple(synonyms),
            documentation=definition.documentation,
        )

    def _other_entry(self, name: str, broker_id: int) -> ConfigEntry:
        """Describe a listener's config, or an unknown one, whose value may be secret."""
        base = base_definition(self.release, name)
        is_sensitive = base is None or base.is_sensitive
        synonyms = [
            ConfigSynonym(name=name, value=None if is_sensitive else layer[name], source=source)
            for source, layer in self._layers(broker_id)
            if name in layer
        ]
        own = synonyms[0]
        if base is not None:
            synonyms += self.broker_synonyms(base.name, broker_id)
        return ConfigEntry(
            name=name,
            value=own.value,
            source=own.source,
            read_only=True,
            is_sensitive=is_sensitive,
            type=None if base is None else base.type,
            synonyms=tuple(synonyms),
        )

    def _default_entry(self, name: str, text: str) -> ConfigEntry:
        definition = self.broker_definitions.get(name)
        source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
        is_sensitive = definition is None or definition.is_sensitive
        shown = None if is_sensitive else text
        return ConfigEntry(
            name=name,
            value=shown,
            source=source,
            read_only=False,
            is_sensitive=is_sensitive,
            type=None if definition is None else definition.type,
            synonyms=(ConfigSynonym(name=name, value=shown, source=source),),
            documentation=None if definition is None else definition.documentation,
        )

    def _shown_broker_value(self, definition: ConfigDefinition, broker_id: int) -> ConfigValue:
        """Return the value for clients: null stays null even if an older config replaces it."""
        for _, layer in self._layers(broker_id):
            if definition.name in layer:
                return parse_config(definition, layer[definition.name])
        return default_value(definition)

    def broker_synonyms(self, name: str, broker_id: int) -> list[ConfigSynonym]:
        """List where a broker's config is set, followed by its replacements if it is set at all."""
        found: list[ConfigSynonym] = []
        names = (name, *(fallback for fallback, _ in _FALLBACKS.get(name, ())))
        for source, layer in self._layers(broker_id):
            found += [self._synonym(each, layer[each], source) for each in names if each in layer]
        for each in names:
            text = self.broker_definitions[each].default
            if text is not None:
                found.append(self._synonym(each, text, ConfigSource.DEFAULT_CONFIG))
        while found and found[0].name != name:
            del found[0]
        return found

    def _synonym(self, name: str, text: str, source: ConfigSource) -> ConfigSynonym:
        is_sensitive = self.broker_definitions[name].is_sensitive
        return ConfigSynonym(name=name, value=None if is_sensitive else text, source=source)


def _selected(entries: Sequence[ConfigEntry], names: Iterable[str] | None) -> Sequence[ConfigEntry]:
    if names is None:
        return entries
    wanted = set(names)
    return [entry for entry in entries if entry.name in wanted]
