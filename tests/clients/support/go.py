"""Go: one module per client under `tests/clients/go/`, built with the versions in its go.sum."""

from pathlib import Path
from typing import Final

from tests.clients.support.programs import CLIENTS_FOLDER, build_step, built

_PROGRAM: Final = "program"


def program(name: str) -> Path:
    """Return the program built from the module `tests/clients/go/<name>`."""
    module = CLIENTS_FOLDER / "go" / name

    def build(folder: Path) -> None:
        build_step(["go", "build", "-mod=readonly", "-o", folder / _PROGRAM, "."], folder=module)

    return built(f"go-{name}", module.iterdir(), build) / _PROGRAM
