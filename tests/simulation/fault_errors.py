"""Errors that faults of a simulation answer with, which model clients live with.

An answer that promises what did not occur is missing: the clients would be judged by it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

_COORDINATED: Final = (
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)
ERRORS: Final[Mapping[ApiKey, Sequence[ErrorCode]]] = {
    ApiKey.PRODUCE: (
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.INVALID_RECORD,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_TXN_STATE,
    ),
    ApiKey.FETCH: (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_SERVER_ERROR),
    ApiKey.METADATA: (ErrorCode.LEADER_NOT_AVAILABLE,),
    ApiKey.FIND_COORDINATOR: (ErrorCode.COORDINATOR_NOT_AVAILABLE,),
    ApiKey.INIT_PRODUCER_ID: (*_COORDINATED, ErrorCode.CONCURRENT_TRANSACTIONS),
    ApiKey.ADD_PARTITIONS_TO_TXN: (*_COORDINATED, ErrorCode.CONCURRENT_TRANSACTIONS),
    ApiKey.ADD_OFFSETS_TO_TXN: (*_COORDINATED, ErrorCode.CONCURRENT_TRANSACTIONS),
    ApiKey.TXN_OFFSET_COMMIT: (*_COORDINATED, ErrorCode.ILLEGAL_GENERATION),
    ApiKey.OFFSET_FETCH: (*_COORDINATED[:3], ErrorCode.UNSTABLE_OFFSET_COMMIT),
    ApiKey.END_TXN: (
        *_COORDINATED,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ),
}

ERRORS_OF_MEMBERS: Final[Mapping[str, Mapping[ApiKey, Sequence[ErrorCode]]]] = {
    "": {},
    "classic": {
        ApiKey.HEARTBEAT: (*_COORDINATED, ErrorCode.REBALANCE_IN_PROGRESS),
        ApiKey.JOIN_GROUP: _COORDINATED,
        ApiKey.SYNC_GROUP: (*_COORDINATED, ErrorCode.REBALANCE_IN_PROGRESS),
    },
    "consumer": {
        ApiKey.CONSUMER_GROUP_HEARTBEAT: (*_COORDINATED, ErrorCode.FENCED_MEMBER_EPOCH),
    },
    "streams": {
        ApiKey.STREAMS_GROUP_HEARTBEAT: (*_COORDINATED, ErrorCode.FENCED_MEMBER_EPOCH),
    },
}
"""Errors of the requests of sharers, by the protocol of their group."""

ERRORS_OF_SHARE_CONSUMERS: Final[Mapping[ApiKey, Sequence[ErrorCode]]] = {
    ApiKey.SHARE_GROUP_HEARTBEAT: (
        *_COORDINATED,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_MEMBER_EPOCH,
    ),
    ApiKey.SHARE_FETCH: (
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.SHARE_SESSION_NOT_FOUND,
    ),
    ApiKey.SHARE_ACKNOWLEDGE: (
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.INVALID_RECORD_STATE,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ),
}
"""Errors of the requests of share consumers.

Without UNKNOWN_SERVER_ERROR, which share consumers take for a defect of the brokers.
"""
