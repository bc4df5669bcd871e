"""Endpoints: rows of the table from which routes and the OpenAPI document are made."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from starlette.responses import Response

from mockbroker.broker.service import Service
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.guard import Guard
from mockbroker.http.problem import Problem

API: Final = "/api/v1"
NUMBERS: Final = frozenset({"partition", "broker"})
"""Path parameters that are numbers."""
IDS: Final = ("id", "transactional_id", "group_id")
"""Path parameters that may be any text, with slashes written as `%2F`.

Browsers and other clients remove `.` and `..` from a path, however they are written. So an id may
be in the query instead, under the same name, and the path has `-` in its place.
"""

DocumentT = TypeVar("DocumentT", bound=Document)


class Nothing(Document):
    """A document without fields, for requests without parameters."""


class Host(Protocol):
    """Interface of the admin port that endpoints use."""

    @property
    def is_stopping(self) -> bool:
        """Whether the port is closing."""
        ...

    @property
    def stop_watchers(self) -> list[Callable[[], None]]:
        """Callbacks that end waiting responses when the port closes."""
        ...

    @property
    def service(self) -> Service:
        """The service that answers clients; a reset of the cluster replaces it."""
        ...

    def metrics_text(self) -> bytes:
        """Return the cluster's metrics in Prometheus' text format."""
        ...

    def shut_down(self) -> bool:
        """Stop the process soon; return False if the process is not ours to stop."""
        ...


@dataclass(frozen=True, slots=True)
class ApiRequest(Generic[DocumentT]):
    """One request, read and checked."""

    cluster: ClusterHandle
    host: Host
    document: DocumentT
    """The body, or the query of a request without a body."""
    names: Mapping[str, str]
    """Path parameters."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    guard: Guard = field(default_factory=lambda: Guard("127.0.0.1", None))

    def number(self, name: str) -> int:
        """Return a numeric path parameter.

        Raises:
            Problem: it is not a number, so the resource does not exist.

        """
        text = self.names[name]
        if not text.isascii() or not text.isdecimal():
            raise Problem("not-found", f"there is no {name} {text!r}")
        return int(text)


Handle = Callable[[ApiRequest[Any]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path."""

    method: str
    path: str
    handle: Handle
    reads: type[Document] = Nothing
    answers: type[View] | None = None
    """None for a response without a body."""
    status: int = 200
    media_type: str = "application/json"
    problems: tuple[str, ...] = ()
    """Kinds of problems in addition to those of every endpoint."""

    @property
    def name(self) -> str:
        """The operation's name."""
        return str(getattr(self.handle, "__name__"))  # noqa: B009 - functions have one

    @property
    def summary(self) -> str:
        """Summary in one sentence."""
        return (self.handle.__doc__ or "").strip().splitlines()[0].rstrip(".")

    @property
    def has_body(self) -> bool:
        """True if requests have a body, and not a query."""
        return self.method in {"POST", "PUT"}


@dataclass(slots=True)
class Endpoints:
    """A list of endpoints, filled by decorating their functions."""

    rows: list[Endpoint] = field(default_factory=list[Endpoint])

    def add(
        self,
        method: str,
        path: str,
        *,
        reads: type[DocumentT],
        answers: type[View] | None = None,
        status: int = 200,
        media_type: str = "application/json",
        problems: tuple[str, ...] = (),
    ) -> Callable[
        [Callable[[ApiRequest[DocumentT]], View | Awaitable[View] | Response | None]],
        Callable[[ApiRequest[DocumentT]], View | Awaitable[View] | Response | None],
    ]:
        """Register a function for a method and a path below `/api/v1`."""
        has_body = answers is not None or media_type != "application/json"

        def added(
            handle: Callable[[ApiRequest[DocumentT]], View | Awaitable[View] | Response | None],
        ) -> Callable[[ApiRequest[DocumentT]], View | Awaitable[View] | Response | None]:
            self.rows.append(
                Endpoint(
                    method=method,
                    path=API + path,
                    handle=handle,
                    reads=reads,
                    answers=answers,
                    status=status if has_body or status != 200 else 204,
                    media_type=media_type,
                    problems=problems,
                )
            )
            return handle

        return added
