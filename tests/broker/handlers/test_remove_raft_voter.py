"""RemoveRaftVoter is refused with the first applicable error."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.remove_raft_voter import (
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from tests.support.in_process import Brokers


@pytest.mark.parametrize(
    ("cluster_id", "voter_id", "directory_id", "code"),
    [
        ("another", -1, ZERO_UUID, ErrorCode.INCONSISTENT_CLUSTER_ID),
        (None, 1, ZERO_UUID, ErrorCode.INVALID_REQUEST),
        (None, 1, Uuid(int=5), ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_no_voter_is_removed(
    cluster_id: str | None, voter_id: int, directory_id: Uuid, code: ErrorCode
) -> None:
    request = RemoveRaftVoterRequest(
        cluster_id=cluster_id, voter_id=voter_id, voter_directory_id=directory_id
    )
    assert Brokers().ask(request, 0, RemoveRaftVoterResponse).error_code == code
