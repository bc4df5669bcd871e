"""Errors of the table that the cluster does not give by itself, and why."""

from typing import Final

from mockbroker import API
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

_OF_TRANSACTIONS: Final = (
    API.INIT_PRODUCER_ID,
    API.ADD_PARTITIONS_TO_TXN,
    API.ADD_OFFSETS_TO_TXN,
    API.END_TXN,
)
_SIZE: Final = (
    "Kafka returns it if the coordinator's own record is larger than `__transaction_state` allows,"
    " which is not checked here."
)
_BUMP: Final = (
    "A producer names its id and epoch here only to bump the epoch. It does that after another"
    " error, which the application gets first."
)
_ADDED: Final = (
    "The coordinator returns it for the end of a transaction and for the verification by a leader."
    " If nothing can be added now, it returns CONCURRENT_TRANSACTIONS."
)
_EPOCH: Final = (
    "Leaders and group coordinators return INVALID_PRODUCER_EPOCH to a fenced producer; only"
    " transaction coordinators return PRODUCER_FENCED."
)

ONLY_BY_FAULT: Final[dict[tuple[ApiKey, ErrorCode], str]] = {
    **{(api, ErrorCode.UNKNOWN_SERVER_ERROR): _SIZE for api in _OF_TRANSACTIONS},
    (API.TXN_OFFSET_COMMIT, ErrorCode.UNKNOWN_SERVER_ERROR): "Kafka returns it for an exception in"
    " its own code. An offset that is too large for its topic is INVALID_COMMIT_OFFSET_SIZE.",
    (API.INIT_PRODUCER_ID, ErrorCode.PRODUCER_FENCED): _BUMP,
    (API.INIT_PRODUCER_ID, ErrorCode.INVALID_PRODUCER_EPOCH): _BUMP,
    (API.INIT_PRODUCER_ID, ErrorCode.INVALID_PRODUCER_ID_MAPPING): _BUMP,
    (API.INIT_PRODUCER_ID, ErrorCode.UNSUPPORTED_VERSION): "A client sends only versions that the"
    " broker lists in ApiVersions. If it needs another one, it raises the error itself.",
    (API.ADD_PARTITIONS_TO_TXN, ErrorCode.INVALID_TXN_STATE): _ADDED,
    (API.ADD_OFFSETS_TO_TXN, ErrorCode.INVALID_TXN_STATE): _ADDED,
    (API.PRODUCE, ErrorCode.PRODUCER_FENCED): _EPOCH,
    (API.TXN_OFFSET_COMMIT, ErrorCode.PRODUCER_FENCED): _EPOCH,
    (API.PRODUCE, ErrorCode.INVALID_TXN_STATE): "Clients whose Produce is older than version 11"
    " get it in the row of TRANSACTION_ABORTABLE.",
    (API.TXN_OFFSET_COMMIT, ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT): "The topic of the offsets"
    " itself would need the old format, which coordinators here do not look at.",
    (API.TXN_OFFSET_COMMIT, ErrorCode.REQUEST_TIMED_OUT): "A coordinator whose write is not"
    " replicated in time returns COORDINATOR_NOT_AVAILABLE.",
    (API.END_TXN, ErrorCode.TRANSACTION_ABORTABLE): "It is the result of the verification of"
    " partitions, and EndTxn has none.",
}
"""The reason for each call and error that has a row by fault and none without."""
