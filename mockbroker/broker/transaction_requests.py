"""Shared steps of transactional requests."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator

ADD_PARTITIONS_WITH_EPOCH_BUMP: Final = 4
END_TXN_WITH_EPOCH_BUMP: Final = 5
"""First versions of the two APIs that support transaction.version 2 (KIP-890)."""

EPOCH_BUMP_VERSION: Final = 2
"""The transaction.version in which every transaction bumps the producer epoch."""

NO_EPOCH_BUMP_VERSION: Final = 0


def coordinator_of(call: Call) -> TransactionCoordinator:
    """Return the transaction coordinator at the broker of the call."""
    return call.cluster.transaction_coordinator(call.broker_id)


def client_transaction_version(api_version: int, *, first_with_epoch_bump: int) -> int:
    """Return the transaction.version of a version of EndTxn or AddPartitionsToTxn."""
    return EPOCH_BUMP_VERSION if api_version >= first_with_epoch_bump else NO_EPOCH_BUMP_VERSION


def as_client_knows(refusal: ApiError, call: Call, *, first_with_fenced: int) -> ApiError:
    """Map an error to a code that the request's version knows.

    Older clients get INVALID_PRODUCER_EPOCH instead of PRODUCER_FENCED. (KIP-588)
    """
    if refusal.code is ErrorCode.PRODUCER_FENCED and call.api_version < first_with_fenced:
        return ApiError(ErrorCode.INVALID_PRODUCER_EPOCH, refusal.why)
    return refusal
