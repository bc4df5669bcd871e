"""What a client asks for when it creates a container; what this engine cannot do is refused."""

from collections.abc import Mapping
from typing import Final

from tests.container.engine.container import Run
from tests.container.image import Image

_HONOURED: Final = {
    *("Image", "Cmd", "Entrypoint", "Env", "Labels", "ExposedPorts", "Hostname", "User"),
    *("WorkingDir", "HostConfig", "AttachStdout", "AttachStderr"),
}
_HONOURED_OF_HOST: Final = {"PortBindings", "PublishAllPorts", "AutoRemove", "NetworkMode"}


class UnsupportedError(Exception):
    """A wish that this engine does not know how to fulfil."""


def requested(name: str, body: Mapping[str, object], image: Image) -> Run:
    """Return how the container is to run.

    Raises: UnsupportedError for a field that would be ignored.
    """
    _refuse(body, _HONOURED)
    host = _mapping(body, "HostConfig")
    _refuse(host, _HONOURED_OF_HOST)
    if host.get("NetworkMode") not in {None, "", "default", "bridge"}:
        raise UnsupportedError(f"NetworkMode {host['NetworkMode']}")
    exposed = [*_mapping(body, "ExposedPorts"), *image.ports]
    bindings = _mapping(host, "PortBindings")
    published = dict.fromkeys(exposed, 0) if host.get("PublishAllPorts") else {}
    published |= {port: _bound(bindings[port]) for port in bindings}
    given = dict(setting.partition("=")[::2] for setting in _words(body, "Env"))
    entrypoint = _words(body, "Entrypoint")
    command = _words(body, "Cmd")
    return Run(
        name=name,
        image=str(body["Image"]),
        # As with Docker, an entry point of the client's drops the image's command.
        entrypoint=entrypoint or image.entrypoint,
        command=command or (() if entrypoint else image.command),
        environment={**image.environment, **given},
        labels={key: str(value) for key, value in _mapping(body, "Labels").items()},
        exposed=exposed,
        published=published,
        folder=str(body.get("WorkingDir") or image.folder),
        user=int(str(body.get("User") or image.user)),
        host_name=str(body.get("Hostname") or ""),
        remove_at_end=bool(host.get("AutoRemove")),
    )


def _refuse(given: Mapping[str, object], honoured: set[str]) -> None:
    unknown = {name: value for name, value in given.items() if name not in honoured}
    if wishes := {name: value for name, value in unknown.items() if not _is_default(value)}:
        raise UnsupportedError(f"fields of a new container: {wishes}")


def _is_default(value: object) -> bool:
    """Tell whether a field asks for nothing."""
    if isinstance(value, dict):
        return all(map(_is_default, value.values()))
    if isinstance(value, list):
        return all(map(_is_default, value))
    return value in {None, "", "no", "default", 0, -1}


def _mapping(given: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = given.get(name) or {}
    assert isinstance(value, dict), f"{name} is {value}"
    return value


def _words(given: Mapping[str, object], name: str) -> list[str]:
    value = given.get(name) or []
    assert isinstance(value, list), f"{name} is {value}"
    return [str(word) for word in value]


def _bound(bindings: object) -> int:
    """Return the port that a binding names, or 0."""
    match bindings:
        case [{"HostPort": port}]:
            return int(str(port) or 0)
        case [] | None | [{}]:
            return 0
        case _:
            raise UnsupportedError(f"several bindings of a port: {bindings}")
