"""The exceptions that KIP-691 lists as fatal, and the error codes that cause them."""

from dataclasses import dataclass
from typing import Final

from mockbroker.protocol.errors import ErrorCode


@dataclass(frozen=True, slots=True)
class Listed:
    """One listed exception."""

    exception: str
    is_fatal: bool


_FATAL: Final = True
_NON_FATAL: Final = False

LISTED: Final[dict[ErrorCode, Listed]] = {
    ErrorCode.PRODUCER_FENCED: Listed("ProducerFencedException", _FATAL),
    ErrorCode.INVALID_PRODUCER_EPOCH: Listed("InvalidProducerEpochException", _NON_FATAL),
    ErrorCode.INVALID_PRODUCER_ID_MAPPING: Listed("InvalidPidMappingException", _NON_FATAL),
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: Listed("ClusterAuthorizationException", _FATAL),
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER: Listed("OutOfOrderSequenceException", _NON_FATAL),
    ErrorCode.UNKNOWN_PRODUCER_ID: Listed("UnknownProducerIdException", _NON_FATAL),
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: Listed(
        "TransactionalIdAuthorizationException", _FATAL
    ),
    ErrorCode.UNSUPPORTED_VERSION: Listed("UnsupportedVersionException", _FATAL),
    ErrorCode.ILLEGAL_SASL_STATE: Listed("AuthenticationException", _FATAL),
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT: Listed(
        "UnsupportedForMessageFormatException", _FATAL
    ),
    ErrorCode.INVALID_RECORD: Listed("InvalidRecordException", _FATAL),
    ErrorCode.INVALID_REQUIRED_ACKS: Listed("InvalidRequiredAcksException", _FATAL),
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Listed(
        "NotEnoughReplicasAfterAppendException", _NON_FATAL
    ),
    ErrorCode.NOT_ENOUGH_REPLICAS: Listed("NotEnoughReplicasException", _NON_FATAL),
    ErrorCode.RECORD_LIST_TOO_LARGE: Listed("RecordBatchTooLargeException", _FATAL),
    ErrorCode.INVALID_TOPIC_EXCEPTION: Listed("InvalidTopicException", _FATAL),
    ErrorCode.CORRUPT_MESSAGE: Listed("CorruptRecordException", _NON_FATAL),
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Listed("UnknownTopicOrPartitionException", _NON_FATAL),
    ErrorCode.NOT_LEADER_OR_FOLLOWER: Listed("NotLeaderOrFollowerException", _NON_FATAL),
    ErrorCode.GROUP_AUTHORIZATION_FAILED: Listed("GroupAuthorizationException", _FATAL),
    ErrorCode.INVALID_TXN_STATE: Listed("KafkaException: InvalidTxnState", _FATAL),
    ErrorCode.UNKNOWN_SERVER_ERROR: Listed("KafkaException: unexpected reason", _FATAL),
    ErrorCode.REQUEST_TIMED_OUT: Listed("TimeoutException", _NON_FATAL),
}

NOT_BY_A_BROKER: Final[dict[str, str]] = {
    "IllegalStateException": "A call in the wrong order, such as `commitTransaction()` without"
    " `beginTransaction()`: no request is sent.",
    "TransactionAbortedException": "The callbacks of records that were not sent before the abort"
    " get it: no broker has seen these records.",
    "RuntimeException: more than one request in flight": "A mistake in the client, which counts its"
    " own requests.",
    "KafkaException: producer closed": "A call gets it if another thread calls `close()`.",
}
"""What no answer of a broker brings about, and why."""
