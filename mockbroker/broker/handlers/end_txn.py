"""EndTxn: commit or abort a transaction (KIP-98, KIP-890)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import (
    END_TXN_WITH_EPOCH_BUMP,
    as_client_knows,
    client_transaction_version,
    coordinator_of,
)
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.types import NO_PRODUCER_EPOCH
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch

FIRST_WITH_FENCED: Final = 2


def end_txn(request: EndTxnRequest, call: Call) -> EndTxnResponse:
    """Decide the outcome of a transaction; its markers are written right after the response."""
    try:
        bumped = coordinator_of(call).end_transaction(
            request.transactional_id,
            ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
            is_commit=request.committed,
            now_ms=call.now_ms,
            client_transaction_version=client_transaction_version(
                call.api_version, first_with_epoch_bump=END_TXN_WITH_EPOCH_BUMP
            ),
        )
    except ApiError as failure:
        refusal = as_client_knows(failure, call, first_with_fenced=FIRST_WITH_FENCED)
        call.service.refusals.note(
            "end_txn_refused", refusal, transactional_id=request.transactional_id
        )
        return EndTxnResponse(error_code=refusal.code, producer_epoch=NO_PRODUCER_EPOCH)
    return EndTxnResponse(producer_id=bumped.producer_id, producer_epoch=bumped.producer_epoch)
