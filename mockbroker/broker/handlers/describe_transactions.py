"""DescribeTransactions: the state of transactional ids (KIP-664)."""

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import coordinator_of
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.java_hash import in_java_hash_order
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata


def describe_transactions(
    request: DescribeTransactionsRequest, call: Call
) -> DescribeTransactionsResponse:
    """Describe each transactional id, as its coordinator knows it."""
    return DescribeTransactionsResponse(
        transaction_states=[
            _described(name, call) for name in call.paced(request.transactional_ids)
        ]
    )


def _described(transactional_id: str, call: Call) -> TransactionState:
    try:
        metadata = coordinator_of(call).describe_transaction(transactional_id)
    except ApiError as refusal:
        call.service.refusals.note(
            "describe_transactions_refused", refusal, transactional_id=transactional_id
        )
        return TransactionState(error_code=refusal.code, transactional_id=transactional_id)
    return TransactionState(
        transactional_id=transactional_id,
        transaction_state=metadata.state.state_name,
        transaction_timeout_ms=metadata.timeout_ms,
        transaction_start_time_ms=metadata.start_timestamp_ms,
        producer_id=metadata.producer_id,
        producer_epoch=metadata.producer_epoch,
        topics=_topics(metadata, call),
    )


def _topics(metadata: TransactionMetadata, call: Call) -> list[TopicData]:
    topics: dict[str, TopicData] = {}
    for name, index in in_java_hash_order(metadata.partitions):
        if not call.allows(AclOperation.DESCRIBE, AclResource.TOPIC, name):
            continue
        topics.setdefault(name, TopicData(topic=name)).partitions.append(index)
    return list(topics.values())
