"""RemoveRaftVoter: refused, because the quorum's voters are static (KIP-853)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.raft_voters import check_cluster_id, check_voter, static_quorum
from mockbroker.protocol.messages.remove_raft_voter import (
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)


def remove_raft_voter(request: RemoveRaftVoterRequest, call: Call) -> RemoveRaftVoterResponse:
    """Refuse the request with the first applicable error.

    Raises:
        ApiError: INCONSISTENT_CLUSTER_ID, INVALID_REQUEST, UNSUPPORTED_VERSION.

    """
    check_cluster_id(call, request.cluster_id)
    check_voter("Remove", request.voter_id, request.voter_directory_id)
    raise static_quorum("removing")
