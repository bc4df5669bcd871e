"""The one table of what is served: an API, its versions, and the function that answers it."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from mockbroker.encoded import Encoded
from mockbroker.parked import Parked
from mockbroker.pipeline_outcomes import Unanswered
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema import Message

if TYPE_CHECKING:
    from mockbroker.call import Call

Answer: TypeAlias = Message | Encoded | Parked | Unanswered | None
"""A response, made or written already; a parked one that comes later; none at all, as a fault has
it; None for acks=0."""

Handle: TypeAlias = Callable[[Any, "Call"], Answer]
HandleT = TypeVar("HandleT", bound=Callable[..., Answer])


class Route(NamedTuple):
    """Which function answers an API, and in which versions."""

    api_key: ApiKey
    versions: range
    handle: Handle


_ROUTES: Final[dict[ApiKey, Route]] = {}


def handles(api_key: ApiKey, *, versions: range) -> Callable[[HandleT], HandleT]:
    """Register a function as what answers an API in the given versions.

    ApiVersions, the conformance table and the fuzzers read the same registration. A second
    function for an API is a mistake of ours, and said at import.
    """

    def register(handle: HandleT) -> HandleT:
        assert api_key not in _ROUTES, f"{api_key.name} is handled twice"
        _ROUTES[api_key] = Route(api_key, versions, handle)
        return handle

    return register


@cache
def routes() -> dict[ApiKey, Route]:
    """Give the whole table, every handler module imported."""
    package = import_module("mockbroker.handlers")
    for module in iter_modules(package.__path__):
        import_module(f"mockbroker.handlers.{module.name}")
    return dict(sorted(_ROUTES.items()))
