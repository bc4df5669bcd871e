"""Settings of streams groups: those of the group, or of its broker."""

from typing import Final

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.named_configs import GROUP
from mockbroker.state.config.validator import config_text, split_list
from mockbroker.state.group.streams.streams_target import STANDBY_REPLICAS

RACK_AWARE_TAGS: Final = "rack.aware.assignment.tags"
"""Name of the client tags that members need, in a group's assignment configs."""


class StreamsConfigs:
    """The settings of one broker's streams groups."""

    __slots__ = ("_broker_id", "_configs")

    def __init__(self, configs: ConfigRepository, broker_id: int) -> None:
        """Read the configs of a cluster whenever asked."""
        self._configs: Final = configs
        self._broker_id: Final = broker_id

    def integer(self, name: str, group_id: str) -> int:
        """Return a setting, such as `session.timeout.ms`."""
        return int(self._text(name, group_id))

    def max_size(self) -> int:
        """Return the largest number of members of a group."""
        return self._configs.broker_integer("group.streams.max.size", self._broker_id)

    def assignment_configs(self, group_id: str) -> dict[str, str]:
        """Return the settings on which assignments depend; a change begins an epoch."""
        configs = {STANDBY_REPLICAS: self._text(STANDBY_REPLICAS, group_id)}
        tags = split_list(self._text(RACK_AWARE_TAGS, group_id))
        return configs | ({RACK_AWARE_TAGS: ",".join(tags)} if tags else {})

    def _text(self, name: str, group_id: str) -> str:
        own = self._configs.named_overrides.get((GROUP, group_id), {}).get(f"streams.{name}")
        if own is not None:
            return own
        value = self._configs.broker_value(f"group.streams.{name}", self._broker_id)
        return config_text(value) or ""
