"""The rows of the table of KIP-691."""

from typing import Final

from mockbroker import API
from mockbroker.protocol.errors import ErrorCode
from tests.clients.kip_691.organic import brokers, producers, rights, topics
from tests.clients.kip_691.row import Row, by_fault

_OF_THE_PRODUCER: Final = (
    ErrorCode.PRODUCER_FENCED,
    ErrorCode.INVALID_PRODUCER_EPOCH,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)
_FAULTS: Final = {
    API.FIND_COORDINATOR: (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,),
    API.INIT_PRODUCER_ID: (
        *_OF_THE_PRODUCER,
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        ErrorCode.UNSUPPORTED_VERSION,
    ),
    API.ADD_PARTITIONS_TO_TXN: (
        *_OF_THE_PRODUCER,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ),
    API.PRODUCE: (
        *_OF_THE_PRODUCER,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ErrorCode.INVALID_RECORD,
        ErrorCode.INVALID_REQUIRED_ACKS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.TRANSACTION_ABORTABLE,
    ),
    API.ADD_OFFSETS_TO_TXN: (
        *_OF_THE_PRODUCER,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ),
    API.TXN_OFFSET_COMMIT: (
        *_OF_THE_PRODUCER,
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.TRANSACTION_ABORTABLE,
    ),
    API.END_TXN: (
        *_OF_THE_PRODUCER,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.TRANSACTION_ABORTABLE,
    ),
}

ROWS: Final[tuple[Row, ...]] = (
    *producers.ROWS,
    *topics.ROWS,
    *rights.ROWS,
    *brokers.ROWS,
    *(by_fault(api, error) for api, errors in _FAULTS.items() for error in errors),
)
