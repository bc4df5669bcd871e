"""InitProducerId: assign a producer id and an epoch (KIP-98, KIP-360, KIP-890, KIP-939)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import as_client_knows, coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch

FIRST_WITH_FENCED: Final = 4


def init_producer_id(request: InitProducerIdRequest, call: Call) -> InitProducerIdResponse:
    """Assign a new producer id, or the next epoch of a transactional id.

    Without a transactional id, the producer id and epoch of the request are ignored, but either
    both or neither must be set.
    """
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"producer id {request.producer_id} with epoch {request.producer_epoch}",
        )
    expected = None
    if request.producer_id != NO_PRODUCER_ID:
        expected = ProducerIdAndEpoch(request.producer_id, request.producer_epoch)
    try:
        given = coordinator_of(call).init_producer_id(
            request.transactional_id,
            request.transaction_timeout_ms,
            call.now_ms,
            expected=expected,
            enable_2pc=request.enable2_pc,
            keep_prepared_txn=request.keep_prepared_txn,
        )
    except ApiError as refusal:
        raise as_client_knows(refusal, call, first_with_fenced=FIRST_WITH_FENCED) from None
    return InitProducerIdResponse(
        producer_id=given.producer_id, producer_epoch=given.producer_epoch
    )
