"""EndTxn: commit or abort a transaction (KIP-98, KIP-890)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    field,
)


class EndTxnRequest(Message, api=ApiKey.END_TXN, kind="request", versions="0-5", flexible="3+"):
    transactional_id: str = field(STRING)
    producer_id: int = field(INT64)
    producer_epoch: int = field(INT16)
    committed: bool = field(BOOL)


class EndTxnResponse(Message, api=ApiKey.END_TXN, kind="response", versions="0-5", flexible="3+"):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    producer_id: int = field(INT64, "5+", default=-1)
    producer_epoch: int = field(INT16, "5+", default=-1)
