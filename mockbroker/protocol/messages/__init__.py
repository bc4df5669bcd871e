"""Message declarations, one module for each API with its request and its response.

A module is imported when its API is first used, so a process that serves ten APIs imports ten.
"""

from functools import cache
from importlib import import_module

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import Message


@cache
def request_type(api_key: ApiKey) -> type[Message]:
    """Return the declaration of an API's request."""
    return _find(api_key, "Request")


@cache
def response_type(api_key: ApiKey) -> type[Message]:
    """Return the declaration of an API's response."""
    return _find(api_key, "Response")


def _find(api_key: ApiKey, suffix: str) -> type[Message]:
    module = import_module(f"{__name__}.{api_key.name.lower()}")
    message: type[Message] = getattr(module, api_key.title + suffix)
    return message
