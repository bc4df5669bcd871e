"""APIs of share group state, which has no coordinator while share groups are off (KIP-932)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message


def refuse(request: Message, call: Call) -> Message:
    """Refuse with NOT_COORDINATOR; without a group id the response is empty."""
    what = call.api_key.name.replace("_", " ").lower()
    refusal = ApiError(
        ErrorCode.NOT_COORDINATOR, f"Unable to {what}: This is not the correct coordinator."
    )
    call.service.refusals.note("feature_refused", refusal, api=call.api_key.name)
    if not getattr(request, "group_id"):  # noqa: B009 - all of these requests have one
        return response_type(call.api_key)()
    return error_response(request, call.api_version, refusal, paced=call.paced)
