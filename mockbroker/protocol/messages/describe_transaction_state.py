"""DescribeTransactionState: a coordinator's state of a transactional id (KIP-360's draft).

Kafka never shipped it. The fields are those of the draft, which numbers neither the API nor its
versions: the key is one that Kafka does not use, and the API is served only on request.
"""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class DescribeTransactionStateRequest(
    Message, api=ApiKey.DESCRIBE_TRANSACTION_STATE, kind="request", versions="0"
):
    transactional_ids: list[str] = field(array(STRING))


class PartitionsOfTopic(Struct):
    topic_name: str = field(STRING)
    partition_ids: list[int] = field(array(INT32))


class DescribedTransactionState(Struct):
    error_code: int = field(INT16)
    producer_id: int = field(INT64, default=-1)
    producer_epoch: int = field(INT16, default=-1)
    state: str = field(STRING)
    partitions: list[PartitionsOfTopic] = field(array(PartitionsOfTopic))


class DescribeTransactionStateResponse(
    Message, api=ApiKey.DESCRIBE_TRANSACTION_STATE, kind="response", versions="0"
):
    transaction_states: list[DescribedTransactionState] = field(array(DescribedTransactionState))
