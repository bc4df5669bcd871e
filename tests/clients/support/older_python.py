"""confluent-kafka with an older librdkafka, whose wheels need an older Python.

The wheel is fetched by its hash and unpacked in the cache; nothing is installed. It needs Python
3.10, on the path or of pyenv, and nothing of that Python's packages.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.clients.support.programs import CLIENTS_FOLDER, build_step, built

VERSION: Final = "1.9.2"
"""The last release of confluent-kafka and librdkafka before 2.0, of August 2022."""
_PYTHON: Final = "3.10"
_REQUIREMENTS: Final = CLIENTS_FOLDER / "python" / "older-confluent-kafka.txt"


def older_python() -> Path | None:
    """Return Python 3.10, if the machine has it."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    on_path = shutil.which(f"python{_PYTHON}")
    found = [
        *sorted(root.glob(f"versions/{_PYTHON}.*/bin/python")),
        *map(Path, filter(None, [on_path])),
    ]
    return next((python for python in found if _runs(python)), None)


def _runs(python: Path) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def older_confluent_command() -> list[str | Path]:
    """Return the command of the program with transactors of the older release.

    Raises: FileNotFoundError without Python 3.10.
    """
    python = older_python()
    if python is None:
        raise FileNotFoundError(f"confluent-kafka {VERSION} needs Python {_PYTHON}")
    packages = built("older-confluent-kafka", [_REQUIREMENTS], _unpack)
    path = os.pathsep.join([str(packages), str(CLIENTS_FOLDER.parents[1])])
    module = "tests.clients.transactors.serve"
    return ["env", f"PYTHONPATH={path}", python, "-m", module, "confluent-kafka"]


def _unpack(folder: Path) -> None:
    build_step(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"),
            *("--only-binary", ":all:", "--python-version", _PYTHON, "--target", folder),
            *("--requirement", _REQUIREMENTS),
        ]
    )
