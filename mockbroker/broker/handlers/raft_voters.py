"""Shared errors of AddRaftVoter and RemoveRaftVoter: the cluster's quorum is static."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import ZERO_UUID, Uuid


def check_cluster_id(call: Call, cluster_id: str | None) -> None:
    """Check that a request with a cluster id has this cluster's id.

    Raises:
        ApiError: INCONSISTENT_CLUSTER_ID.

    """
    here = call.cluster.cluster_id
    if cluster_id is not None and cluster_id != here:
        raise ApiError(
            ErrorCode.INCONSISTENT_CLUSTER_ID,
            f'The given id "{cluster_id}" doesn\'t match the cluster id "{here}"',
        )


def check_voter(what: str, voter_id: int, directory_id: Uuid) -> None:
    """Check that a voter has an id and a directory id.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    if voter_id < 0 or directory_id == ZERO_UUID:
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"{what} voter request didn't include a valid voter"
        )


def static_quorum(doing: str) -> ApiError:
    """Return the error for changing the voters of a static quorum (kraft.version 0)."""
    return ApiError(
        ErrorCode.UNSUPPORTED_VERSION,
        f"Cluster doesn't support {doing} voter because the kraft.version feature is 0",
    )
