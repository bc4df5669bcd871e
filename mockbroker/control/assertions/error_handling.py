"""Checks of the reactions of transactional producers to an error, by their next requests.

KIP-691 has three kinds of errors. After a retriable error, a producer repeats the request; after an
abortable one, it aborts and commits other transactions; after a fatal one, it is closed. The
exception in the application is not visible here: a producer sends nothing to abort an empty
transaction, so that looks like a retry.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding, Severity
from mockbroker.events.event_types import NO_CONNECTION
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import NO_PRODUCER_ID

_BEFORE: Final = frozenset({ApiKey.FIND_COORDINATOR, ApiKey.INIT_PRODUCER_ID})
"""APIs that a producer uses before its transactions."""
_ASKED: Final = _BEFORE | {
    ApiKey.ADD_PARTITIONS_TO_TXN,
    ApiKey.PRODUCE,
    ApiKey.ADD_OFFSETS_TO_TXN,
    ApiKey.TXN_OFFSET_COMMIT,
    ApiKey.END_TXN,
}
_ABORT: Final = "ABORT"


class ErrorHandling(StrEnum):
    """The kind that a producer took an error for."""

    RETRIABLE = "retriable"
    """It asked again, and went on with the transaction."""
    ABORTABLE = "abortable"
    """It aborted the transaction, and the same producer went on."""
    FATAL = "fatal"
    """A new producer took its place, or no more requests followed."""
    UNNOTICED = "unnoticed"
    """It did not ask again, and committed nevertheless."""


class HandledError(NamedTuple):
    """An error in a response to a producer, and the producer's reaction."""

    answer: Entry
    handling: ErrorHandling
    shown_by: Entry | None
    """The request that shows it; None where nothing followed that does."""


def as_handling(text: str) -> ErrorHandling:
    """Parse the expected kind of an error.

    Raises:
        ValueError: it is none of the three.

    """
    wanted = [each for each in ErrorHandling if each is not ErrorHandling.UNNOTICED]
    if text not in wanted:
        raise ValueError(f"as_={text!r}: allowed are {', '.join(wanted)}")
    return ErrorHandling(text)


def handling_findings(
    entries: Iterable[Entry],
    error: ErrorCode,
    wanted: ErrorHandling,
    transactional_id: str | None = None,
) -> list[Finding]:
    """Find the errors that producers handled as another kind; or that there are none."""
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
    requests: list[Entry] = []
    answers: dict[int | None, Entry] = {}
    refused: set[int | None] = set()
    answered: set[int | None] = set()
    for entry in entries:
        if entry.api not in _ASKED or entry.transactional_id is None:
            continue
        if entry.connection == NO_CONNECTION:  # a broker asks about the producer
            continue
        if entry.kind == "request":
            requests.append(entry)
        elif entry.kind == "answer":
            answered.add(entry.call)
            if entry.error is not ErrorCode.NONE:
                refused.add(entry.call)
            if entry.error is error and transactional_id in {None, entry.transactional_id}:
                answers.setdefault(entry.call, entry)
    succeeded = answered - refused
    calls = {entry.call for entry in requests}
    return [
        _handled(answer, requests, succeeded) for call, answer in answers.items() if call in calls
    ]


def _handled(
    answer: Entry, requests: Sequence[Entry], succeeded: AbstractSet[int | None]
) -> HandledError:
    rows = [each for each in requests if each.call == answer.call]
    asked = next((each for each in rows if _place_of(each) == _place_of(answer)), rows[0])
    left_out = _BEFORE - {asked.api, ApiKey.INIT_PRODUCER_ID}
    own = [each for each in requests if each.transactional_id == asked.transactional_id]
    later = [each for each in own if each.seq > answer.seq]
    following = [each for each in later if each.api not in left_out]
    if asked.api not in _BEFORE:
        return HandledError(answer, *_in_transaction(asked, following, succeeded))
    used = {each.connection for each in own if each.seq <= answer.seq}
    looked_up = next((each for each in later if each.api is ApiKey.FIND_COORDINATOR), None)
    is_same = looked_up is not None and looked_up.connection in used
    return HandledError(answer, *_before_transactions(asked, following, is_same=is_same))


_Judged = tuple[ErrorHandling, Entry | None]


def _before_transactions(asked: Entry, following: Sequence[Entry], *, is_same: bool) -> _Judged:
    """Judge by the next request; the same request from another connection is a new producer.

    A producer may connect anew to its coordinator, once it has looked for it over a connection that
    it has used before.
    """
    if not following:
        return ErrorHandling.FATAL, None
    request = following[0]
    is_another = request.connection != asked.connection and request.broker == asked.broker
    if _repeats(asked, request) and is_another and not is_same:
        return ErrorHandling.FATAL, request
    return ErrorHandling.RETRIABLE, request


def _in_transaction(
    asked: Entry, following: Sequence[Entry], succeeded: AbstractSet[int | None]
) -> _Judged:
    """Judge by the end of the transaction, or by a new producer."""
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
    """Judge by whether the producer commits before another one takes its place."""
    for request in following:
        if request.api is ApiKey.INIT_PRODUCER_ID and _is_another_producer(request):
            return ErrorHandling.FATAL, request
        is_commit = request.api is ApiKey.END_TXN and request.marker != _ABORT
        if is_commit and request.call in succeeded:
            break
    return ErrorHandling.ABORTABLE, abort


def _is_another_producer(request: Entry) -> bool:
    """Return whether an InitProducerId is from a producer without an id."""
    return request.producer_id in {None, NO_PRODUCER_ID}


def _repeats(asked: Entry, request: Entry) -> bool:
    """Return whether a producer asks again; a batch that is split begins at the same sequence."""
    if _asked_for(request) != _asked_for(asked):
        return False
    first, again = asked.base_sequence, request.base_sequence
    return first is None or again is None or again <= first


def _asked_for(request: Entry) -> tuple[object, ...]:
    return request.api, request.marker, request.producer_id, *_place_of(request)


def _place_of(row: Entry) -> tuple[object, ...]:
    return row.topic, row.partition
