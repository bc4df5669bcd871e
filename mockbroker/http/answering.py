"""Request handling: calls the endpoint, and converts its exceptions to problem documents."""

import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mockbroker.control.cluster_control import NOT_RUNNING, RESET
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.events import logging
from mockbroker.faults.documents.fault_document import FaultDocumentError
from mockbroker.http.endpoint import ApiRequest, Endpoint, Host
from mockbroker.http.guard import Guard
from mockbroker.http.problem import MEDIA_TYPE, Problem
from mockbroker.http.reading import read_document, read_names
from mockbroker.protocol.errors import ApiError


class Resource:
    """All methods of one path."""

    def __init__(
        self,
        methods: Mapping[str, Endpoint],
        cluster: ClusterHandle,
        host: Host,
        guard: Guard,
    ) -> None:
        """Serve a cluster to the requests that the guard accepts."""
        self._methods = methods
        self._cluster = cluster
        self._host = host
        self._guard = guard

    async def answer(self, request: Request) -> Response:
        """Answer a request for this path."""
        endpoint = self._methods.get("GET" if request.method == "HEAD" else request.method)
        if endpoint is None:
            allowed = ", ".join(sorted(self._methods))
            problem = Problem("method-not-allowed", f"{request.url.path} has {allowed}")
            return problem_response(problem, {"Allow": allowed})
        try:
            document = await read_document(request, endpoint)
            api_request: ApiRequest[Any] = ApiRequest(
                self._cluster,
                self._host,
                document,
                read_names(request),
                request.headers,
                self._guard,
            )
            answer = endpoint.handle(api_request)
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:  # noqa: BLE001 - every failure is answered
            return problem_response(problem_of(error))
        return _written(answer, endpoint)


def _written(answer: object, endpoint: Endpoint) -> Response:
    if isinstance(answer, Response):
        return answer
    if answer is None:
        return Response(status_code=endpoint.status)
    return Response(
        msgspec.json.encode(answer), status_code=endpoint.status, media_type=endpoint.media_type
    )


def problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a problem document."""
    document = problem.document
    headers = dict(headers or {})
    if document.code == "unauthorized":
        headers["WWW-Authenticate"] = "Bearer"
    if document.code in {"late", "too-large", "misdirected"}:
        headers["Connection"] = "close"
    return Response(
        msgspec.json.encode(document),
        status_code=document.status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


def problem_of(error: Exception) -> Problem:
    """Convert an endpoint's exception to a problem."""
    match error:
        case Problem():
            return error
        case FaultDocumentError():
            return Problem("invalid", error.why, path=error.path, near=error.near)
        case ApiError():
            return Problem("kafka-error", error.why or error.code.name, kafka_error=error.code.name)
        case TimeoutError():
            return Problem("timeout", str(error))
        case LookupError():
            return Problem("not-found", str(error.args[0] if error.args else error))
        case ValueError():
            return Problem("invalid", str(error), path="$")
        case RuntimeError() if str(error) in {NOT_RUNNING, RESET}:
            return Problem("not-running", str(error))
        case _:
            logging.error("admin_request_failed", exc_info=error)
            return Problem("mistake", f"{type(error).__name__}: {error}")


def nothing_there(path: str, known: list[str]) -> Problem:
    """Return the problem for an unknown path, with similar paths."""
    near = get_close_matches(path, known, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return Problem("not-found", f"there is no {path}{hint}", near=near)
