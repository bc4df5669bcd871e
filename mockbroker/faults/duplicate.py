"""A request that is applied twice, as when a network repeats what it was given."""

from copy import deepcopy
from typing import cast

from mockbroker.broker.call import Answer
from mockbroker.faults.effects import AnyApi
from mockbroker.faults.strike import Strike
from mockbroker.faults.verb import Verb
from mockbroker.protocol.schema.message import Message, Struct


class Duplicate(AnyApi):
    """Applies the request twice, and gives the first answer."""

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and a copy of it."""
        copy = copy_of(strike.request)
        answer = strike.proceed()
        strike.proceed(copy)
        return answer

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        return Verb("duplicate")

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return "duplicate()"


def copy_of(request: Message) -> Message:
    """Copy a request to the last byte: a log keeps the records that it gets, and stamps them."""
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
