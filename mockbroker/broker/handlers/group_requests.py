"""What the requests of group members have in common."""

from collections.abc import Callable
from typing import Final, TypeVar

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import Parked
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.schema import Message
from mockbroker.state.group.classic.group_answers import Awaited
from mockbroker.state.group.classic.group_membership import GroupMembership

AnswerT = TypeVar("AnswerT")

_STEPS: Final = frozenset(
    {ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED, ErrorCode.REBALANCE_IN_PROGRESS}
)
"""What members are told on their way: nobody refused them."""


def membership_of(call: Call) -> GroupMembership:
    """Return the membership of the groups that the broker coordinates which was asked."""
    return call.cluster.group_coordinator(call.broker_id).membership


def note_refusal(call: Call, event: str, code: ErrorCode, why: str, group_id: str) -> None:
    """Log that a member was refused, and why."""
    if code not in _STEPS:
        call.service.refusals.note(
            event, ApiError(code, why), group_id=group_id, client_id=call.client_id
        )


def when_answered(
    awaited: Awaited[AnswerT], respond: Callable[[AnswerT], Message]
) -> Message | Parked:
    """Respond now if the answer is there, or else when it comes."""
    if awaited.answer is not None:
        return respond(awaited.answer)

    def attempt(_is_last: bool) -> Message | None:
        return None if awaited.answer is None else respond(awaited.answer)

    return Parked((awaited,), None, attempt)
