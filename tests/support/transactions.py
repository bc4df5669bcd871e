"""Transactional producer at brokers without sockets."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.fetch import FetchResponse, PartitionData
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, TRANSACTION_STATE
from tests.support.in_process import NOW_MS, Brokers
from tests.support.requests import fetch

TIMEOUT_MS: Final = 60_000
OLD: Final = (10, 3)
ABORTABLE: Final = (11, 4)
BUMPING: Final = (12, 5)
"""The versions of Produce and EndTxn of clients before, in and after KIP-890's first part."""


def new_brokers(
    *,
    brokers: int = 1,
    release: str = "4.4",
    configs: dict[str, str] | None = None,
    features: dict[str, int] | None = None,
    fast: bool = True,
) -> Brokers:
    """Create brokers with loaded coordinators and the topic `orders` of three partitions."""
    made = Brokers(
        brokers=brokers,
        topics={"orders": 3},
        release=release,
        features=features,
        fast=fast,
        configs={
            "transaction.state.log.num.partitions": "3",
            "offsets.topic.num.partitions": "3",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "offsets.topic.replication.factor": "1",
            **(configs or {}),
        },
    )
    for name in (TRANSACTION_STATE, CONSUMER_OFFSETS):
        made.state.create_topic(internal_topic(name, made.state.configs))
    made.state.run_pending(NOW_MS)
    return made


@contextmanager
def pending_held(brokers: Brokers) -> Generator[None]:
    """Hold pending work, such as writing markers, for a while."""
    service = brokers.service
    setattr(service, "run_pending_soon", lambda: None)  # noqa: B010 - types forbid it otherwise
    try:
        yield
    finally:
        del service.run_pending_soon
        service.run_pending_soon()
        brokers.loop.run()


class Transactor:
    """Producer with a transactional id, which sends to the leaders and the coordinator."""

    def __init__(
        self,
        brokers: Brokers,
        transactional_id: str = "mine",
        versions: tuple[int, int] = OLD,
        timeout_ms: int = TIMEOUT_MS,
    ) -> None:
        self.brokers = brokers
        self.transactional_id = transactional_id
        self.produce_version, self.end_version = versions
        self.timeout_ms = timeout_ms
        self.producer_id = -1
        self.producer_epoch = -1
        self.sequences: dict[tuple[str, int], int] = {}

    @property
    def coordinator_id(self) -> int:
        """Id of the broker that coordinates the transactional id."""
        cluster = self.brokers.state
        index = coordinator_partition(TRANSACTION_STATE, self.transactional_id, cluster.configs)
        return self.brokers.partition(TRANSACTION_STATE, index).leader_id

    def init(self, version: int = 4) -> InitProducerIdResponse:
        """Get a producer id and epoch; wait for a transaction that is ending."""
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=self.timeout_ms
        )
        answer = InitProducerIdResponse(error_code=ErrorCode.CONCURRENT_TRANSACTIONS)
        while answer.error_code == ErrorCode.CONCURRENT_TRANSACTIONS:
            answer = self.brokers.ask(
                request, version, InitProducerIdResponse, broker_id=self.coordinator_id
            )
        if answer.error_code == ErrorCode.NONE:
            self.producer_id, self.producer_epoch = answer.producer_id, answer.producer_epoch
            self.sequences.clear()
        return answer

    def add(self, *indexes: int, topic: str = "orders", version: int = 3) -> list[ErrorCode]:
        """Add partitions, and return the error code of each."""
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.producer_epoch,
            v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=list(indexes))],
        )
        answer = self.brokers.ask(
            request, version, AddPartitionsToTxnResponse, broker_id=self.coordinator_id
        )
        return [
            ErrorCode(result.partition_error_code)
            for found in answer.results_by_topic_v3_and_below
            for result in found.results_by_partition
        ]

    def add_offsets(self, group_id: str, version: int = 3) -> ErrorCode:
        """Add the offsets partition of a group."""
        request = AddOffsetsToTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            group_id=group_id,
        )
        answer = self.brokers.ask(
            request, version, AddOffsetsToTxnResponse, broker_id=self.coordinator_id
        )
        return ErrorCode(answer.error_code)

    def batch(self, *values: bytes, sequence: int = 0, is_transactional: bool = True) -> bytes:
        """Build a batch of this producer."""
        records = [
            Record(offset=offset, timestamp=NOW_MS, value=value)
            for offset, value in enumerate(values or (b"value",))
        ]
        return build_batch(
            records,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            base_sequence=sequence,
            is_transactional=is_transactional,
        )

    def request(self, index: int, records: bytes, topic: str = "orders") -> ProduceRequest:
        """Build a Produce request with one batch."""
        data = PartitionProduceData(index=index, records=records)
        return ProduceRequest(
            transactional_id=self.transactional_id,
            acks=-1,
            timeout_ms=30_000,
            topic_data=[
                TopicProduceData(
                    name=topic,
                    topic_id=self.brokers.topic(topic).topic_id,
                    partition_data=[data],
                )
            ],
        )

    def write(self, index: int = 0, *values: bytes) -> PartitionProduceResponse:
        """Write the next batch to a partition of `orders`."""
        sequence = self.sequences.get(("orders", index), 0)
        records = self.batch(*values, sequence=sequence)
        answer = self.brokers.ask(
            self.request(index, records),
            self.produce_version,
            ProduceResponse,
            broker_id=self.brokers.partition("orders", index).leader_id,
        )
        found = answer.responses[0].partition_responses[0]
        if found.error_code == ErrorCode.NONE:
            self.sequences["orders", index] = sequence + max(1, len(values))
        return found

    def end(self, *, committed: bool, version: int | None = None) -> EndTxnResponse:
        """Commit or abort."""
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            committed=committed,
        )
        answer = self.brokers.ask(
            request,
            self.end_version if version is None else version,
            EndTxnResponse,
            broker_id=self.coordinator_id,
        )
        if answer.error_code == ErrorCode.NONE and answer.producer_id >= 0:
            self.producer_id, self.producer_epoch = answer.producer_id, answer.producer_epoch
            self.sequences.clear()
        return answer


def read(brokers: Brokers, index: int = 0, *, offset: int = 0, committed: bool) -> PartitionData:
    """Fetch from a partition of `orders` with an isolation level."""
    request = fetch("orders", index, offset=offset)
    request.isolation_level = int(committed)
    answer = brokers.ask(
        request, 12, FetchResponse, broker_id=brokers.partition("orders", index).leader_id
    )
    return answer.responses[0].partitions[0]
