"""The HTTP API as an ASGI application: access control, routes, and unknown paths."""

from collections.abc import Sequence
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.http.answering import Resource, nothing_there, problem_response
from mockbroker.http.endpoint import (
    API,
    IDS,
    ApiRequest,
    Endpoint,
    Host,
    Nothing,
)
from mockbroker.http.endpoints.assertion_endpoints import CHECKS
from mockbroker.http.endpoints.broker_endpoints import BROKERS
from mockbroker.http.endpoints.clock_endpoints import CLOCK
from mockbroker.http.endpoints.cluster_endpoints import CLUSTER
from mockbroker.http.endpoints.fault_endpoints import FAULTS, FORMER
from mockbroker.http.endpoints.group_endpoints import GROUPS
from mockbroker.http.endpoints.health_endpoints import HEALTH
from mockbroker.http.endpoints.journal_endpoints import JOURNAL
from mockbroker.http.endpoints.partition_endpoints import PARTITIONS
from mockbroker.http.endpoints.replica_endpoints import REPLICAS
from mockbroker.http.endpoints.scenario_endpoints import SCENARIO
from mockbroker.http.endpoints.topic_endpoints import TOPICS
from mockbroker.http.endpoints.transaction_endpoints import TRANSACTIONS
from mockbroker.http.guard import Guard
from mockbroker.http.live.command_endpoints import COMMANDS
from mockbroker.http.live.detail_endpoints import DETAILS
from mockbroker.http.live.page_endpoints import PAGES
from mockbroker.http.live.picture_endpoints import PICTURES
from mockbroker.http.live.view_endpoints import VIEWS
from mockbroker.http.openapi import openapi
from mockbroker.http.problem import Problem


def get_openapi(_asked: ApiRequest[Nothing]) -> Response:
    """Show this description."""
    return Response(msgspec.json.encode(openapi(ENDPOINTS)), media_type="application/json")


ENDPOINTS: Final[Sequence[Endpoint]] = (
    *PAGES,
    *HEALTH,
    Endpoint(method="GET", path=f"{API}/openapi.json", handle=get_openapi),
    *CLUSTER.rows,
    *FAULTS.rows,
    *TOPICS.rows,
    *PARTITIONS.rows,
    *REPLICAS.rows,
    *TRANSACTIONS.rows,
    *GROUPS.rows,
    *CLOCK.rows,
    *BROKERS.rows,
    *JOURNAL.rows,
    *CHECKS.rows,
    *SCENARIO.rows,
    *VIEWS.rows,
    *DETAILS.rows,
    *COMMANDS.rows,
    *PICTURES.rows,
)
"""All endpoints."""


class Application:
    """HTTP application of one cluster."""

    def __init__(self, cluster: ClusterHandle, host: Host, guard: Guard) -> None:
        """Serve a cluster to the requests that the guard accepts."""
        self._guard: Final = guard
        self._paths: Final = sorted({endpoint.path for endpoint in ENDPOINTS})
        served = sorted({*self._paths, *(endpoint.path for endpoint in FORMER)})
        routes = [
            Route(_pattern(path), _Asgi(Resource(_methods(path), cluster, host, guard)))
            for path in sorted(served, key=lambda path: -path.count("/"))
        ]
        self._router: Final[ASGIApp] = Router(routes, redirect_slashes=False, default=self._nothing)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            self._guard.check(request.method, request.url.path, request.headers)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
            return
        await self._router(scope, receive, send)

    async def _nothing(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = Request(scope).url.path
        await problem_response(nothing_there(path, self._paths))(scope, receive, send)


class _Asgi:
    """A resource as an ASGI application, so that it answers every method itself."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._resource.answer(Request(scope, receive))
        await response(scope, receive, send)


def _methods(path: str) -> dict[str, Endpoint]:
    return {each.method: each for each in (*ENDPOINTS, *FORMER) if each.path == path}


def _pattern(path: str) -> str:
    for name in (*IDS, "file"):
        path = path.replace(f"{{{name}}}", f"{{{name}:path}}")
    return path
