"""ListConfigResources: list configurable resources (KIP-1142); v0: client metrics (KIP-714)."""

from collections.abc import Iterator
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.configuration_control import ResourceType
from mockbroker.state.config.named_configs import CLIENT_METRICS, GROUP

_LISTED: Final = (
    ResourceType.TOPIC,
    ResourceType.BROKER,
    ResourceType.BROKER_LOGGER,
    CLIENT_METRICS,
    GROUP,
)


def list_config_resources(
    request: ListConfigResourcesRequest, call: Call
) -> ListConfigResourcesResponse:
    """List the resources of the requested types, or of all types."""
    types = set(request.resource_types) or set(_LISTED)
    if call.api_version == 0:
        types = {CLIENT_METRICS}
    if not types <= set(_LISTED):
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(resource_name=name, resource_type=resource_type)
            for resource_type in _LISTED
            if resource_type in types
            for name in _names(call.cluster, resource_type)
        ]
    )


def _names(cluster: ClusterState, resource_type: int) -> Iterator[str]:
    """Yield the resource names; of groups and client metrics only those with configs."""
    if resource_type == ResourceType.TOPIC:
        yield from cluster.topics.by_name
    elif resource_type in {ResourceType.BROKER, ResourceType.BROKER_LOGGER}:
        yield from map(str, cluster.brokers)
    else:
        yield from (name for kind, name in cluster.configs.named_overrides if kind == resource_type)
