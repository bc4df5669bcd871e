"""Node.js: one package per client under `tests/clients/node/`, with the lock file's versions."""

import shutil
from pathlib import Path

from tests.clients.support.programs import CLIENTS_FOLDER, build_step, built


def package(name: str) -> Path:
    """Return a folder with the sources of `tests/clients/node/<name>` and what they depend on."""
    sources = [
        source
        for source in (CLIENTS_FOLDER / "node" / name).iterdir()
        if source.is_file()  # not what an `npm install` by hand left behind
    ]

    def install(folder: Path) -> None:
        for source in sources:
            shutil.copy(source, folder)
        build_step(["npm", "ci", "--no-audit", "--no-fund"], folder=folder)

    return built(f"node-{name}", sources, install)
