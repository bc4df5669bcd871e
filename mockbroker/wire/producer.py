"""A producer whose steps are all made by the test; its only state is an id and an epoch."""

from typing import Final, NamedTuple, Self

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from mockbroker.wire.batches import record_batch
from mockbroker.wire.client import WireClient
from mockbroker.wire.cluster import TRANSACTION, WireCluster

_NEWEST: Final = {
    ApiKey.ADD_PARTITIONS_TO_TXN: (3, 3, 3),
    ApiKey.END_TXN: (3, 4, 5),
    ApiKey.INIT_PRODUCER_ID: (4, 5, 5),
    ApiKey.PRODUCE: (10, 11, 12),
}
"""Newest request version, by the level of transaction.version that the client knows."""

_FIRST_WITH_PRODUCER_ID: Final = 3
_PATIENCE_S: Final = 10.0


class Produced(NamedTuple):
    """Result of one produced batch."""

    error: ErrorCode
    base_offset: int
    """Offset of its first record; -1 if there is none."""
    log_start_offset: int
    """Log start offset of the partition; -1 if the response has none."""


class WireProducer:
    """A transactional producer, or an idempotent one without a transactional id.

    It never retries, does not count sequences, and returns errors unchanged. The producer
    looks up leaders and coordinators for each request, so that it can be used across
    elections. `transaction_version` is the newest level whose requests it knows: 0 are clients
    before Kafka 3.8, 1 those that know TRANSACTION_ABORTABLE, 2 those of KIP-890's second part.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        transactional_id: str | None = None,
        *,
        transaction_version: int = 0,
    ) -> None:
        """Connect; the test calls `init_producer_id`, or sets id and epoch itself.

        Raises:
            WireError: no broker can be reached.

        """
        self.transactional_id = transactional_id
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self._transaction_version = transaction_version
        self._cluster = WireCluster(bootstrap_servers, patience_s=_PATIENCE_S)
        self._cluster.any_client()

    def init_producer_id(self, *, keep_id: bool = False, timeout_ms: int = 60_000) -> ErrorCode:
        """Request a producer id and an epoch, and use them if there is no error.

        With `keep_id` the request has the current id and epoch, as from a producer that needs
        an epoch bump (KIP-360); without it, it is the request of a new producer.

        Raises:
            ValueError: the broker's release does not support epoch bumps on request.

        """
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=timeout_ms
        )
        is_transactional = self.transactional_id is not None
        client = self._coordinator() if is_transactional else self._cluster.any_client()
        version = self._version(client, ApiKey.INIT_PRODUCER_ID)
        if keep_id:
            if version < _FIRST_WITH_PRODUCER_ID:
                raise ValueError(f"InitProducerId v{version} names no producer id (KIP-360)")
            request.producer_id = self.producer_id
            request.producer_epoch = self.producer_epoch
        answer = client.ask(request, version, InitProducerIdResponse)
        if answer.error_code == ErrorCode.NONE:
            self.producer_id = answer.producer_id
            self.producer_epoch = answer.producer_epoch
        return ErrorCode(answer.error_code)

    def add_partition(self, topic: str, index: int = 0) -> ErrorCode:
        """Add a partition to the transaction, as clients do before they produce to it."""
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id or "",
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.producer_epoch,
            v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=[index])],
        )
        client = self._coordinator()
        version = self._version(client, ApiKey.ADD_PARTITIONS_TO_TXN)
        answer = client.ask(request, version, AddPartitionsToTxnResponse)
        (result,) = answer.results_by_topic_v3_and_below[0].results_by_partition
        return ErrorCode(result.partition_error_code)

    def produce(
        self,
        topic: str,
        *values: bytes,
        base_sequence: int,
        index: int = 0,
        timestamp_ms: int | None = None,
        acks: int = -1,
    ) -> Produced:
        """Produce one batch with the current id and epoch; its first record has `base_sequence`.

        With `acks=1` the leader does not wait for its followers.
        """
        records = record_batch(
            *values,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            base_sequence=base_sequence,
            is_transactional=self.transactional_id is not None,
            timestamp_ms=timestamp_ms,
        )
        partition = PartitionProduceData(index=index, records=records)
        request = ProduceRequest(
            transactional_id=self.transactional_id,
            acks=acks,
            timeout_ms=30_000,
            topic_data=[TopicProduceData(name=topic, partition_data=[partition])],
        )
        client = self._leader(topic, index)
        answer = client.ask(request, self._version(client, ApiKey.PRODUCE), ProduceResponse)
        (result,) = answer.responses[0].partition_responses
        return Produced(ErrorCode(result.error_code), result.base_offset, result.log_start_offset)

    def commit(self) -> ErrorCode:
        """Commit the transaction."""
        return self._end(is_commit=True)

    def abort(self) -> ErrorCode:
        """Abort the transaction."""
        return self._end(is_commit=False)

    def _end(self, *, is_commit: bool) -> ErrorCode:
        request = EndTxnRequest(
            transactional_id=self.transactional_id or "",
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            committed=is_commit,
        )
        client = self._coordinator()
        answer = client.ask(request, self._version(client, ApiKey.END_TXN), EndTxnResponse)
        if answer.error_code == ErrorCode.NONE and answer.producer_id != NO_PRODUCER_ID:
            self.producer_id = answer.producer_id  # from v5 on, each transaction has its own epoch
            self.producer_epoch = answer.producer_epoch
        return ErrorCode(answer.error_code)

    def close(self) -> None:
        """Close the connections, without ending a transaction."""
        self._cluster.close()

    def __enter__(self) -> Self:
        """Return the producer itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.close()

    def _version(self, client: WireClient, api_key: ApiKey) -> int:
        return client.newest_version(
            api_key, range(_NEWEST[api_key][self._transaction_version] + 1)
        )

    def _coordinator(self) -> WireClient:
        return self._cluster.coordinator(self.transactional_id or "", TRANSACTION)

    def _leader(self, topic: str, index: int) -> WireClient:
        """Return a connection to the leader, or to any broker, whose error then reports that."""
        found = self._cluster.find_topic(topic)
        address = found and found.leaders.get(index)
        return self._cluster.client(address) if address else self._cluster.any_client()
