"""AddRaftVoter is refused with the first applicable error."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_raft_voter import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    Listener,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from tests.support.in_process import Brokers


@pytest.mark.parametrize(
    ("cluster_id", "voter_id", "directory_id", "listener", "code"),
    [
        ("another", -1, ZERO_UUID, "", ErrorCode.INCONSISTENT_CLUSTER_ID),
        (None, -1, Uuid(int=5), "", ErrorCode.INVALID_REQUEST),
        (None, 9, ZERO_UUID, "CONTROLLER", ErrorCode.INVALID_REQUEST),
        (None, 9, Uuid(int=5), "PLAINTEXT", ErrorCode.INVALID_REQUEST),
        (None, 9, Uuid(int=5), "CONTROLLER", ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_no_voter_is_added(
    cluster_id: str | None, voter_id: int, directory_id: Uuid, listener: str, code: ErrorCode
) -> None:
    request = AddRaftVoterRequest(
        cluster_id=cluster_id,
        timeout_ms=1_000,
        voter_id=voter_id,
        voter_directory_id=directory_id,
        listeners=[Listener(name=listener, host="localhost", port=1)],
    )
    assert Brokers().ask(request, 1, AddRaftVoterResponse).error_code == code


def test_this_cluster_may_be_named() -> None:
    brokers = Brokers()
    request = AddRaftVoterRequest(
        cluster_id=brokers.state.cluster_id, timeout_ms=1_000, voter_id=-1
    )
    answer = brokers.ask(request, 1, AddRaftVoterResponse)
    assert answer.error_message == "Add voter request didn't include a valid voter"
