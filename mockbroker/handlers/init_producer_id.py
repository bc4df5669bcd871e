"""InitProducerId: who may produce, and under which epoch (KIP-98, KIP-360, KIP-890)."""

from mockbroker.call import Call
from mockbroker.dispatch import handles
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


@handles(ApiKey.INIT_PRODUCER_ID, versions=range(6))
def init_producer_id(request: InitProducerIdRequest, call: Call) -> InitProducerIdResponse:
    """Give an idempotent producer an id that nobody has had; refuse transactional ones.

    Without a transactional id the producer id and epoch of the request do not matter, if only both
    are given or neither.
    """
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"producer id {request.producer_id} with epoch {request.producer_epoch}",
        )
    if request.transactional_id is not None:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"transactional id {request.transactional_id!r}: transactions are not served",
        )
    producer_id = call.cluster.producer_ids.generate_producer_id(call.broker_id)
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)
