"""Changing configs as a client does, short to write."""

from collections.abc import Sequence
from typing import Final, TypeAlias

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.configuration_control import (
    ConfigChange,
    ConfigOperation,
    ConfigResource,
    ResourceType,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.cluster_building import new_cluster

SET, DELETE, APPEND, SUBTRACT = ConfigOperation
TOPIC: Final = ConfigResource(type=ResourceType.TOPIC, name="orders")
BROKER: Final = ConfigResource(type=ResourceType.BROKER, name="1")
ALL_BROKERS: Final = ConfigResource(type=ResourceType.BROKER, name="")

Change: TypeAlias = tuple[str, int, str | None]


def cluster_with_topic(release: str = "4.4") -> ClusterState:
    """Return a cluster with the topic `orders`."""
    cluster = new_cluster(release)
    cluster.create_topic(NewTopic(name="orders"))
    return cluster


def alter(
    cluster: ClusterState,
    changes: Sequence[Change],
    resource: ConfigResource = TOPIC,
    *,
    validate_only: bool = False,
) -> None:
    """Change single configs through broker 1."""
    cluster.configuration.incremental_alter(
        resource,
        [ConfigChange(name=name, operation=op, value=value) for name, op, value in changes],
        asked_broker_id=1,
        validate_only=validate_only,
    )


def replace(
    cluster: ClusterState,
    settings: Sequence[tuple[str, str | None]],
    resource: ConfigResource = TOPIC,
) -> None:
    """Replace all configs through broker 1."""
    cluster.configuration.replace(resource, settings, asked_broker_id=1, validate_only=False)


def refusal_of(
    release: str, changes: Sequence[Change], resource: ConfigResource = TOPIC
) -> ApiError:
    """Return why changes are refused; nothing may have changed."""
    cluster = cluster_with_topic(release)
    before = cluster.as_text()
    with pytest.raises(ApiError) as refusal:
        alter(cluster, changes, resource)
    assert cluster.as_text() == before
    return refusal.value


def overrides(cluster: ClusterState) -> dict[str, str]:
    """Return what is set for the topic."""
    return cluster.configs.topic_overrides.get("orders", {})
