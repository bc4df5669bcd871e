"""Records of `__transaction_state`: the metadata of one transactional id (KIP-98, KIP-890)."""

from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class TransactionLogKey(Message, versions="0"):
    transactional_id: str = field(STRING)


class PartitionsSchema(Struct):
    topic: str = field(STRING)
    partition_ids: list[int] = field(array(INT32))


class TransactionLogValue(Message, versions="0-1", flexible="1+"):
    producer_id: int = field(INT64)
    previous_producer_id: int = field(INT64, "1+", default=-1, tag=0, tagged="1+")
    next_producer_id: int = field(INT64, "1+", default=-1, tag=1, tagged="1+")
    producer_epoch: int = field(INT16)
    next_producer_epoch: int = field(INT16, "1+", default=-1, tag=3, tagged="1+")
    transaction_timeout_ms: int = field(INT32)
    transaction_status: int = field(INT8)
    transaction_partitions: list[PartitionsSchema] | None = field(
        array(PartitionsSchema), nullable="0+"
    )
    transaction_last_update_timestamp_ms: int = field(INT64)
    transaction_start_timestamp_ms: int = field(INT64)
    client_transaction_version: int = field(INT16, "1+", tag=2, tagged="1+")
    # LastEpoch of KIP-360's draft: not in Kafka, so its tag is far from Kafka's own tags.
    last_producer_epoch: int = field(INT16, "1+", default=-1, tag=10360, tagged="1+")
