"""Differences from Kafka's configs: keys of mockbroker, and defaults for small clusters."""

from collections.abc import Mapping
from typing import Final

from mockbroker.state.config.definition import broker_definitions

_REPLICAS_MAX: Final = 3

_FACTORS: Final = (
    "default.replication.factor",
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
    "share.coordinator.state.topic.replication.factor",
)

_LEAST_IN_SYNC: Final = ("transaction.state.log.min.isr", "share.coordinator.state.topic.min.isr")


def product_defaults(release: str, broker_count: int) -> dict[str, str]:
    """Return the settings with which a cluster starts before the user's own.

    They are set as in a server.properties, so that DescribeConfigs distinguishes them from Kafka's
    defaults: internal topics fit the number of brokers, and rebalances are not delayed.
    """
    replicas = min(_REPLICAS_MAX, broker_count)
    settings: Mapping[str, str] = {
        **dict.fromkeys(_FACTORS, str(replicas)),
        **dict.fromkeys(_LEAST_IN_SYNC, str(min(2, replicas))),
        "group.initial.rebalance.delay.ms": "0",
    }
    return _known(release, settings)


def broker_identity(release: str, node_id: int) -> dict[str, str]:
    """Return the settings of a broker's identity, as in a server.properties."""
    return _known(
        release,
        {
            "node.id": str(node_id),
            "broker.id": str(node_id),
            "process.roles": "broker,controller",
            "controller.listener.names": "CONTROLLER",
        },
    )


def broker_endpoint(release: str, listeners: str, advertised: str) -> dict[str, str]:
    """Return the settings of a broker's listeners and its advertised listeners."""
    return _known(release, {"listeners": listeners, "advertised.listeners": advertised})


def _known(release: str, settings: Mapping[str, str]) -> dict[str, str]:
    definitions = broker_definitions(release)
    return {name: text for name, text in settings.items() if name in definitions}
