"""Shared steps of group membership requests."""

from collections.abc import Callable
from typing import Final, TypeVar

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.classic.group_answers import Awaited
from mockbroker.state.group.classic_requests import ClassicRequests

AnswerT = TypeVar("AnswerT")

_STEPS: Final = frozenset(
    {ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED, ErrorCode.REBALANCE_IN_PROGRESS}
)
"""Error codes of the normal join protocol, which are not logged as refusals."""


def classic_requests_of(call: Call) -> ClassicRequests:
    """Return the requests of the classic protocol to the groups that the broker coordinates."""
    return call.cluster.group_coordinator(call.broker_id).classic_requests


def note_refusal(call: Call, event: str, code: ErrorCode, why: str, group_id: str) -> None:
    """Log the error of a member's request, unless it is part of the join protocol."""
    if code not in _STEPS:
        call.service.refusals.note(
            event, ApiError(code, why), group_id=group_id, client_id=call.client_id
        )


def when_answered(
    awaited: Awaited[AnswerT], respond: Callable[[AnswerT], Message]
) -> Message | DelayedResponse:
    """Respond now if the result is available, else return a delayed response."""
    if awaited.answer is not None:
        return respond(awaited.answer)

    def attempt(_is_last: bool) -> Message | None:
        return None if awaited.answer is None else respond(awaited.answer)

    return DelayedResponse((awaited,), None, attempt)
