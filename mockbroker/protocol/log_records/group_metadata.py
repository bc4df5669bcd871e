"""Records of `__consumer_offsets` that hold a classic group and its members."""

from mockbroker.protocol.schema.message import (
    BYTES,
    INT32,
    INT64,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class GroupMetadataKey(Message, versions="0"):
    group: str = field(STRING)


class MemberMetadata(Struct):
    member_id: str = field(STRING)
    group_instance_id: str | None = field(STRING, "3+", nullable="3+", default=None)
    client_id: str = field(STRING)
    client_host: str = field(STRING)
    rebalance_timeout: int = field(INT32, "1+", default=-1)
    session_timeout: int = field(INT32)
    subscription: bytes = field(BYTES)
    assignment: bytes = field(BYTES)


class GroupMetadataValue(Message, versions="0-4", flexible="4+"):
    protocol_type: str = field(STRING)
    generation: int = field(INT32)
    protocol: str | None = field(STRING, nullable="0+")
    leader: str | None = field(STRING, nullable="0+")
    current_state_timestamp: int = field(INT64, "2+", default=-1)
    members: list[MemberMetadata] = field(array(MemberMetadata))
