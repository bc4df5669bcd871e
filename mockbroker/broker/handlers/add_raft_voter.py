"""AddRaftVoter: refused, because the quorum's voters are static (KIP-853)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.raft_voters import check_cluster_id, check_voter, static_quorum
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse

_LISTENER: Final = "CONTROLLER"


def add_raft_voter(request: AddRaftVoterRequest, call: Call) -> AddRaftVoterResponse:
    """Refuse the request with the first applicable error.

    Raises:
        ApiError: INCONSISTENT_CLUSTER_ID, INVALID_REQUEST, UNSUPPORTED_VERSION.

    """
    check_cluster_id(call, request.cluster_id)
    check_voter("Add", request.voter_id, request.voter_directory_id)
    if not any(listener.name == _LISTENER for listener in request.listeners):
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "Add voter request didn't include the endpoint (Endpoints(endpoints={})) for the"
            f" default listener ListenerName({_LISTENER})",
        )
    raise static_quorum("adding")
