"""Node.js: one package per client, with the lock file's versions."""

import shutil
from pathlib import Path

from tests.clients.support.programs import CLIENTS_FOLDER, build_step, built


def package(name: str, project: Path | None = None) -> Path:
    """Return a folder with a project's sources and what they depend on.

    The project of a client is `tests/clients/node/<name>`.
    """
    sources = [
        source
        for source in (project or CLIENTS_FOLDER / "node" / name).iterdir()
        if source.is_file()  # not what an `npm install` by hand left behind
    ]

    def install(folder: Path) -> None:
        for source in sources:
            shutil.copy(source, folder)
        build_step(["npm", "ci", "--no-audit", "--no-fund"], folder=folder)

    return built(f"node-{name}", sources, install)
