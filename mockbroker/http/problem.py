"""Errors of the HTTP API, as problem documents (RFC 9457)."""

from typing import Final, NamedTuple

import msgspec

from mockbroker.faults.documents.strict import View

MEDIA_TYPE: Final = "application/problem+json"


class ProblemKind(NamedTuple):
    """One kind of problem."""

    status: int
    title: str


KINDS: Final = {
    "malformed-json": ProblemKind(400, "The body is not JSON"),
    "unauthorized": ProblemKind(401, "The token is missing or wrong"),
    "foreign-origin": ProblemKind(403, "Pages of other sites may not control the cluster"),
    "not-found": ProblemKind(404, "The resource does not exist"),
    "method-not-allowed": ProblemKind(405, "The resource does not have this method"),
    "late": ProblemKind(408, "The request did not arrive in time"),
    "conflict": ProblemKind(409, "The state of the cluster does not allow this"),
    "kafka-error": ProblemKind(409, "The cluster refuses the request, as Kafka does"),
    "too-large": ProblemKind(413, "The body is too large"),
    "not-json": ProblemKind(415, "The body must be application/json"),
    "misdirected": ProblemKind(421, "The request is for another host"),
    "invalid": ProblemKind(422, "The request is well formed, but not valid"),
    "mistake": ProblemKind(500, "An internal error of mockbroker"),
    "not-running": ProblemKind(503, "The cluster is not running"),
    "timeout": ProblemKind(504, "The wait timed out"),
}
"""All kinds, by the code for programs."""


class ProblemDocument(View):
    """A problem: `code` is for programs, `detail` for people."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    path: str | None = None
    """Location in the request, as a JSON path."""
    near: list[str] = msgspec.field(default_factory=list[str])
    """Names that may have been meant."""
    kafka_error: str | None = None
    """Kafka's error code that a client would get."""
    command: str | None = None
    """Command that helps, instead of the advice after the colon of `detail`."""


class Problem(Exception):  # noqa: N818 - RFC 9457's word for it
    """An error that is answered with a problem document."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        path: str | None = None,
        near: list[str] | None = None,
        kafka_error: str | None = None,
        command: str | None = None,
    ) -> None:
        """Set the kind, and the detail for this request."""
        super().__init__(detail)
        kind = KINDS[code]
        self.document = ProblemDocument(
            type=f"urn:mockbroker:problem:{code}",
            title=kind.title,
            status=kind.status,
            detail=detail,
            code=code,
            path=path,
            near=near or [],
            kafka_error=kafka_error,
            command=command,
        )
