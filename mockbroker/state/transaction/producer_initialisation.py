"""InitProducerId: assignment of producer ids and epochs (KIP-98, KIP-360, KIP-939).

Rules:

1. Without a transactional id, every request gets a new producer id. With one, it gets the same
   producer id and a new epoch, which fences producers with an older epoch.
2. A producer that sends its id and epoch continues with them; it is fenced if another producer has
   initialised in between. Its retry with the previous epoch is answered with the current epoch, as
   long as the coordinator remembers the previous one.
3. An open transaction is aborted first, and the client gets CONCURRENT_TRANSACTIONS. Epochs are not
   compared before: a producer that was replaced aborts its successor's transaction, as in Kafka.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import NO_PRODUCER_EPOCH
from mockbroker.state.transaction.coordinator_host import CoordinatorHost
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch, is_epoch_exhausted
from mockbroker.state.transaction.transaction_ending import TransactionEnding
from mockbroker.state.transaction.transaction_metadata import (
    NO_TIMEOUT_MS,
    TransactionMetadata,
)
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transaction_state_manager import (
    Transaction,
    TransactionStateManager,
)
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

MAX_TIMEOUT: Final = "transaction.max.timeout.ms"
TWO_PHASE_COMMIT: Final = "transaction.two.phase.commit.enable"


class InitProducerIdRequest(NamedTuple):
    """An InitProducerId request with a transactional id."""

    transactional_id: str
    timeout_ms: int
    expected: ProducerIdAndEpoch | None = None
    enable_2pc: bool = False
    keep_prepared_txn: bool = False


class ProducerInitialisation:
    """The handling of InitProducerId by one coordinator."""

    __slots__ = ("_broker_id", "_ending", "_host", "_states", "_watch")

    def __init__(
        self,
        broker_id: int,
        host: CoordinatorHost,
        states: TransactionStateManager,
        ending: TransactionEnding,
        watch: Callable[[TransactionMetadata, int], None],
    ) -> None:
        """Add transactional ids to `states`, and call `watch` for each new one."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._states: Final = states
        self._ending: Final = ending
        self._watch: Final = watch

    def generate_producer_id(self) -> int:
        """Return a producer id that was never used."""
        return self._host.producer_ids.generate_producer_id(self._broker_id)

    def init_producer_id(self, request: InitProducerIdRequest, now_ms: int) -> ProducerIdAndEpoch:
        """Handle a request; see `TransactionCoordinator.init_producer_id`."""
        transactional_id = request.transactional_id
        if not transactional_id:
            raise ApiError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
        timeout_ms = self._timeout(request)
        transaction = self._states.get(transactional_id)
        if transaction is None:
            transaction = self._create(transactional_id, timeout_ms, now_ms)
        metadata = transaction.metadata
        metadata.require_no_transition()
        expected = request.expected
        if expected is not None and not _is_valid_producer(metadata, expected):
            raise ApiError(
                ErrorCode.PRODUCER_FENCED,
                f"{transactional_id!r} has producer id {metadata.producer_id}, not {expected}",
            )
        if metadata.state is TransactionState.ONGOING:
            self._ending.fence_and_abort(transaction, now_ms)
            raise ApiError(
                ErrorCode.CONCURRENT_TRANSACTIONS,
                f"the open transaction of {transactional_id!r} is aborted first",
            )
        transit = self._prepare(metadata, timeout_ms, expected, now_ms)
        self._states.begin(transaction, transit)
        self._states.append(transaction, transit, now_ms)
        return ProducerIdAndEpoch(transit.producer_id, transit.producer_epoch)

    def _timeout(self, request: InitProducerIdRequest) -> int:
        configs = self._host.configs
        if request.enable_2pc and not configs.broker_flag(TWO_PHASE_COMMIT, self._broker_id):
            raise ApiError(
                ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, f"{TWO_PHASE_COMMIT} is not set"
            )
        if request.keep_prepared_txn:
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION, "Kafka does not keep prepared transactions yet"
            )
        if request.enable_2pc:
            return NO_TIMEOUT_MS
        allowed_ms = configs.broker_integer(MAX_TIMEOUT, self._broker_id)
        if not 0 < request.timeout_ms <= allowed_ms:
            raise ApiError(
                ErrorCode.INVALID_TRANSACTION_TIMEOUT,
                f"timeout {request.timeout_ms} ms is not between 1 and {MAX_TIMEOUT}={allowed_ms}",
            )
        return request.timeout_ms

    def _create(self, transactional_id: str, timeout_ms: int, now_ms: int) -> Transaction:
        metadata = TransactionMetadata.new(
            transactional_id, self.generate_producer_id(), timeout_ms=timeout_ms, now_ms=now_ms
        )
        transaction = self._states.put_if_absent(metadata)
        self._watch(metadata, now_ms)
        return transaction

    def _prepare(
        self,
        metadata: TransactionMetadata,
        timeout_ms: int,
        expected: ProducerIdAndEpoch | None,
        now_ms: int,
    ) -> TxnTransitMetadata:
        if not metadata.is_producer_epoch_exhausted:
            expected_epoch = None if expected is None else expected.producer_epoch
            return metadata.prepare_increment_producer_epoch(timeout_ms, expected_epoch, now_ms)
        if expected is not None and expected.producer_epoch != metadata.producer_epoch:
            # Kafka throws an IllegalStateException, which clients get as this code.
            raise ApiError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"no more epochs for producer id {metadata.producer_id}",
            )
        return metadata.prepare_producer_id_rotation(
            self.generate_producer_id(),
            timeout_ms,
            now_ms,
            record_last_epoch=expected is not None,
        )


def _is_valid_producer(metadata: TransactionMetadata, expected: ProducerIdAndEpoch) -> bool:
    """Return whether a producer may continue; a new transactional id accepts every producer.

    The previous producer id is accepted from a producer whose epochs are exhausted and which did
    not get the answer with its new id. (KIP-360)
    """
    return (
        metadata.producer_epoch == NO_PRODUCER_EPOCH
        or expected.producer_id == metadata.producer_id
        or (
            expected.producer_id == metadata.previous_producer_id
            and is_epoch_exhausted(expected.producer_epoch)
        )
    )
