"""DescribeClientQuotas: list client quotas (KIP-546)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class ComponentData(Struct):
    entity_type: str = field(STRING)
    match_type: int = field(INT8)
    match: str | None = field(STRING, nullable="0+")


class DescribeClientQuotasRequest(
    Message, api=ApiKey.DESCRIBE_CLIENT_QUOTAS, kind="request", versions="0-1", flexible="1+"
):
    components: list[ComponentData] = field(array(ComponentData))
    strict: bool = field(BOOL)


class EntityData(Struct):
    entity_type: str = field(STRING)
    entity_name: str | None = field(STRING, nullable="0+")


class ValueData(Struct):
    key: str = field(STRING)
    value: float = field(FLOAT64)


class EntryData(Struct):
    entity: list[EntityData] = field(array(EntityData))
    values: list[ValueData] = field(array(ValueData))


class DescribeClientQuotasResponse(
    Message, api=ApiKey.DESCRIBE_CLIENT_QUOTAS, kind="response", versions="0-1", flexible="1+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
    entries: list[EntryData] | None = field(array(EntryData), nullable="0+")
