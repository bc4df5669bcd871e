"""The error codes that an answer holds."""

from collections.abc import Iterator
from itertools import chain
from typing import cast

from mockbroker.protocol.error_response import ERROR_CODES
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Struct


def errors_in(response: Struct) -> Iterator[ErrorCode]:
    """Yield every error code of a response, NONE included, level by level."""
    for name in response.FIELDS:
        value = getattr(response, name)
        if name in ERROR_CODES:
            yield ErrorCode(value)
        elif isinstance(value, Struct):
            yield from errors_in(value)
        elif isinstance(value, list):
            elements = cast("list[object]", value)
            yield from chain.from_iterable(errors_in(e) for e in elements if isinstance(e, Struct))


def first_error(response: Struct) -> ErrorCode:
    """Return the first error of a response, or NONE."""
    return next((code for code in errors_in(response) if code), ErrorCode.NONE)
