"""Effect that applies a request twice, as when a network repeats it."""

from copy import deepcopy
from typing import cast

from mockbroker.broker.call import Answer
from mockbroker.faults.effect import Effect
from mockbroker.faults.strike import Strike
from mockbroker.protocol.schema.message import Message, Struct


class Duplicate(Effect, frozen=True):
    """Apply the request twice; the client gets the first response."""

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and a copy of it."""
        copy = copy_of(strike.request)
        answer = strike.proceed()
        strike.proceed(copy)
        return answer


def copy_of(request: Message) -> Message:
    """Copy a request with its buffers, because a log stores and stamps the records that it gets."""
    copy = _copied(request)
    assert isinstance(copy, Message)
    return copy


def _copied(value: object) -> object:
    if isinstance(value, Struct):
        copy = type(value)()
        for name in value.FIELDS:
            setattr(copy, name, _copied(getattr(value, name)))
        return copy
    if isinstance(value, list):
        return [_copied(element) for element in cast("list[object]", value)]
    if isinstance(value, memoryview | bytearray):
        return bytearray(cast("bytearray", value))
    return deepcopy(value)
