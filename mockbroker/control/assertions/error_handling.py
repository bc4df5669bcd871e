"""Checks of how transactional producers handled an error, by the requests that followed it.

KIP-691 has three kinds of errors. A producer repeats a request after a retriable one; after an
abortable one it aborts, and commits other transactions; after a fatal one it is closed. What an
application is told is not visible here: a producer sends nothing to abort an empty transaction, so
that looks like a retry.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding, Severity
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import NO_PRODUCER_ID

_BEFORE: Final = frozenset({ApiKey.FIND_COORDINATOR, ApiKey.INIT_PRODUCER_ID})
"""What a producer asks before its transactions."""
_ASKED: Final = _BEFORE | {
    ApiKey.ADD_PARTITIONS_TO_TXN,
    ApiKey.PRODUCE,
    ApiKey.ADD_OFFSETS_TO_TXN,
    ApiKey.TXN_OFFSET_COMMIT,
    ApiKey.END_TXN,
}
_ABORT: Final = "ABORT"


class ErrorHandling(StrEnum):
    """What a producer took an error for."""

    RETRIABLE = "retriable"
    """It asked again, and went on with the transaction."""
    ABORTABLE = "abortable"
    """It aborted the transaction, and the same producer went on."""
    FATAL = "fatal"
    """Another producer began anew in its place, or nobody asked for anything any more."""
    UNNOTICED = "unnoticed"
    """It did not ask again, and committed nevertheless."""


class HandledError(NamedTuple):
    """An error that a producer was answered, and what it took it for."""

    answer: Entry
    handling: ErrorHandling
    shown_by: Entry | None
    """The request that shows it; None where nothing followed that does."""


def as_handling(text: str) -> ErrorHandling:
    """Read what an error is to be taken for.

    Raises:
        ValueError: it is none of the three.

    """
    wanted = [each for each in ErrorHandling if each is not ErrorHandling.UNNOTICED]
    if text not in wanted:
        raise ValueError(f"as_={text!r}: allowed are {', '.join(wanted)}")
    return ErrorHandling(text)


def as_error(error: ErrorCode | str) -> ErrorCode:
    """Read an error by its name.

    Raises:
        ValueError: there is none.

    """
    found = error if isinstance(error, ErrorCode) else ErrorCode.__members__.get(error)
    if found is None:
        raise ValueError(f"{error!r} is not an error code of Kafka")
    return found


def handling_findings(
    entries: Iterable[Entry],
    error: ErrorCode,
    wanted: ErrorHandling,
    transactional_id: str | None = None,
) -> list[Finding]:
    """Find the answers with an error that a producer took for something else; or that none is."""
    handled = handled_errors(entries, error, transactional_id)
    if not handled:
        who = "transactional producer" if transactional_id is None else repr(transactional_id)
        return [Finding("ERROR_HANDLING", Severity.ERROR, f"no {who} got {error.name}")]
    return [
        Finding("ERROR_HANDLING", Severity.ERROR, _text(each))
        for each in handled
        if each.handling is not wanted
    ]


def _text(handled: HandledError) -> str:
    answer, handling, shown_by = handled
    assert answer.api is not None, answer
    assert answer.error is not None, answer
    call = "no relevant request" if shown_by is None else _call(shown_by)
    return (
        f"call {answer.call}, {answer.api.title} of {answer.transactional_id!r}, got "
        f"{answer.error.name}, which was {_TAKEN[handling]}: {call} followed"
    )


_TAKEN: Final = {
    ErrorHandling.RETRIABLE: "handled as retriable",
    ErrorHandling.ABORTABLE: "handled as abortable",
    ErrorHandling.FATAL: "handled as fatal",
    ErrorHandling.UNNOTICED: "not noticed",
}


def _call(request: Entry) -> str:
    assert request.api is not None, request
    marker = "" if request.marker is None else f" ({request.marker})"
    return f"call {request.call}, {request.api.title}{marker},"


def handled_errors(
    entries: Iterable[Entry], error: ErrorCode, transactional_id: str | None = None
) -> list[HandledError]:
    """Return the answers with an error to transactional producers, or to one, in order."""
    requests: dict[int | None, Entry] = {}
    answers: dict[int | None, Entry] = {}
    refused: set[int | None] = set()
    answered: set[int | None] = set()
    for entry in entries:
        if entry.api not in _ASKED or entry.transactional_id is None:
            continue
        if entry.kind == "request":
            requests.setdefault(entry.call, entry)
        elif entry.kind == "answer":
            answered.add(entry.call)
            if entry.error is not ErrorCode.NONE:
                refused.add(entry.call)
            if entry.error is error and transactional_id in {None, entry.transactional_id}:
                answers.setdefault(entry.call, entry)
    succeeded = answered - refused
    return [
        _handled(answer, requests[call], list(requests.values()), succeeded)
        for call, answer in answers.items()
        if call in requests
    ]


def _handled(
    answer: Entry, asked: Entry, requests: Sequence[Entry], succeeded: AbstractSet[int | None]
) -> HandledError:
    left_out = _BEFORE - {asked.api, ApiKey.INIT_PRODUCER_ID}
    following = [
        request
        for request in requests
        if request.seq > answer.seq
        and request.transactional_id == asked.transactional_id
        and request.api not in left_out
    ]
    judge = _before_transactions if asked.api in _BEFORE else _in_transaction
    return HandledError(answer, *judge(asked, following, succeeded))


_Judged = tuple[ErrorHandling, Entry | None]


def _before_transactions(
    asked: Entry, following: Sequence[Entry], _succeeded: AbstractSet[int | None]
) -> _Judged:
    """Judge by the next request: who asks the same again is another where the connection is."""
    if not following:
        return ErrorHandling.FATAL, None
    request = following[0]
    is_another = request.connection != asked.connection and request.broker == asked.broker
    if _repeats(asked, request) and is_another:
        return ErrorHandling.FATAL, request
    return ErrorHandling.RETRIABLE, request


def _in_transaction(
    asked: Entry, following: Sequence[Entry], succeeded: AbstractSet[int | None]
) -> _Judged:
    """Judge by how the transaction ends, or by who begins anew."""
    repeated: Entry | None = None
    for number, request in enumerate(following, 1):
        if request.api is ApiKey.INIT_PRODUCER_ID:
            is_new = _is_another_producer(request)
            return (ErrorHandling.FATAL if is_new else ErrorHandling.ABORTABLE), request
        if _repeats(asked, request):
            repeated = request
        if request.api is ApiKey.END_TXN and request.call in succeeded:
            if request.marker == _ABORT and request is not repeated:
                return _after_abort(request, following[number:], succeeded)
            is_noticed = repeated is not None
            return (ErrorHandling.RETRIABLE if is_noticed else ErrorHandling.UNNOTICED), request
    return (ErrorHandling.FATAL if repeated is None else ErrorHandling.RETRIABLE), repeated


def _after_abort(
    abort: Entry, following: Sequence[Entry], succeeded: AbstractSet[int | None]
) -> _Judged:
    """Judge by whether the producer commits again before another one takes its place."""
    for request in following:
        if request.api is ApiKey.INIT_PRODUCER_ID and _is_another_producer(request):
            return ErrorHandling.FATAL, request
        is_commit = request.api is ApiKey.END_TXN and request.marker != _ABORT
        if is_commit and request.call in succeeded:
            break
    return ErrorHandling.ABORTABLE, abort


def _is_another_producer(request: Entry) -> bool:
    """Tell whether an InitProducerId is of a producer that has no id yet."""
    return request.producer_id in {None, NO_PRODUCER_ID}


def _repeats(asked: Entry, request: Entry) -> bool:
    return (request.api, request.marker, request.producer_id) == (
        asked.api,
        asked.marker,
        asked.producer_id,
    )
