"""AddOffsetsToTxn: add a group's offsets partition to a transaction (KIP-98)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    field,
)


class AddOffsetsToTxnRequest(
    Message, api=ApiKey.ADD_OFFSETS_TO_TXN, kind="request", versions="0-4", flexible="3+"
):
    transactional_id: str = field(STRING)
    producer_id: int = field(INT64)
    producer_epoch: int = field(INT16)
    group_id: str = field(STRING)


class AddOffsetsToTxnResponse(
    Message, api=ApiKey.ADD_OFFSETS_TO_TXN, kind="response", versions="0-4", flexible="3+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
