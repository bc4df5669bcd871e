"""ListTransactions: list the transactional ids of a broker (KIP-664, KIP-994, KIP-1152)."""

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import coordinator_of
from mockbroker.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.transaction.listing import transaction_listing
from mockbroker.state.transaction.listing.transaction_listing import TransactionFilters


def list_transactions(request: ListTransactionsRequest, call: Call) -> ListTransactionsResponse:
    """List the transactional ids that match all filters of the request."""
    filters = TransactionFilters(
        states=tuple(request.state_filters),
        producer_ids=frozenset(request.producer_id_filters),
        duration_ms=request.duration_filter,
        transactional_id_pattern=request.transactional_id_pattern,
    )
    listed = transaction_listing.list_transactions(coordinator_of(call), filters, call.now_ms)
    return ListTransactionsResponse(
        unknown_state_filters=list(listed.unknown_state_filters),
        transaction_states=[
            TransactionState(
                transactional_id=metadata.transactional_id,
                producer_id=metadata.producer_id,
                transaction_state=metadata.state.state_name,
            )
            for metadata in listed.transactions
            if call.allows(
                AclOperation.DESCRIBE, AclResource.TRANSACTIONAL_ID, metadata.transactional_id
            )
        ],
    )
