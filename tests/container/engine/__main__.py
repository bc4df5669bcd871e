"""Serve the API on a socket that listens already: `python -m tests.container.engine FD FOLDER`."""

import socket
import subprocess
import sys
from pathlib import Path

import uvicorn

from tests.container.engine.api import Engine, app_for
from tests.container.image import read_image


def main(listener: socket.socket, folder: Path) -> None:
    """Serve until the process is killed; mounts and containers end with its namespaces."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    image = read_image()
    layer = folder / "image"
    image.unpack(layer)
    engine = Engine(image=image, layer=layer, folder=folder)
    config = uvicorn.Config(app_for(engine), loop="asyncio", log_level="warning", access_log=False)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2]))
