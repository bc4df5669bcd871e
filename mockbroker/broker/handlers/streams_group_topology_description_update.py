"""StreamsGroupTopologyDescriptionUpdate: description of a topology, for a plugin (KIP-1331)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.newer_groups import is_enabled, refuse
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
)
from mockbroker.protocol.schema.message import Message


def streams_group_topology_description_update(
    request: StreamsGroupTopologyDescriptionUpdateRequest, call: Call
) -> Message:
    """Refuse a description, as brokers do without a plugin that stores it."""
    if not is_enabled(call):
        return refuse(request, call)
    answered = ApiError(
        ErrorCode.UNSUPPORTED_VERSION,
        "The broker has no streams group topology description plugin configured.",
    )
    return error_response(request, call.api_version, answered, paced=call.paced)
