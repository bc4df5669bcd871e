"""The state of share groups, of which no broker is the coordinator while they are off (KIP-932)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.call import Call
from mockbroker.dispatch import Handle, handles
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema import Message


class StateApi(NamedTuple):
    """What an API does with the state of share groups."""

    versions: range
    what: str


_APIS: Final[Mapping[ApiKey, StateApi]] = {
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: StateApi(range(1), "initialize share group state"),
    ApiKey.READ_SHARE_GROUP_STATE: StateApi(range(1), "read share group state"),
    ApiKey.WRITE_SHARE_GROUP_STATE: StateApi(range(2), "write share group state"),
    ApiKey.DELETE_SHARE_GROUP_STATE: StateApi(range(1), "delete share group state"),
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: StateApi(range(2), "read share group state summary"),
}


def _refusing(what: str) -> Handle:
    refusal = ApiError(
        ErrorCode.NOT_COORDINATOR, f"Unable to {what}: This is not the correct coordinator."
    )

    def refuse(request: Message, call: Call) -> Message:
        call.service.refusals.note("feature_refused", refusal, api=call.api_key.name)
        if not getattr(request, "group_id"):  # noqa: B009 - all of these requests have one
            return response_type(call.api_key)()
        return error_response(request, call.api_version, refusal)

    return refuse


for _api_key, _api in _APIS.items():
    handles(_api_key, versions=_api.versions)(_refusing(_api.what))
