"""What a transactional producer makes of an error: Java's, of Kafka 4.4.

Read off its `TransactionManager` (the handler of each response, `canRetry`, and
`maybeTransitionToErrorState` for a batch that failed) and `Sender.completeBatch`. Other releases
and other clients differ.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS


class ProducerVerdict(StrEnum):
    """What the producer does; the value is what tables show."""

    SUCCESS = "success"
    """It goes on: what it wanted is done."""
    RETRIABLE = "retriable"
    """It sends the request again; a Produce until delivery.timeout.ms, and then it is abortable."""
    ABORTABLE = "abortable"
    """The transaction has to be aborted; then the same producer goes on."""
    FATAL = "fatal"
    """The producer has to be closed."""


class _Handling(NamedTuple):
    """How the response of one API is taken, where it is not to be retried."""

    named: Mapping[ErrorCode, ProducerVerdict]
    """The errors that the handler knows by name."""
    otherwise: ProducerVerdict


def verdict(api: ApiKey, error: ErrorCode) -> ProducerVerdict:
    """Say what the producer makes of an error in the answer of an API.

    Raises:
        LookupError: it is no API of a transactional producer (`PRODUCER_APIS`).

    """
    handling = _HANDLINGS[api]
    if error is ErrorCode.NONE:
        return ProducerVerdict.SUCCESS
    if error.is_retriable:
        return ProducerVerdict.RETRIABLE
    return handling.named.get(error, handling.otherwise)


def verdicts(error: ErrorCode) -> dict[ApiKey, ProducerVerdict]:
    """Say what the producer makes of an error, for each API where it may meet it.

    That is where brokers send it, and where the producer knows it by name.
    """
    return {
        api: verdict(api, error)
        for api, handling in _HANDLINGS.items()
        if error and (error in RESPONSE_ERRORS[api] or error in handling.named)
    }


E = ErrorCode
_ABORTABLE: Final = ProducerVerdict.ABORTABLE
_FATAL: Final = ProducerVerdict.FATAL

_FENCED: Final = {E.INVALID_PRODUCER_EPOCH: _FATAL, E.PRODUCER_FENCED: _FATAL}
_OF_THE_ID: Final = {
    E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _FATAL,
    E.INVALID_TXN_STATE: _FATAL,
    E.INVALID_PRODUCER_ID_MAPPING: _FATAL,
}
_LOST: Final = {E.UNKNOWN_PRODUCER_ID: _ABORTABLE, E.TRANSACTION_ABORTABLE: _ABORTABLE}
"""Where the coordinator lets no client bump its epoch (before Kafka 2.5), the former is fatal."""

_HANDLINGS: Final[Mapping[ApiKey, _Handling]] = {
    ApiKey.FIND_COORDINATOR: _Handling(
        {
            E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _FATAL,
            E.GROUP_AUTHORIZATION_FAILED: _ABORTABLE,
            E.TRANSACTION_ABORTABLE: _ABORTABLE,
        },
        _FATAL,
    ),
    ApiKey.INIT_PRODUCER_ID: _Handling(
        {
            E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _ABORTABLE,
            E.CLUSTER_AUTHORIZATION_FAILED: _ABORTABLE,
            **_FENCED,
            E.TRANSACTION_ABORTABLE: _ABORTABLE,
        },
        _FATAL,
    ),
    ApiKey.ADD_PARTITIONS_TO_TXN: _Handling(
        {
            **_FENCED,
            **_OF_THE_ID,
            E.TOPIC_AUTHORIZATION_FAILED: _ABORTABLE,
            E.OPERATION_NOT_ATTEMPTED: _ABORTABLE,
            **_LOST,
        },
        _ABORTABLE,
    ),
    ApiKey.PRODUCE: _Handling(
        {
            E.DUPLICATE_SEQUENCE_NUMBER: ProducerVerdict.SUCCESS,
            E.CLUSTER_AUTHORIZATION_FAILED: _FATAL,
            E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _FATAL,
            E.PRODUCER_FENCED: _FATAL,
            E.UNSUPPORTED_VERSION: _FATAL,
            E.INVALID_PRODUCER_ID_MAPPING: _FATAL,
            E.INVALID_TXN_STATE: _ABORTABLE,
            E.OUT_OF_ORDER_SEQUENCE_NUMBER: _ABORTABLE,
            E.UNKNOWN_PRODUCER_ID: _ABORTABLE,
            E.MESSAGE_TOO_LARGE: _ABORTABLE,
            E.TOPIC_AUTHORIZATION_FAILED: _ABORTABLE,
        },
        _ABORTABLE,
    ),
    ApiKey.ADD_OFFSETS_TO_TXN: _Handling(
        {**_LOST, **_FENCED, **_OF_THE_ID, E.GROUP_AUTHORIZATION_FAILED: _ABORTABLE},
        _FATAL,
    ),
    ApiKey.TXN_OFFSET_COMMIT: _Handling(
        {
            E.GROUP_AUTHORIZATION_FAILED: _ABORTABLE,
            E.FENCED_INSTANCE_ID: _ABORTABLE,
            E.TRANSACTION_ABORTABLE: _ABORTABLE,
            E.UNKNOWN_MEMBER_ID: _ABORTABLE,
            E.ILLEGAL_GENERATION: _ABORTABLE,
            E.GROUP_ID_NOT_FOUND: _ABORTABLE,
            E.STALE_MEMBER_EPOCH: _ABORTABLE,
            **_FENCED,
            E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _FATAL,
            E.UNSUPPORTED_FOR_MESSAGE_FORMAT: _FATAL,
        },
        _FATAL,
    ),
    ApiKey.END_TXN: _Handling({**_FENCED, **_OF_THE_ID, **_LOST}, _FATAL),
}

PRODUCER_APIS: Final = tuple(_HANDLINGS)
"""What a transactional producer calls, besides ApiVersions and Metadata, in the order of a life."""
