"""Transaction of records that a test appends without a client."""

from types import TracebackType
from typing import Final, Self

from mockbroker.control.handles.coordinator_lookup import coordinator_id
from mockbroker.control.topics.handler_client import HandlerClient, check, while_transient
from mockbroker.control.topics.record_appender import Identity, append_record, place_of
from mockbroker.control.topics.record_fields import (
    AppendedRecord,
    Field,
    Headers,
    Timestamp,
    record_fields,
)
from mockbroker.protocol.errors import ApiError
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
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.topic import TRANSACTION_STATE

_EPOCH_PER_TRANSACTION: Final = 2
"""The level of transaction.version in which each transaction has its own epoch (KIP-890)."""
_NEWEST_INIT_PRODUCER_ID: Final = 5
_NEWEST_ADD_PARTITIONS: Final = 3
_NEWEST_END_TXN: Final = 4
_NEWEST_END_TXN_WITH_EPOCH: Final = 5


class AppendTransaction:
    """A transaction, which commits at the end of its `with` block, and aborts on an exception.

    It is that of a new producer: it fences earlier producers with the same transactional id. Its
    requests go through the coordinator and the leaders, in the versions that the release has.
    """

    def __init__(self, client: HandlerClient, transactional_id: str, timeout_ms: int) -> None:
        """Begin: get a producer id and an epoch.

        Raises:
            ApiError: the coordinator refuses it.

        """
        self._client = client
        self.transactional_id: Final = transactional_id
        self._outcome = "open"
        self._next_sequences: dict[TopicPartition, int] = {}
        self._adds_partitions = client.control.read(
            lambda cluster, _now_ms: cluster.options.transaction_version >= _EPOCH_PER_TRANSACTION
        )
        request = InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=timeout_ms
        )
        coordinator = client.coordinator_of(transactional_id)
        given = while_transient(
            lambda: client.ask(
                request, _NEWEST_INIT_PRODUCER_ID, InitProducerIdResponse, coordinator
            ),
            lambda answer: answer.error_code,
        )
        check(given.error_code, f"InitProducerId of {transactional_id!r}")
        self.producer_id: Final = given.producer_id
        self.producer_epoch: Final = given.producer_epoch

    def __repr__(self) -> str:
        """Name the transactional id, its producer, and the outcome."""
        producer = f"producer {self.producer_id} epoch {self.producer_epoch}"
        return f"<AppendTransaction {self.transactional_id!r} {producer}, {self._outcome}>"

    def append(
        self,
        topic: str,
        value: Field,
        *,
        key: Field = None,
        headers: Headers = (),
        partition: int | None = None,
        timestamp: Timestamp | None = None,
    ) -> AppendedRecord:
        """Append a record as part of the transaction; the arguments are those of `Cluster.append`.

        Raises:
            ApiError: the coordinator or the leader refuses it, as when the producer is fenced.
            RuntimeError: the transaction has ended.
            TypeError: an argument is of another type.

        """
        self._check_is_open()
        fields = record_fields(value, key, headers, timestamp)
        place = place_of(self._client, topic, partition, fields)
        at = TopicPartition(place.topic, place.partition)
        if at not in self._next_sequences and not self._adds_partitions:
            self._add(at)
        sequence = self._next_sequences.setdefault(at, 0)
        identity = Identity(
            self.transactional_id,
            self.producer_id,
            self.producer_epoch,
            sequence,
            self._adds_partitions,
        )
        appended = append_record(self._client, place, fields, identity)
        self._next_sequences[at] = sequence + 1
        return appended

    def commit(self) -> None:
        """Commit the transaction.

        Raises:
            ApiError: the coordinator refuses it.
            RuntimeError: the transaction has ended.

        """
        self._end(is_commit=True)

    def abort(self) -> None:
        """Abort the transaction.

        Raises:
            ApiError: the coordinator refuses it.
            RuntimeError: the transaction has ended.

        """
        self._end(is_commit=False)

    def __enter__(self) -> Self:
        """Return the transaction itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit it, or abort it if there is an exception; nothing if it has ended.

        An exception of the block stays the one that is raised, even if the abort fails.
        """
        if self._outcome != "open":
            return
        if error is None:
            self.commit()
            return
        try:
            self.abort()
        except (ApiError, LookupError, RuntimeError) as refusal:
            error.add_note(f"the transaction could not be aborted: {refusal}")

    def _add(self, at: TopicPartition) -> None:
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.producer_epoch,
            v3_and_below_topics=[AddPartitionsToTxnTopic(name=at.topic, partitions=[at.partition])],
        )

        def ask() -> int:
            answer = self._client.ask(
                request, _NEWEST_ADD_PARTITIONS, AddPartitionsToTxnResponse, self._coordinator()
            )
            (result,) = answer.results_by_topic_v3_and_below[0].results_by_partition
            return result.partition_error_code

        code = while_transient(ask, lambda code: code)
        check(code, f"{at} cannot be added to the transaction of {self.transactional_id!r}")

    def _end(self, *, is_commit: bool) -> None:
        self._check_is_open()
        self._outcome = "committed" if is_commit else "aborted"
        if not self._next_sequences:  # as a client, which ends no transaction without partitions
            return
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            committed=is_commit,
        )
        newest = _NEWEST_END_TXN_WITH_EPOCH if self._adds_partitions else _NEWEST_END_TXN
        try:
            answer = self._client.ask(request, newest, EndTxnResponse, self._coordinator())
            check(answer.error_code, f"EndTxn of {self.transactional_id!r}")
        except BaseException:
            self._outcome = "refused"
            raise

    def _coordinator(self) -> int:
        """Return the present coordinator, which may have moved."""
        return self._client.control.read(
            lambda cluster, _now_ms: coordinator_id(
                cluster, TRANSACTION_STATE, self.transactional_id
            )
        )

    def _check_is_open(self) -> None:
        if self._outcome != "open":
            raise RuntimeError(f"the transaction of {self.transactional_id!r} is {self._outcome}")
