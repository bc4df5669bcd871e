"""RemoveRaftVoter: remove a controller from the metadata quorum (KIP-853)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    STRING,
    UUID,
    Message,
    field,
)
from mockbroker.protocol.types import Uuid


class RemoveRaftVoterRequest(
    Message, api=ApiKey.REMOVE_RAFT_VOTER, kind="request", versions="0", flexible="0+"
):
    cluster_id: str | None = field(STRING, nullable="0+")
    voter_id: int = field(INT32)
    voter_directory_id: Uuid = field(UUID)


class RemoveRaftVoterResponse(
    Message, api=ApiKey.REMOVE_RAFT_VOTER, kind="response", versions="0", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
