"""DescribeTransactionState: lets brokers check if a producer was fenced (KIP-360's draft).

It is served only with `describe-transaction-state`, under a key that Kafka does not use. The draft
has three errors: the coordinator is loading, is another broker, or is not available; id and epoch
are then -1. An unknown transactional id is no error: it is Dead, like a group in DescribeGroups.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_transaction_state import (
    DescribedTransactionState,
    DescribeTransactionStateRequest,
    DescribeTransactionStateResponse,
    PartitionsOfTopic,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState


def describe_transaction_state(
    request: DescribeTransactionStateRequest, call: Call
) -> DescribeTransactionStateResponse:
    """Describe each transactional id as this broker's coordinator knows it, in order."""
    return DescribeTransactionStateResponse(
        transaction_states=[
            _described(transactional_id, call)
            for transactional_id in call.paced(request.transactional_ids)
        ]
    )


def _described(transactional_id: str, call: Call) -> DescribedTransactionState:
    try:
        metadata = _find(transactional_id, call)
    except ApiError as refusal:
        call.service.refusals.note(
            "describe_transaction_state_refused", refusal, transactional_id=transactional_id
        )
        return DescribedTransactionState(error_code=refusal.code)
    if metadata is None:
        return DescribedTransactionState(state=TransactionState.DEAD.state_name)
    return DescribedTransactionState(
        producer_id=metadata.producer_id,
        producer_epoch=metadata.producer_epoch,
        state=metadata.state.state_name,
        partitions=list(_by_topic(metadata.partitions)),
    )


def _find(transactional_id: str, call: Call) -> TransactionMetadata | None:
    cluster = call.cluster
    if TRANSACTION_STATE not in cluster.topics:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"there is no {TRANSACTION_STATE} yet")
    return cluster.transaction_coordinator(call.broker_id).transaction_state_of(transactional_id)


def _by_topic(partitions: Iterable[TopicPartition]) -> Iterator[PartitionsOfTopic]:
    for topic, group in groupby(sorted(partitions), key=attrgetter("topic")):
        yield PartitionsOfTopic(topic_name=topic, partition_ids=[each.partition for each in group])
