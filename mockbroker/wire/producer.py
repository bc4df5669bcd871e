"""A producer whose every step is taken by the test: it keeps an id and an epoch, and no more."""

import time
from types import TracebackType
from typing import Final, NamedTuple, Self

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
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

_TRANSACTIONS: Final = 1
"""FindCoordinator's type for a transactional id."""

_NEWEST: Final = {
    ApiKey.ADD_PARTITIONS_TO_TXN: (3, 3, 3),
    ApiKey.END_TXN: (3, 4, 5),
    ApiKey.FIND_COORDINATOR: (3, 3, 3),
    ApiKey.INIT_PRODUCER_ID: (4, 5, 5),
    ApiKey.METADATA: (8, 8, 8),
    ApiKey.PRODUCE: (10, 11, 12),
}
"""The newest version that is asked in, by what the client knows of transaction.version."""

_FIRST_WITH_PRODUCER_ID: Final = 3
_PATIENCE_S: Final = 10.0
_PAUSE_S: Final = 0.01
_NOT_YET: Final = frozenset(
    {ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}
)


class Produced(NamedTuple):
    """What came of one batch."""

    error: ErrorCode
    base_offset: int
    """The offset of its first record; -1 where there is none."""
    log_start_offset: int
    """Where the partition's log began; -1 where the answer does not say."""


class WireProducer:
    """A transactional producer, or an idempotent one without a transactional id.

    Nothing is retried, no sequence is counted, and an error is returned as it came. The producer
    looks up leaders and coordinators anew for each request, so that it can be used across
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
        """Connect; `init_producer_id` is up to the test, and so are id and epoch."""
        self.transactional_id = transactional_id
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self._transaction_version = transaction_version
        self._bootstrap = WireClient(bootstrap_servers)
        self._clients: dict[str, WireClient] = {}

    def init_producer_id(self, *, keep_id: bool = False, timeout_ms: int = 60_000) -> ErrorCode:
        """Ask for a producer id and an epoch, and take them if they are given.

        With `keep_id` the request names the current id and epoch, as a producer does that wants
        its epoch bumped (KIP-360); without it, it is that of a new producer.

        Raises:
            ValueError: the broker is of a release that cannot be asked to bump an epoch.

        """
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=timeout_ms
        )
        client = self._bootstrap if self.transactional_id is None else self._coordinator()
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
        """Add a partition to the transaction, as clients do before they write to it."""
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
    ) -> Produced:
        """Write one batch under the current id and epoch, its first record with that sequence."""
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
            acks=-1,
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
            self.producer_id = answer.producer_id  # from v5 on, every transaction has its own epoch
            self.producer_epoch = answer.producer_epoch
        return ErrorCode(answer.error_code)

    def close(self) -> None:
        """Hang up, without ending anything."""
        for client in (self._bootstrap, *self._clients.values()):
            client.close()

    def __enter__(self) -> Self:
        """Give the producer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up."""
        self.close()

    def _version(self, client: WireClient, api_key: ApiKey) -> int:
        served = client.versions(api_key)
        assert served, f"the broker does not serve {api_key.title}"
        return min(_NEWEST[api_key][self._transaction_version], served[-1])

    def _coordinator(self) -> WireClient:
        """Find the coordinator, waiting for a first one as every client has to."""
        request = FindCoordinatorRequest(key=self.transactional_id or "", key_type=_TRANSACTIONS)
        version = self._version(self._bootstrap, ApiKey.FIND_COORDINATOR)
        until = time.monotonic() + _PATIENCE_S
        answer = self._bootstrap.ask(request, version, FindCoordinatorResponse)
        while answer.error_code in _NOT_YET and time.monotonic() < until:
            time.sleep(_PAUSE_S)
            answer = self._bootstrap.ask(request, version, FindCoordinatorResponse)
        assert answer.error_code == ErrorCode.NONE, ErrorCode(answer.error_code)
        return self._client(f"{answer.host}:{answer.port}")

    def _leader(self, topic: str, index: int) -> WireClient:
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        version = self._version(self._bootstrap, ApiKey.METADATA)
        answer = self._bootstrap.ask(request, version, MetadataResponse)
        leaders = {p.partition_index: p.leader_id for p in answer.topics[0].partitions}
        brokers = {broker.node_id: broker for broker in answer.brokers}
        if index not in leaders:
            return self._bootstrap  # it will say so itself
        broker = brokers[leaders[index]]
        return self._client(f"{broker.host}:{broker.port}")

    def _client(self, address: str) -> WireClient:
        if address not in self._clients:
            self._clients[address] = WireClient(address)
        return self._clients[address]
