"""Merge of two responses to parts of one request; items are matched by their keys."""

from functools import cache
from typing import Final

from mockbroker.protocol.error_response import KEYS
from mockbroker.protocol.schema.message import Message, Struct

_Key = tuple[object, ...]
_NEVER_MERGED: Final = frozenset({"node_endpoints"})


def merged(handled: Message, refused: Message, version: int) -> Message:
    """Replace items of a response by the same items of an error response.

    All other fields of the response do not change.
    """
    _merge(handled, refused, version)
    return handled


def _merge(answer: Struct, other: Struct, version: int) -> None:
    for name in _arrays(type(answer), version):
        ours: list[Struct] = getattr(answer, name) or []
        theirs: list[Struct] = getattr(other, name) or []
        if not theirs:
            continue
        at = {_key(element, version): index for index, element in enumerate(ours)}
        for element in theirs:
            index = at.get(_key(element, version))
            if index is None:
                ours.append(element)
            elif any(getattr(element, below) for below in _arrays(type(element), version)):
                _merge(ours[index], element, version)
            else:
                ours[index] = element
        setattr(answer, name, ours)


@cache
def _arrays(struct: type[Struct], version: int) -> tuple[str, ...]:
    """Return the arrays of structs that have keys."""
    return tuple(
        name
        for name, field in struct.FIELDS.items()
        if version in field.versions
        and name not in _NEVER_MERGED
        and field.kind.element is not None
        and field.kind.element.struct is not None
        and _keys(field.kind.element.struct, version)
    )


@cache
def _keys(struct: type[Struct], version: int) -> tuple[str, ...]:
    return tuple(
        name
        for name, field in struct.FIELDS.items()
        if name in KEYS and version in field.versions and field.kind.element is None
    )


def _key(struct: Struct, version: int) -> _Key:
    return tuple(getattr(struct, name) for name in _keys(type(struct), version))
