"""AddOffsetsToTxn: add a group's offsets partition to a transaction (KIP-98)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import as_client_knows, coordinator_of
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch

FIRST_WITH_FENCED: Final = 2


def add_offsets_to_txn(request: AddOffsetsToTxnRequest, call: Call) -> AddOffsetsToTxnResponse:
    """Add the partition that holds a group's offsets to a transaction."""
    try:
        coordinator_of(call).add_offsets_to_transaction(
            request.transactional_id,
            ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
            request.group_id,
            call.now_ms,
        )
    except ApiError as refusal:
        raise as_client_knows(refusal, call, first_with_fenced=FIRST_WITH_FENCED) from None
    return AddOffsetsToTxnResponse()
