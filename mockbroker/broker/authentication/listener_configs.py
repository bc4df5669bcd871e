"""Configs of one listener of a broker, which may differ by the mechanism of SASL."""

from typing import NamedTuple

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import ConfigValue


class ListenerConfigs(NamedTuple):
    """Configs of a listener, at the moment of each look."""

    configs: ConfigRepository
    listener: str
    broker_id: int

    def own(self, name: str, mechanism: str) -> ConfigValue:
        """Return the value that the listener has for one mechanism; None if it has none."""
        return self.configs.own_listener_value(name, self.listener, self.broker_id, mechanism)

    def value(self, name: str, mechanism: str | None = None) -> ConfigValue:
        """Return the value that holds: the mechanism's, the listener's, or the broker's."""
        own = None if mechanism is None else self.own(name, mechanism)
        if own is not None:
            return own
        return self.configs.listener_value(name, self.listener, self.broker_id)
