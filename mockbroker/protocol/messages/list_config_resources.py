"""ListConfigResources: list the configurable resources (KIP-1142; v0: client metrics, KIP-714)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class ListConfigResourcesRequest(
    Message, api=ApiKey.LIST_CONFIG_RESOURCES, kind="request", versions="0-1", flexible="0+"
):
    resource_types: list[int] = field(array(INT8), "1+")


class ConfigResource(Struct):
    resource_name: str = field(STRING)
    resource_type: int = field(INT8, "1+", default=16)


class ListConfigResourcesResponse(
    Message, api=ApiKey.LIST_CONFIG_RESOURCES, kind="response", versions="0-1", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    config_resources: list[ConfigResource] = field(array(ConfigResource))
