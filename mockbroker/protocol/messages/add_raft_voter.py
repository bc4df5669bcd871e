"""AddRaftVoter: add a controller to the metadata quorum (KIP-853)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT16,
    INT32,
    STRING,
    UINT16,
    UUID,
    Message,
    Struct,
    array,
    field,
)
from mockbroker.protocol.types import Uuid


class Listener(Struct):
    name: str = field(STRING)
    host: str = field(STRING)
    port: int = field(UINT16)


class AddRaftVoterRequest(
    Message, api=ApiKey.ADD_RAFT_VOTER, kind="request", versions="0-1", flexible="0+"
):
    cluster_id: str | None = field(STRING, nullable="0+")
    timeout_ms: int = field(INT32)
    voter_id: int = field(INT32)
    voter_directory_id: Uuid = field(UUID)
    listeners: list[Listener] = field(array(Listener))
    ack_when_committed: bool = field(BOOL, "1+", default=True)


class AddRaftVoterResponse(
    Message, api=ApiKey.ADD_RAFT_VOTER, kind="response", versions="0-1", flexible="0+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
