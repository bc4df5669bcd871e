"""Config changes by clients: all checks first, then the change (`ConfigurationControlManager`)."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import (
    ConfigDefinition,
    ConfigType,
    base_config_name,
    base_definition,
)
from mockbroker.state.config.named_configs import named_configs
from mockbroker.state.config.topic_config import check_topic_overrides
from mockbroker.state.config.validator import parse_config, split_as_java
from mockbroker.state.release.admin_refusals import Refusal
from mockbroker.state.release.options import Options
from mockbroker.state.topic.java_hash import texts_in_java_hash_order
from mockbroker.state.topic.topic_name import check_topic_name
from mockbroker.state.topic.topic_registry import TopicRegistry

MIN_INSYNC_REPLICAS: Final = "min.insync.replicas"

# Configs that can be changed per broker, but not for all brokers.
_PER_BROKER: Final = frozenset({"listeners", "advertised.listeners"})
# Configs that are read when the process starts only; Kafka can change them dynamically.
_FIXED_HERE: Final = frozenset({"listener.security.protocol.map"})
_NO_BROKERS: Final = "AlterConfigs is only supported for topics, but resource type is BROKER"
_SECURITY_PREFIXES: Final = ("ssl.", "sasl.")


class ResourceType(IntEnum):
    """The type of a config resource, numbered as on the wire (`ConfigResource.Type`)."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8


class ConfigOperation(IntEnum):
    """The operation on a config, numbered as on the wire (`AlterConfigOp.OpType`)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigResource(NamedTuple):
    """The owner of configs: a topic, a broker, all brokers (the empty name), or another type."""

    type: int
    name: str


class ConfigChange(NamedTuple):
    """One change of one config, with the operation's number as the client sent it."""

    name: str
    operation: int
    value: str | None


BrokerCheck: TypeAlias = Callable[[int, Collection[str], Mapping[str, str]], None]
"""Function that checks the configs of a broker by its id, the names that change, and all configs
that clients have set then; it raises INVALID_REQUEST (Kafka's BrokerReconfigurable)."""


class ConfigurationControlManager:
    """Validator and executor of clients' config changes."""

    def __init__(
        self,
        options: Options,
        configs: ConfigRepository,
        topics: TopicRegistry,
        on_change: Callable[[str | None], None],
    ) -> None:
        """Call `on_change` with the topic, or None for a broker, after each change."""
        self._options = options
        self._refusals = options.admin_refusals
        self._configs = configs
        self._topics = topics
        self._on_change = on_change
        self.broker_checks: list[BrokerCheck] = []
        """Checks of a broker's changed configs by what reads files that they name."""
        self.named = named_configs(options.configs, configs)
        """The resources with configs other than topics and brokers, by type."""

    def options_changed(self, options: Options) -> None:
        """Apply a change of features; ELR sets min.insync.replicas for all brokers (KIP-966)."""
        pins = (
            options.elr_pins_min_insync_replicas and not self._options.elr_pins_min_insync_replicas
        )
        self._options = options
        if pins:
            pin_min_insync_replicas(self._configs)
            self._on_change(None)

    def incremental_alter(
        self,
        resource: ConfigResource,
        changes: Sequence[ConfigChange],
        *,
        asked_broker_id: int,
        validate_only: bool,
    ) -> None:
        """Change single configs of a resource; the others do not change (KIP-339).

        Raises:
            ApiError: INVALID_REQUEST, INVALID_CONFIG, INVALID_TOPIC_EXCEPTION,
                UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_SERVER_ERROR.

        """
        self._check_repeated([change.name for change in changes])
        if self._options.configs.nulls_come_first:
            self._check_null_changes(changes)
        current = self._check_resource(resource, asked_broker_id)
        if self._options.configs.are_the_controllers:
            self._check_topic_named(resource)
        if any(change.name == MIN_INSYNC_REPLICAS for change in changes):
            self._check_pinned(resource, {MIN_INSYNC_REPLICAS: ""})  # even if nothing changes
        altered = dict(current)
        for change in self._in_order(changes):
            self._apply(resource, change, altered)
        if not self._options.configs.are_the_controllers:
            self._check_topic_named(resource)
        self._finish(resource, current, altered, validate_only=validate_only)

    def replace(
        self,
        resource: ConfigResource,
        settings: Sequence[tuple[str, str | None]],
        *,
        asked_broker_id: int,
        validate_only: bool,
    ) -> None:
        """Replace all configs of a resource (the older AlterConfigs).

        Raises:
            ApiError: as `incremental_alter`.

        """
        if not self._options.configs.keys_may_repeat:
            self._check_repeated([name for name, _ in settings])
        unset = [name for name, value in settings if value is None]
        if unset:
            raise self._refusals.config_null.error(", ".join(unset))
        if resource.type == ResourceType.TOPIC and not resource.name:
            raise self._refusals.config_replaced_topic_unnamed.error(resource.name)
        current = self._check_resource(resource, asked_broker_id)
        self._check_topic_named(resource)
        altered = {name: value for name, value in settings if value is not None}
        self._finish(resource, current, altered, validate_only=validate_only)

    # Before the change

    def _check_repeated(self, names: Sequence[str]) -> None:
        repeated = sorted(name for name, count in Counter(names).items() if count > 1)
        if repeated:
            raise self._refusals.config_repeated.error(", ".join(repeated))

    def _check_null_changes(self, changes: Sequence[ConfigChange]) -> None:
        known = {int(operation): operation.name for operation in ConfigOperation}
        operations = {
            change.name: known.get(change.operation, "null")
            for change in changes
            if change.value is None and change.operation != ConfigOperation.DELETE
        }
        if operations:
            named = ",".join(f"{operation}:{name}" for name, operation in operations.items())
            raise self._refusals.config_null_incremental.error(", ".join(operations), named)

    def _check_resource(self, resource: ConfigResource, asked_broker_id: int) -> Mapping[str, str]:
        """Return the configs that are set for the resource now."""
        if resource.type == ResourceType.TOPIC:
            if not resource.name:
                raise self._refusals.config_topic_unnamed.error()
            return self._configs.topic_overrides.get(resource.name, {})
        if resource.type == ResourceType.BROKER:
            if not self._options.configs.alters_brokers:
                raise ApiError(ErrorCode.INVALID_REQUEST, _NO_BROKERS)
            broker_id = self._broker_id(resource.name, asked_broker_id)
            if broker_id is None:
                return self._configs.dynamic_default
            return self._configs.dynamic_by_broker.get(broker_id, {})
        named = self.named.get(resource.type)
        if named is None:
            raise self._refusals.config_resource_type.error(resource.type)
        if not resource.name:
            raise ApiError(ErrorCode.INVALID_REQUEST, named.unnamed)
        return self._configs.named_overrides.get(resource, {})

    def _check_topic_named(self, resource: ConfigResource) -> None:
        """Check a topic's name, and, unless the controller does so later, that it exists."""
        if resource.type == ResourceType.TOPIC:
            check_topic_name(resource.name, self._refusals)
            if not self._options.configs.are_the_controllers:
                self._check_topic_exists(resource.name)

    def _check_topic_exists(self, name: str) -> None:
        if name not in self._topics:
            raise self._refusals.config_unknown_topic.error(name)

    def _broker_id(self, name: str, asked_broker_id: int) -> int | None:
        """Return the broker of a resource, None for all; it must be the broker asked."""
        if not name:
            return None
        try:
            broker_id = int(name)
        except ValueError:
            raise self._refusals.config_broker_not_a_number.error(name) from None
        if broker_id != asked_broker_id:
            raise self._refusals.config_other_broker.error(asked_broker_id, name)
        return broker_id

    # The change

    def _in_order(self, changes: Sequence[ConfigChange]) -> Sequence[ConfigChange]:
        if not self._options.configs.are_the_controllers:
            return changes
        by_name = {change.name: change for change in changes}
        return [by_name[name] for name in texts_in_java_hash_order(by_name)]

    def _apply(
        self, resource: ConfigResource, change: ConfigChange, altered: dict[str, str]
    ) -> None:
        if change.operation == ConfigOperation.DELETE:
            altered.pop(change.name, None)
            return
        if change.operation == ConfigOperation.SET:
            altered[change.name] = self._value_of(change)
        elif change.operation in {ConfigOperation.APPEND, ConfigOperation.SUBTRACT}:
            self._apply_to_list(resource, change, altered)
        else:
            raise self._refusals.config_operation.error()

    def _value_of(self, change: ConfigChange) -> str:
        if change.value is None:
            self._check_null_changes([change])
        assert change.value is not None, change
        return change.value

    def _apply_to_list(
        self, resource: ConfigResource, change: ConfigChange, altered: dict[str, str]
    ) -> None:
        operation = ConfigOperation(change.operation)
        definition = self._definitions(resource).get(change.name)
        if definition is None or definition.type is not ConfigType.LIST:
            refusal = self._no_list(resource, is_known=definition is not None)
            raise refusal.error(change.name, operation.name, operation.name.lower())
        if change.name not in altered and self._options.configs.lists_need_own_value:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        before = altered.get(change.name, definition.default or "")
        parts = split_as_java(before)
        if not self._options.configs.lists_may_repeat:
            parts = [part for part in parts if part]
        named = split_as_java(self._value_of(change))
        adds = operation is ConfigOperation.APPEND
        parts = self._added(parts, named) if adds else _without(parts, named)
        altered[change.name] = ",".join(parts)

    def _no_list(self, resource: ConfigResource, *, is_known: bool) -> Refusal:
        refusals = self._refusals
        if resource.type == ResourceType.BROKER:
            known, unknown = refusals.config_broker_not_a_list, refusals.config_broker_list_unknown
        else:
            known, unknown = refusals.config_not_a_list, refusals.config_list_unknown
        return known if is_known else unknown

    def _added(self, parts: list[str], named: Sequence[str]) -> list[str]:
        if self._options.configs.lists_may_repeat:
            return [*parts, *named]
        known = frozenset(parts)
        return parts + [part for part in dict.fromkeys(named) if part not in known]

    def _definitions(self, resource: ConfigResource) -> Mapping[str, ConfigDefinition]:
        if resource.type == ResourceType.TOPIC:
            return self._configs.topic_definitions
        return {} if resource.type in self.named else self._configs.broker_definitions

    # After the change

    def _finish(
        self,
        resource: ConfigResource,
        current: Mapping[str, str],
        altered: Mapping[str, str],
        *,
        validate_only: bool,
    ) -> None:
        try:
            if resource.type == ResourceType.TOPIC:
                self._check_topic(altered)
            elif resource.type in self.named:
                self.named[resource.type].check(altered)
            else:
                self._check_broker(resource, current, altered)
        except ApiError as error:
            raise self._worded(resource, error) from None
        if resource.type == ResourceType.TOPIC:
            self._check_topic_exists(resource.name)
        if validate_only:
            return
        if resource.type == ResourceType.TOPIC:
            self._configs.set_topic_overrides(resource.name, altered)
            self._on_change(resource.name)
        elif resource.type in self.named:
            self._configs.set_named_overrides(resource.type, resource.name, altered)
        else:
            broker_id = int(resource.name) if resource.name else None
            self._configs.set_broker_overrides(broker_id, altered)
            self._on_change(None)

    def _check_topic(self, altered: Mapping[str, str]) -> None:
        check_topic_overrides(
            altered, self._configs.topic_definitions, self._configs.topic_values(None, None)
        )

    def _check_broker(
        self, resource: ConfigResource, current: Mapping[str, str], altered: Mapping[str, str]
    ) -> None:
        changed = sorted(
            name for name in {*current, *altered} if current.get(name) != altered.get(name)
        )
        definitions = self._configs.broker_definitions
        known = [definitions[name] for name in changed if name in definitions]
        fixed = [each.name for each in known if not each.is_dynamic or each.name in _FIXED_HERE]
        if fixed:
            raise self._refusals.config_not_dynamic.error(", ".join(fixed))
        per_broker = [each.name for each in known if each.name in _PER_BROKER]
        if per_broker:
            wanted = self._refusals.config_not_dynamic
            if not resource.name:
                wanted = self._refusals.config_only_per_broker
            raise wanted.error(", ".join(per_broker))
        security = [each.name for each in known if each.name.startswith(_SECURITY_PREFIXES)]
        if security:
            raise self._refusals.config_needs_listener.error(", ".join(security))
        for name in changed:
            definition = base_definition(self._configs.release, name)
            if definition is not None and name in altered:
                self._check_value(definition, altered[name])
        of_listeners = [name for name in changed if base_config_name(name) is not None]
        if of_listeners and not resource.name:
            raise self._refusals.config_only_per_broker.error(", ".join(of_listeners))
        if MIN_INSYNC_REPLICAS in changed:
            self._check_pinned(resource, altered)
        for check in self.broker_checks if resource.name else ():
            check(int(resource.name), changed, altered)

    @staticmethod
    def _check_value(definition: ConfigDefinition, text: str) -> None:
        try:
            parse_config(definition, text)
        except ApiError as error:
            raise ApiError(ErrorCode.INVALID_REQUEST, error.why) from None

    def _check_pinned(self, resource: ConfigResource, altered: Mapping[str, str]) -> None:
        if resource.type != ResourceType.BROKER or not self._options.elr_pins_min_insync_replicas:
            return
        if resource.name:
            why = f"Broker-level {MIN_INSYNC_REPLICAS} cannot be altered while ELR is enabled."
            raise ApiError(ErrorCode.INVALID_CONFIG, why)
        if MIN_INSYNC_REPLICAS not in altered:
            why = f"Cluster-level {MIN_INSYNC_REPLICAS} cannot be removed while ELR is enabled."
            raise ApiError(ErrorCode.INVALID_CONFIG, why)

    def _worded(self, resource: ConfigResource, error: ApiError) -> ApiError:
        """Return the refusal of a value with the release's text."""
        is_unknown_name = error.why.startswith("Unknown topic config name")
        if not self._options.configs.errors_name_resource or is_unknown_name:
            return error
        kind = ResourceType(resource.type).name
        return self._refusals.config_value.error(kind, resource.name, error.why)


def pin_min_insync_replicas(configs: ConfigRepository) -> None:
    """Set min.insync.replicas as the cluster default, and remove it per broker (KIP-966)."""
    least = configs.static.get(MIN_INSYNC_REPLICAS, "1")
    configs.set_broker_overrides(None, {MIN_INSYNC_REPLICAS: least, **configs.dynamic_default})
    for broker_id, own in list(configs.dynamic_by_broker.items()):
        left = {name: text for name, text in own.items() if name != MIN_INSYNC_REPLICAS}
        configs.set_broker_overrides(broker_id, left)


def _without(parts: Sequence[str], named: Sequence[str]) -> list[str]:
    """Return a list without the named parts; of a part that is there twice, one stays."""
    left = Counter(named)
    kept: list[str] = []
    for part in parts:
        if left[part]:
            left[part] -= 1
        else:
            kept.append(part)
    return kept
