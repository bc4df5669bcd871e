"""Tables of the outcome of EndTxn in each state, before and since KIP-890 part 2.

Rules:

1. Before KIP-890 part 2, a request must have the current epoch, and a repeated request gets the
   same answer again.
2. Since then, the end of each transaction bumps the epoch. A request with the previous epoch is a
   retry and gets the same answer again. A request with the current epoch is a new one; an abort
   without an open transaction is allowed and bumps the epoch as well.
3. A decision changes nothing.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.producer_epochs import LAST_PRODUCER_EPOCH
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import (
    IllegalTransitionError,
    TransactionState,
)


class EndTxnDecision(Enum):
    """The action for an EndTxn that is not refused."""

    ANSWER_AGAIN = "the transaction has ended like that already"
    END = "end the open transaction"
    ABORT_NOTHING = "bump the epoch, although there is no transaction"


class EndTxnRequest(NamedTuple):
    """An EndTxn from a client, or from the coordinator itself when it fences."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    is_commit: bool
    client_transaction_version: int
    is_from_client: bool = True


_Outcome = EndTxnDecision | ErrorCode
_S = TransactionState
_AGAIN: Final = EndTxnDecision.ANSWER_AGAIN
_END: Final = EndTxnDecision.END
_NOTHING: Final = EndTxnDecision.ABORT_NOTHING
_INVALID: Final = ErrorCode.INVALID_TXN_STATE
_BUSY: Final = ErrorCode.CONCURRENT_TRANSACTIONS

COMMIT: Final = True
ABORT: Final = False

OUTCOMES: Final[Mapping[tuple[TransactionState, bool], _Outcome]] = {
    (_S.EMPTY, COMMIT): _INVALID,
    (_S.EMPTY, ABORT): _INVALID,
    (_S.ONGOING, COMMIT): _END,
    (_S.ONGOING, ABORT): _END,
    (_S.PREPARE_COMMIT, COMMIT): _BUSY,
    (_S.PREPARE_COMMIT, ABORT): _INVALID,
    (_S.PREPARE_ABORT, COMMIT): _INVALID,
    (_S.PREPARE_ABORT, ABORT): _BUSY,
    (_S.COMPLETE_COMMIT, COMMIT): _AGAIN,
    (_S.COMPLETE_COMMIT, ABORT): _INVALID,
    (_S.COMPLETE_ABORT, COMMIT): _INVALID,
    (_S.COMPLETE_ABORT, ABORT): _AGAIN,
}
"""Outcomes by state and result, for requests before EndTxn v5."""

BUMPING_OUTCOMES: Final[Mapping[tuple[TransactionState, bool], tuple[_Outcome, _Outcome]]] = {
    (_S.EMPTY, COMMIT): (_INVALID, _INVALID),
    (_S.EMPTY, ABORT): (_NOTHING, _NOTHING),
    (_S.ONGOING, COMMIT): (_END, _END),
    (_S.ONGOING, ABORT): (_END, _END),
    (_S.PREPARE_COMMIT, COMMIT): (_BUSY, _BUSY),
    (_S.PREPARE_COMMIT, ABORT): (_INVALID, _INVALID),
    (_S.PREPARE_ABORT, COMMIT): (_INVALID, _INVALID),
    (_S.PREPARE_ABORT, ABORT): (_BUSY, _BUSY),
    (_S.COMPLETE_COMMIT, COMMIT): (_AGAIN, _INVALID),
    (_S.COMPLETE_COMMIT, ABORT): (_INVALID, _NOTHING),
    (_S.COMPLETE_ABORT, COMMIT): (_INVALID, _INVALID),
    (_S.COMPLETE_ABORT, ABORT): (_AGAIN, _NOTHING),
}
"""Outcomes by state and result, as (retry, new request), since EndTxn v5 (KIP-890)."""


def decide_end(
    metadata: TransactionMetadata, request: EndTxnRequest, *, accepts_epoch_ahead: bool
) -> EndTxnDecision:
    """Decide on a request that does not bump the epoch (before EndTxn v5).

    `accepts_epoch_ahead`: releases up to 2.4 refuse only older epochs.

    Raises:
        ApiError: INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS,
            INVALID_TXN_STATE; checked in this order.

    """
    if metadata.producer_id != request.producer_id:
        raise _wrong_producer_id(metadata, request)
    epochs_ahead = request.producer_epoch - metadata.producer_epoch
    must_be_equal = request.is_from_client and not accepts_epoch_ahead
    if epochs_ahead < 0 or (must_be_equal and epochs_ahead):
        raise _fenced(metadata, request)
    _require_nothing_pending(metadata)
    return _decision(OUTCOMES.get((metadata.state, request.is_commit)), metadata, request)


def decide_bumping_end(metadata: TransactionMetadata, request: EndTxnRequest) -> EndTxnDecision:
    """Decide on a request that bumps the epoch (since EndTxn v5, KIP-890).

    Raises:
        ApiError: CONCURRENT_TRANSACTIONS, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED,
            INVALID_TXN_STATE; checked in this order.

    """
    _require_nothing_pending(metadata)
    is_fence = metadata.pending_state is TransactionState.PREPARE_EPOCH_FENCE
    rolled_over = not is_fence and _is_retry_of_rollover(metadata, request)
    is_retry = rolled_over or (
        not is_fence and metadata.producer_epoch == request.producer_epoch + 1
    )
    if metadata.producer_id != request.producer_id and not rolled_over:
        raise _wrong_producer_id(metadata, request)
    if not _is_valid_epoch(metadata, request, is_fence=is_fence, is_retry=is_retry):
        raise _fenced(metadata, request)
    outcomes = BUMPING_OUTCOMES.get((metadata.state, request.is_commit))
    return _decision(
        None if outcomes is None else outcomes[0 if is_retry else 1], metadata, request
    )


def _is_retry_of_rollover(metadata: TransactionMetadata, request: EndTxnRequest) -> bool:
    return (
        metadata.previous_producer_id == request.producer_id
        and request.producer_epoch == LAST_PRODUCER_EPOCH
        and metadata.producer_epoch == 0
    )


def _is_valid_epoch(
    metadata: TransactionMetadata, request: EndTxnRequest, *, is_fence: bool, is_retry: bool
) -> bool:
    state = metadata.state
    is_current = request.producer_epoch == metadata.producer_epoch
    if is_fence:
        return is_current or (
            not request.is_from_client and request.producer_epoch > metadata.producer_epoch
        )
    if state in {_S.PREPARE_COMMIT, _S.PREPARE_ABORT}:
        return is_retry
    if state in {_S.COMPLETE_COMMIT, _S.COMPLETE_ABORT}:
        return is_retry or is_current
    return is_current


def _require_nothing_pending(metadata: TransactionMetadata) -> None:
    if metadata.pending_state not in {None, TransactionState.PREPARE_EPOCH_FENCE}:
        raise ApiError(
            ErrorCode.CONCURRENT_TRANSACTIONS,
            f"{metadata.transactional_id!r} has a pending transition from "
            f"{metadata.state.state_name}",
        )


def _decision(
    outcome: _Outcome | None, metadata: TransactionMetadata, request: EndTxnRequest
) -> EndTxnDecision:
    if outcome is None:
        raise IllegalTransitionError(f"no outcome of {request} for {metadata}")
    if isinstance(outcome, ErrorCode):
        result = "COMMIT" if request.is_commit else "ABORT"
        raise ApiError(
            outcome, f"{result} while {request.transactional_id!r} is {metadata.state.state_name}"
        )
    return outcome


def _wrong_producer_id(metadata: TransactionMetadata, request: EndTxnRequest) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        f"{request.transactional_id!r} has producer id {metadata.producer_id},"
        f" not {request.producer_id}",
    )


def _fenced(metadata: TransactionMetadata, request: EndTxnRequest) -> ApiError:
    return ApiError(
        ErrorCode.PRODUCER_FENCED,
        f"{request.transactional_id!r} is at epoch {metadata.producer_epoch},"
        f" not {request.producer_epoch}",
    )
