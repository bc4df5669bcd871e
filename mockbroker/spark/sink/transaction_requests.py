"""Requests to transaction coordinators, repeated until their outcome is known.

They are those of a client that knows no `transaction.version` 2: a transaction is opened by
AddPartitionsToTxn, and its end does not bump the epoch, so that EndTxn can be repeated. Each
transaction gets its own epoch by its own InitProducerId.
"""

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from mockbroker.protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.produce import ProduceRequest, TopicProduceData
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.wire.client import WireClient, WireError
from mockbroker.wire.cluster import (
    TRANSACTION,
    RetriableError,
    TopicIdPartition,
    WireCluster,
    check,
)

PRODUCE_VERSIONS: Final = range(3, 12)
"""Versions that know transactions, without those that open one by themselves."""
_ALL_IN_SYNC: Final = -1
_PRODUCE_TIMEOUT_MS: Final = 30_000
_INIT_PRODUCER_ID: Final = range(5)
_INIT_FOR_TWO_PHASES: Final = range(6, 7)
_ADD_PARTITIONS: Final = range(4)
_END_TXN: Final = range(4)
_GONE: Final = frozenset(
    {
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.PRODUCER_FENCED,
    }
)
"""Errors of a transaction that has ended otherwise: it timed out, or another start fenced it."""

AnswerT = TypeVar("AnswerT")


class ProducerEpoch(NamedTuple):
    """A transactional id, with the producer id and epoch that it got."""

    transactional_id: str
    producer_id: int
    producer_epoch: int


class TransactionEndedError(WireError):
    """The transaction is no longer open: it timed out, or another start fenced it."""


class TransactionRequests:
    """Requests for any number of transactional ids."""

    def __init__(self, cluster: WireCluster) -> None:
        """Take the connections; nothing is sent yet."""
        self._cluster = cluster
        self._coordinators: dict[str, str] = {}

    def init(
        self, transactional_id: str, timeout_ms: int, *, is_two_phase: bool = False
    ) -> ProducerEpoch:
        """Get a new epoch, which fences earlier ones, and wait until their transaction has ended.

        Raises:
            WireError: the request is refused, or no broker answers.

        """
        request = InitProducerIdRequest(
            transactional_id=transactional_id,
            transaction_timeout_ms=timeout_ms,
            enable2_pc=is_two_phase,
        )
        versions = _INIT_FOR_TWO_PHASES if is_two_phase else _INIT_PRODUCER_ID

        def ask(client: WireClient) -> ProducerEpoch:
            answer = client.ask_newest(request, versions, InitProducerIdResponse)
            _check(answer.error_code, transactional_id, client, "InitProducerId")
            return ProducerEpoch(transactional_id, answer.producer_id, answer.producer_epoch)

        return self._ask(transactional_id, ask)

    def is_fenced(self, producer: ProducerEpoch) -> bool:
        """Return whether another epoch is known; False with brokers before 3.0, which do not tell.

        Raises:
            WireError: the request is refused, or no broker answers.

        """
        request = DescribeTransactionsRequest(transactional_ids=[producer.transactional_id])

        def ask(client: WireClient) -> bool:
            if not client.versions(ApiKey.DESCRIBE_TRANSACTIONS):
                return False
            (found,) = client.ask(request, 0, DescribeTransactionsResponse).transaction_states
            _check(found.error_code, producer.transactional_id, client, "DescribeTransactions")
            known = found.producer_id, found.producer_epoch
            return known != (producer.producer_id, producer.producer_epoch)

        return self._ask(producer.transactional_id, ask)

    def add(self, producer: ProducerEpoch, partitions: Iterable[TopicIdPartition]) -> None:
        """Add partitions to a transaction, which opens it; known ones change nothing.

        Raises:
            TransactionEndedError: the transaction has ended.
            WireError: the request is refused, or no broker answers.

        """
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=producer.transactional_id,
            v3_and_below_producer_id=producer.producer_id,
            v3_and_below_producer_epoch=producer.producer_epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnTopic(name=topic, partitions=[each.partition for each in group])
                for topic, group in groupby(sorted(partitions), attrgetter("topic"))
            ],
        )

        def ask(client: WireClient) -> None:
            answer = client.ask_newest(request, _ADD_PARTITIONS, AddPartitionsToTxnResponse)
            codes = {
                each.partition_error_code
                for topic in answer.results_by_topic_v3_and_below
                for each in topic.results_by_partition
            }
            # of several, all but one may be OPERATION_NOT_ATTEMPTED
            for code in sorted(codes - {ErrorCode.OPERATION_NOT_ATTEMPTED}):
                _check(code, producer.transactional_id, client, "AddPartitionsToTxn")

        self._ask(producer.transactional_id, ask)

    def end(self, producer: ProducerEpoch, *, is_commit: bool) -> None:
        """End a transaction; the same end may have been asked for before.

        Raises:
            TransactionEndedError: it has ended otherwise.
            KafkaEosError: the cluster has forgotten the transactional id, and so the outcome.
            WireError: the request is refused, or no broker answers.

        """
        request = EndTxnRequest(
            transactional_id=producer.transactional_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            committed=is_commit,
        )

        def ask(client: WireClient) -> None:
            code = client.ask_newest(request, _END_TXN, EndTxnResponse).error_code
            if code == ErrorCode.INVALID_PRODUCER_ID_MAPPING:
                raise KafkaEosError(
                    f"the cluster has forgotten the transactional id {producer.transactional_id}, "
                    "so that nothing tells whether its last transaction was committed "
                    "(transactional.id.expiration.ms): compare the topic with the source, and "
                    "start with a new checkpoint and a new transactionalIdPrefix"
                )
            _check(code, producer.transactional_id, client, "EndTxn")

        self._ask(producer.transactional_id, ask)

    def _ask(self, transactional_id: str, ask: Callable[[WireClient], AnswerT]) -> AnswerT:
        def asked() -> AnswerT:
            try:
                return ask(self._coordinator(transactional_id))
            except (OSError, RetriableError):
                self._coordinators.pop(transactional_id, None)
                raise

        return self._cluster.retry(asked)

    def _coordinator(self, transactional_id: str) -> WireClient:
        address = self._coordinators.get(transactional_id)
        if address is not None:
            return self._cluster.client(address)
        found = self._cluster.coordinator(transactional_id, TRANSACTION)
        self._coordinators[transactional_id] = found.address
        return found


def produce_request(topics: list[TopicProduceData], transactional_id: str | None) -> ProduceRequest:
    """Return a request for batches that are acknowledged when all replicas in sync have them."""
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=_ALL_IN_SYNC,
        timeout_ms=_PRODUCE_TIMEOUT_MS,
        topic_data=topics,
    )


def check_transaction(error_code: int, subject: object, asked: str) -> None:
    """Check that a response has no error.

    Raises:
        TransactionEndedError: the transaction has ended.
        RetriableError: the error is retriable.
        WireError: it is another error.

    """
    code = ErrorCode(error_code)
    if code in _GONE:
        raise TransactionEndedError(f"{subject}: {code.name} ({asked})")
    check(code, subject, asked)


def _check(error_code: int, transactional_id: str, client: WireClient, title: str) -> None:
    subject = f"transactional id {transactional_id}"
    check_transaction(error_code, subject, f"{client.address} to {title}")
