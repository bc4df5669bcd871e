"""UnregisterBroker: forget a broker that is gone for good (KIP-500)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.unregister_broker import (
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)


def unregister_broker(request: UnregisterBrokerRequest, call: Call) -> UnregisterBrokerResponse:
    """Refuse: no broker is gone for good here, and one that lives would never come back."""
    broker_id = request.broker_id
    refusal = call.cluster.options.cluster_admin_refusals.broker_not_registered.error(broker_id)
    if broker_id in call.cluster.brokers:
        refusal = ApiError(ErrorCode.INVALID_REQUEST, f"broker {broker_id} is alive, and stays")
    call.service.refusals.note("unregister_broker_refused", refusal)
    return UnregisterBrokerResponse(error_code=refusal.code, error_message=refusal.why)
