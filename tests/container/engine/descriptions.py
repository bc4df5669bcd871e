"""What `docker inspect` shows."""

from datetime import datetime
from typing import Final

from tests.container.engine.container import Container
from tests.container.image import Image

IMAGE_ID: Final = "sha256:" + "0" * 64
_NEVER: Final = "0001-01-01T00:00:00Z"


def described_image(image: Image, name: str) -> dict[str, object]:
    """Return the description of the image by one of its names."""
    return {
        "Id": IMAGE_ID,
        "RepoTags": [name],
        "RepoDigests": [],
        "Created": "2026-01-01T00:00:00Z",
        "Os": "linux",
        "Architecture": "amd64",
        "Config": {
            "Env": [f"{key}={value}" for key, value in image.environment.items()],
            "Entrypoint": image.entrypoint,
            "Cmd": image.command,
            "ExposedPorts": {port: {} for port in image.ports},
            "WorkingDir": image.folder,
            "User": str(image.user),
            "StopSignal": image.stop_signal,
        },
    }


def described(container: Container) -> dict[str, object]:
    """Return the description of a container."""
    run = container.run
    opened: dict[str, object] = dict.fromkeys(run.exposed)
    for name, port in container.ports.items():
        opened[name] = [{"HostIp": "0.0.0.0", "HostPort": str(port.port)}]
    return {
        "Id": run.identity,
        "Name": f"/{run.name}",
        "Created": _time(container.created),
        "Image": IMAGE_ID,
        "State": {
            "Status": status_of(container),
            "Running": container.is_running,
            "Paused": False,
            "Restarting": False,
            "OOMKilled": False,
            "Dead": False,
            "ExitCode": container.exit_code,
            "Error": "",
            "StartedAt": _time(container.started),
            "FinishedAt": _time(container.ended),
        },
        "Config": {
            "Hostname": container.host_name,
            "Image": run.image,
            "Env": [f"{key}={value}" for key, value in run.environment.items()],
            "Cmd": run.command,
            "Entrypoint": run.entrypoint,
            "Labels": run.labels,
            "ExposedPorts": {port: {} for port in run.exposed},
            "WorkingDir": run.folder,
            "User": str(run.user),
            "Tty": False,
        },
        "HostConfig": {"NetworkMode": "default", "AutoRemove": run.remove_at_end},
        "NetworkSettings": {"Ports": opened, "Networks": {"bridge": {}}},
        "Mounts": [],
    }


def status_of(container: Container) -> str:
    """Return the word for what a container does."""
    if container.is_running:
        return "running"
    return "created" if container.started is None else "exited"


def _time(moment: datetime | None) -> str:
    return _NEVER if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
