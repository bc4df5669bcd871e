"""UnregisterBroker: remove the registration of a broker (KIP-500)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.unregister_broker import (
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)


def unregister_broker(request: UnregisterBrokerRequest, call: Call) -> UnregisterBrokerResponse:
    """Refuse: no broker leaves for good, and an unregistered one could not come back."""
    broker_id = request.broker_id
    refusal = call.cluster.options.cluster_admin_refusals.broker_not_registered.error(broker_id)
    if broker_id in call.cluster.brokers:
        refusal = ApiError(ErrorCode.INVALID_REQUEST, f"broker {broker_id} cannot be unregistered")
    call.service.refusals.note("unregister_broker_refused", refusal)
    return UnregisterBrokerResponse(error_code=refusal.code, error_message=refusal.why)
