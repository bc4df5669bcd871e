"""Configs that clients are authenticated by; a listener may have its own, also by mechanism."""

from typing import Final, NamedTuple

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import ConfigValue

_FAILURE_DELAY: Final = "connection.failed.authentication.delay.ms"


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


def failure_delay_ms(configs: ConfigRepository, broker_id: int) -> int:
    """Return how long a connection stays open whose client was not authenticated (KIP-306)."""
    if _FAILURE_DELAY not in configs.broker_definitions:
        return 0
    return configs.broker_integer(_FAILURE_DELAY, broker_id)
