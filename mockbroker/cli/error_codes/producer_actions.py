"""Reactions of the transactional producer of Kafka 4.4's Java client to errors.

The sources are its `TransactionManager` (the handler of each response, `canRetry`, and
`maybeTransitionToErrorState` for a failed batch) and `Sender.completeBatch`. Other releases and
other clients differ.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS


class ProducerAction(StrEnum):
    """Reaction of the producer; tables show the value."""

    SUCCESS = "success"
    """Continue: the request had its effect."""
    RETRIABLE = "retriable"
    """Send the request again; a Produce until delivery.timeout.ms, then abort."""
    ABORTABLE = "abortable"
    """Abort the transaction, then continue with the same producer."""
    FATAL = "fatal"
    """Close the producer."""


class _Handling(NamedTuple):
    """Actions for the response of one API, except for retriable errors."""

    named: Mapping[ErrorCode, ProducerAction]
    """Actions for errors that the handler names."""
    otherwise: ProducerAction


def producer_action(api: ApiKey, error: ErrorCode) -> ProducerAction:
    """Return the action of the producer after an error in the answer of an API.

    Raises:
        LookupError: it is not an API of a transactional producer (`PRODUCER_APIS`).

    """
    handling = _HANDLINGS[api]
    if error is ErrorCode.NONE:
        return ProducerAction.SUCCESS
    if error.is_retriable:
        return ProducerAction.RETRIABLE
    return handling.named.get(error, handling.otherwise)


def producer_actions(error: ErrorCode) -> dict[ApiKey, ProducerAction]:
    """Return the action of the producer after an error, for each API that may have it.

    These are the APIs whose answers contain it, and those whose handlers name it.
    """
    return {
        api: producer_action(api, error)
        for api, handling in _HANDLINGS.items()
        if error and (error in RESPONSE_ERRORS[api] or error in handling.named)
    }


E = ErrorCode
_ABORTABLE: Final = ProducerAction.ABORTABLE
_FATAL: Final = ProducerAction.FATAL

_FENCED: Final = {E.INVALID_PRODUCER_EPOCH: _FATAL, E.PRODUCER_FENCED: _FATAL}
_OF_THE_ID: Final = {
    E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: _FATAL,
    E.INVALID_TXN_STATE: _FATAL,
    E.INVALID_PRODUCER_ID_MAPPING: _FATAL,
}
_LOST: Final = {E.UNKNOWN_PRODUCER_ID: _ABORTABLE, E.TRANSACTION_ABORTABLE: _ABORTABLE}
"""Before Kafka 2.5, when clients could not bump their epochs, the former is fatal."""

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
            E.DUPLICATE_SEQUENCE_NUMBER: ProducerAction.SUCCESS,
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
"""APIs of a transactional producer, besides ApiVersions and Metadata, in the order of their use."""
