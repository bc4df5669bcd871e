"""Transactions of a cluster, as its leaders and coordinators know them; nothing is written.

Leaders describe their producers since Kafka 2.8 (DescribeProducers). Coordinators list and describe
transactions since 3.0. Their log, `__transaction_state`, has more, where it may be read: the last
transitions of each transactional id.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from uuid import uuid4

from mockbroker.broker.internal_records.transaction_record import read_key, read_value
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    TopicRequest,
)
from mockbroker.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TransactionState,
)
from mockbroker.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, TopicPartition
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_state import (
    BETWEEN_TRANSACTIONS,
    STATES_BY_NAME,
)
from mockbroker.wire.client import WireClient, WireError
from mockbroker.wire.cluster import TopicIdPartition, WireCluster, check
from mockbroker.wire.internal_topic import internal_batches, internal_ends

STATE_LOG: Final = "__transaction_state"
_DESCRIBE_PRODUCERS: Final = range(1)
_LIST_TRANSACTIONS: Final = range(3)
_DESCRIBE_TRANSACTIONS: Final = range(1)
_TIMES_LISTED: Final = 2
"""A transactional id whose coordinator moves may be missing in one list."""


class OpenInLog(NamedTuple):
    """A transaction that the leader of a partition regards as open."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    first_offset: int


class TransactionChange(NamedTuple):
    """A record of `__transaction_state`."""

    partition: int
    offset: int
    coordinator_epoch: int
    timestamp_ms: int
    transactional_id: str
    value: TransactionLogValue | None
    """None if the transactional id expired."""


class AnsweredStates(NamedTuple):
    """Answers of all coordinators."""

    states: dict[str, TransactionLogValue]
    """By transactional id; without epoch and partitions if no transaction is open."""
    are_all: bool
    """False if this user may not describe every transactional id: brokers leave the others out."""


def open_in_logs(cluster: WireCluster, partitions: Iterable[TopicIdPartition]) -> list[OpenInLog]:
    """Return the transactions that are open in some partitions, by their leaders.

    Raises:
        WireError: brokers before 2.8, or a user who may not read the topics.

    """
    return cluster.retry(lambda: list(_open_in_logs(cluster, partitions)))


def state_log_ends(cluster: WireCluster) -> dict[int, int]:
    """Return the ends of the coordinators' log, by partition.

    Raises:
        WireError: this user may not read it.

    """
    return internal_ends(cluster, STATE_LOG)


def state_changes(cluster: WireCluster) -> list[TransactionChange]:
    """Read the log of the coordinators; compaction leaves at least the last change of each id.

    Raises:
        WireError: this user may not read it, or it is too long.

    """
    changes: list[TransactionChange] = []
    for partition, batch in internal_batches(cluster, STATE_LOG):
        try:
            changes += _changes(partition, batch)
        except DecodeError as error:
            raise WireError(f"{STATE_LOG}-{partition} cannot be read: {error}") from None
    return changes


def listed_transactions(cluster: WireCluster) -> AnsweredStates:
    """Ask all coordinators for their transactional ids, and for the open transactions.

    Raises:
        WireError: brokers before 3.0, or one that does not answer.

    """
    listed: dict[str, TransactionLogValue] = {}
    are_all = True
    for _ in range(_TIMES_LISTED):
        states, is_permitted = cluster.retry(lambda: _listed(cluster))
        listed |= states
        are_all &= is_permitted
    return AnsweredStates(listed, are_all)


def _open_in_logs(
    cluster: WireCluster, partitions: Iterable[TopicIdPartition]
) -> Iterator[OpenInLog]:
    by_leader: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for topic, partition, topic_id in partitions:
        leader = cluster.leader(TopicIdPartition(topic, partition, topic_id)).address
        by_leader[leader][topic].append(partition)
    for address, topics in by_leader.items():
        wanted = [TopicRequest(name=name, partition_indexes=ids) for name, ids in topics.items()]
        answer = cluster.client(address).ask_newest(
            DescribeProducersRequest(topics=wanted), _DESCRIBE_PRODUCERS, DescribeProducersResponse
        )
        for told in answer.topics:
            for each in told.partitions:
                asked = f"{address} to DescribeProducers"
                check(each.error_code, f"{told.name}-{each.partition_index}", asked)
                yield from (
                    OpenInLog(
                        told.name,
                        each.partition_index,
                        producer.producer_id,
                        producer.producer_epoch,
                        producer.current_txn_start_offset,
                    )
                    for producer in each.active_producers
                    if producer.current_txn_start_offset >= 0
                )


def _changes(partition: int, batch: bytes) -> Iterator[TransactionChange]:
    header = parse_batch_header(batch)
    for record in () if header.is_control else records_of(batch):
        transactional_id = read_key(record.key)
        if transactional_id is not None:
            value = None if record.value is None else read_value(record.value)
            yield TransactionChange(
                partition,
                record.offset,
                header.partition_leader_epoch,
                record.timestamp,
                transactional_id,
                value,
            )


def _listed(cluster: WireCluster) -> tuple[dict[str, TransactionLogValue], bool]:
    states: dict[str, TransactionLogValue] = {}
    is_permitted = True
    for address in cluster.brokers():
        client = cluster.client(address)
        answer = client.ask_newest(
            ListTransactionsRequest(), _LIST_TRANSACTIONS, ListTransactionsResponse
        )
        check(answer.error_code, address, ApiKey.LIST_TRANSACTIONS.title)
        for each in answer.transaction_states:
            state = STATES_BY_NAME[each.transaction_state]
            states[each.transactional_id] = TransactionLogValue(
                each.producer_id, NO_PRODUCER_EPOCH, 0, state, None, -1, -1
            )
        is_permitted &= _may_describe_any(client)
        own = {each.transactional_id for each in answer.transaction_states}
        going = [each for each in own if states[each].state not in BETWEEN_TRANSACTIONS]
        states |= _described(client, going)
    return states, is_permitted


def _may_describe_any(client: WireClient) -> bool:
    """Ask about an id that nobody has: a user without rights does not learn that."""
    (told,) = _answers(client, [str(uuid4())])
    return told.error_code != ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


def _described(
    client: WireClient, transactional_ids: Sequence[str]
) -> dict[str, TransactionLogValue]:
    described: dict[str, TransactionLogValue] = {}
    for each in _answers(client, transactional_ids) if transactional_ids else ():
        if each.error_code != ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:  # it expired meanwhile
            check(
                each.error_code, each.transactional_id, f"{client.address} to DescribeTransactions"
            )
            described[each.transactional_id] = _value_of(each)
    return described


def _answers(client: WireClient, transactional_ids: Sequence[str]) -> list[TransactionState]:
    request = DescribeTransactionsRequest(transactional_ids=list(transactional_ids))
    answer = client.ask_newest(request, _DESCRIBE_TRANSACTIONS, DescribeTransactionsResponse)
    return answer.transaction_states


def _value_of(described: TransactionState) -> TransactionLogValue:
    partitions = tuple(
        TopicPartition(each.topic, index) for each in described.topics for index in each.partitions
    )
    return TransactionLogValue(
        described.producer_id,
        described.producer_epoch,
        described.transaction_timeout_ms,
        STATES_BY_NAME[described.transaction_state],
        partitions,
        -1,
        described.transaction_start_time_ms,
    )
