"""The part of Docker's HTTP API that Testcontainers' modules use; every other request is refused.

The answers follow the reference of the Engine API, version 1.44.
"""

import itertools
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.container.engine.container import Container
from tests.container.engine.descriptions import IMAGE_ID, described, described_image, status_of
from tests.container.engine.output import STDERR, STDOUT, frame
from tests.container.engine.requests import UnsupportedError, requested
from tests.container.image import Image

API_VERSION: Final = "1.44"
REPOSITORY: Final = "mockbroker"
"""The repository of the one image that is there, with whatever tag."""
_STREAMED: Final = "application/vnd.docker.multiplexed-stream"


@dataclass(slots=True)
class Execution:
    """A command that runs beside a container's process."""

    container: Container
    command: Sequence[str]
    exit_code: int | None = None


@dataclass(kw_only=True, slots=True)
class Engine:
    """The image and the containers."""

    image: Image
    layer: Path
    folder: Path
    containers: dict[str, Container] = field(default_factory=dict)
    executions: dict[str, Execution] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def find(self, request: Request) -> Container:
        """Return the container that the path names, by its id or name."""
        name = request.path_params["name"]
        for container in self.containers.values():
            if container.run.identity.startswith(name) or container.run.name == name:
                return container
        raise MissingError(f"No such container: {name}")


class MissingError(Exception):
    """Something that is named is not there."""


async def ping(_request: Request) -> Response:
    """Tell that the engine is there."""
    return PlainTextResponse("OK", headers={"API-Version": API_VERSION, "OSType": "linux"})


async def version(_request: Request) -> Response:
    """Tell the versions."""
    return JSONResponse(
        {"Version": "25.0.0", "ApiVersion": API_VERSION, "MinAPIVersion": "1.24", "Os": "linux"}
    )


async def information(_request: Request) -> Response:
    """Describe the engine."""
    return JSONResponse(
        {
            "ServerVersion": "25.0.0",
            "OperatingSystem": "mockbroker's tests",
            "OSType": "linux",
            "Architecture": "x86_64",
            "MemTotal": 8 << 30,
            "NCPU": 2,
            "Labels": [],
        }
    )


async def list_images(_request: Request) -> Response:
    """List the one image."""
    return JSONResponse([{"Id": IMAGE_ID, "RepoTags": [f"{REPOSITORY}:latest"], "Created": 0}])


async def inspect_image(request: Request) -> Response:
    """Describe the image."""
    engine: Engine = request.app.state.engine
    name = request.path_params["name"]
    if not is_there(name):
        raise MissingError(f"No such image: {name}")
    return JSONResponse(described_image(engine.image, name))


def is_there(name: str) -> bool:
    """Tell whether a name is one of the image."""
    return name.partition(":")[0].removeprefix("docker.io/").removeprefix("library/") == REPOSITORY


_BRIDGE: Final = {
    "Id": "0" * 64,
    "Name": "bridge",
    "Driver": "bridge",
    "Scope": "local",
    "IPAM": {"Config": [{"Subnet": "127.0.0.0/8", "Gateway": "127.0.0.1"}]},
}
"""The one network; those who are in it do not reach each other."""


async def list_networks(_request: Request) -> Response:
    """List the one network."""
    return JSONResponse([_BRIDGE])


async def prune(_request: Request) -> Response:
    """Delete nothing: what could be deleted with some labels does not exist."""
    return JSONResponse({"NetworksDeleted": [], "VolumesDeleted": [], "ImagesDeleted": []})


async def inspect_bridge(_request: Request) -> Response:
    """Describe the one network."""
    return JSONResponse(_BRIDGE)


async def create(request: Request) -> Response:
    """Create a container."""
    engine: Engine = request.app.state.engine
    body: dict[str, object] = await request.json()
    if not is_there(str(body["Image"])):
        raise MissingError(f"No such image: {body['Image']}")
    number = next(engine.numbers)
    name = request.query_params.get("name", f"container-{number}").removeprefix("/")
    run = requested(name, body, engine.image)
    folder = engine.folder / str(number)
    engine.containers[run.identity] = Container(run, engine.layer, folder)
    return JSONResponse({"Id": run.identity, "Warnings": []}, 201)


async def start(request: Request) -> Response:
    """Start a container."""
    container = request.app.state.engine.find(request)
    if container.started is not None:
        raise UnsupportedError("a second start of a container")
    await container.start()
    return Response(status_code=204)


async def inspect(request: Request) -> Response:
    """Describe a container."""
    return JSONResponse(described(request.app.state.engine.find(request)))


async def logs(request: Request) -> Response:
    """Send what a container has written, and with `follow` what it will write."""
    container = request.app.state.engine.find(request)
    asked = dict(request.query_params)
    shown = {"stdout": STDOUT, "stderr": STDERR}
    streams = [number for name, number in shown.items() if _is_set(asked.pop(name, ""))]
    follow = _is_set(asked.pop("follow", ""))
    if others := {key: value for key, value in asked.items() if value not in _NO_FILTERS}:
        raise UnsupportedError(f"logs with {others}")
    return StreamingResponse(container.output.frames(streams, follow=follow), media_type=_STREAMED)


_NO_FILTERS: Final = {"", "0", "false", "False", "all", "-1"}


def _is_set(value: str) -> bool:
    return value not in _NO_FILTERS


async def unpack(request: Request) -> Response:
    """Copy files into a container."""
    container = request.app.state.engine.find(request)
    container.unpack(request.query_params["path"], await request.body())
    return Response()


async def create_execution(request: Request) -> Response:
    """Keep a command for the request that starts it."""
    engine: Engine = request.app.state.engine
    body: dict[str, list[str]] = await request.json()
    if set(body) - {"Cmd", "AttachStdout", "AttachStderr"}:
        raise UnsupportedError(f"to execute {body}")
    identity = f"execution-{next(engine.numbers)}"
    engine.executions[identity] = Execution(engine.find(request), body["Cmd"])
    return JSONResponse({"Id": identity}, 201)


async def start_execution(request: Request) -> Response:
    """Run a command in a container, and send what it has written."""
    execution = request.app.state.engine.executions[request.path_params["name"]]
    code, output, errors = await execution.container.execute(execution.command)
    execution.exit_code = code
    return Response(frame(STDOUT, output) + frame(STDERR, errors), media_type=_STREAMED)


async def inspect_execution(request: Request) -> Response:
    """Tell how a command has ended."""
    execution = request.app.state.engine.executions[request.path_params["name"]]
    ended = execution.exit_code is not None
    return JSONResponse({"Running": not ended, "ExitCode": execution.exit_code})


async def wait(request: Request) -> Response:
    """Wait until a container has ended; the headers are sent at once, as clients expect."""
    container = request.app.state.engine.find(request)

    async def ended() -> AsyncIterator[bytes]:
        await container.end.wait()
        yield json.dumps({"StatusCode": container.exit_code}).encode()

    return StreamingResponse(ended(), media_type="application/json")


async def kill(request: Request) -> Response:
    """Send a signal."""
    container = request.app.state.engine.find(request)
    if not container.is_running:
        return JSONResponse({"message": f"{container.run.name} is not running"}, 409)
    container.kill(request.query_params.get("signal", "KILL"))
    return Response(status_code=204)


async def stop(request: Request) -> Response:
    """Ask a container to end."""
    engine: Engine = request.app.state.engine
    container = engine.find(request)
    if not container.is_running:
        return Response(status_code=304)
    await container.stop(float(request.query_params.get("t", "10")), engine.image.stop_signal)
    return Response(status_code=204)


async def remove(request: Request) -> Response:
    """Delete a container."""
    engine: Engine = request.app.state.engine
    container = engine.find(request)
    if container.is_running and not _is_set(request.query_params.get("force", "")):
        return JSONResponse({"message": f"{container.run.name} is running"}, 409)
    del engine.containers[container.run.identity]
    await container.remove()
    return Response(status_code=204)


async def list_containers(request: Request) -> Response:
    """List all containers that have some labels."""
    asked = dict(request.query_params)
    filters: dict[str, list[str]] = json.loads(asked.pop("filters", "{}"))
    if set(asked) - {"all"} or set(filters) - {"label"}:
        raise UnsupportedError(f"a list with {dict(request.query_params)}")
    wanted = set(filters.get("label", ()))
    engine: Engine = request.app.state.engine
    return JSONResponse(
        [
            {"Id": each.run.identity, "Names": [f"/{each.run.name}"], "State": status_of(each)}
            for each in engine.containers.values()
            if wanted <= {f"{name}={value}" for name, value in each.run.labels.items()}
        ]
    )


_ROUTES: Final = (
    Route("/_ping", ping),
    Route("/version", version),
    Route("/info", information),
    Route("/images/json", list_images),
    Route("/images/{name:path}/json", inspect_image),
    Route("/containers/{name}/exec", create_execution, methods=["POST"]),
    Route("/exec/{name}/start", start_execution, methods=["POST"]),
    Route("/exec/{name}/json", inspect_execution),
    Route("/networks/prune", prune, methods=["POST"]),
    Route("/volumes/prune", prune, methods=["POST"]),
    Route("/images/prune", prune, methods=["POST"]),
    Route("/networks", list_networks),
    Route("/networks/bridge", inspect_bridge),
    Route("/containers/json", list_containers),
    Route("/containers/create", create, methods=["POST"]),
    Route("/containers/{name}/start", start, methods=["POST"]),
    Route("/containers/{name}/json", inspect),
    Route("/containers/{name}/logs", logs),
    Route("/containers/{name}/archive", unpack, methods=["PUT"]),
    Route("/containers/{name}/wait", wait, methods=["POST"]),
    Route("/containers/{name}/kill", kill, methods=["POST"]),
    Route("/containers/{name}/stop", stop, methods=["POST"]),
    Route("/containers/{name}", remove, methods=["DELETE"]),
)


async def missing(_request: Request, error: Exception) -> Response:
    """Answer that something is not there."""
    return JSONResponse({"message": str(error)}, 404)


async def unsupported(request: Request, error: Exception) -> Response:
    """Refuse what this engine does not do, and say so, because a test fails for it."""
    sys.stderr.write(f"not supported: {request.method} {request.url}: {error}\n")
    return JSONResponse({"message": f"not supported: {error}"}, 501)


def app_for(engine: Engine) -> ASGIApp:
    """Return the application."""

    handlers = {MissingError: missing, UnsupportedError: unsupported, 404: unsupported}
    app = Starlette(routes=_ROUTES, exception_handlers={**handlers, 405: unsupported})
    app.state.engine = engine

    async def without_version(scope: Scope, receive: Receive, send: Send) -> None:
        """Take the version of the API off the path."""
        if scope["type"] == "http":
            scope["path"] = re.sub(r"^/v1\.\d+", "", scope["path"])
        await app(scope, receive, send)

    return without_version
