"""AlterClientQuotas: set quotas (KIP-546)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    FLOAT64,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class EntityData(Struct):
    entity_type: str = field(STRING)
    entity_name: str | None = field(STRING, nullable="0+")


class OpData(Struct):
    key: str = field(STRING)
    value: float = field(FLOAT64)
    remove: bool = field(BOOL)


class EntryData(Struct):
    entity: list[EntityData] = field(array(EntityData))
    ops: list[OpData] = field(array(OpData))


class AlterClientQuotasRequest(
    Message, api=ApiKey.ALTER_CLIENT_QUOTAS, kind="request", versions="0-1", flexible="1+"
):
    entries: list[EntryData] = field(array(EntryData))
    validate_only: bool = field(BOOL)


class ResponseEntryData(Struct):
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
    entity: list[EntityData] = field(array(EntityData))


class AlterClientQuotasResponse(
    Message, api=ApiKey.ALTER_CLIENT_QUOTAS, kind="response", versions="0-1", flexible="1+"
):
    throttle_time_ms: int = field(INT32)
    entries: list[ResponseEntryData] = field(array(ResponseEntryData))
