"""Pinned releases of clients, read from their requirement files."""

import json
import re
from typing import Final

from tests.clients.support.programs import CLIENTS_FOLDER

_LOCK: Final = CLIENTS_FOLDER.parents[1] / "requirements" / "test.txt"


def locked(package: str) -> str:
    """Return the version of a Python package in the lock file."""
    return _found(rf"^{re.escape(package)}(?:\[.*\])?==(\S+)", _LOCK.read_text("utf-8"), package)


def in_go_module(module: str, package: str) -> str:
    """Return the version of a Go package in the go.mod of `tests/clients/go/<module>`."""
    text = (CLIENTS_FOLDER / "go" / module / "go.mod").read_text("utf-8")
    return _found(rf"{re.escape(package)} v(\S+)", text, package)


def in_package_lock(package: str) -> str:
    """Return the version of a Node package in the lock file of `tests/clients/node/<package>`."""
    text = (CLIENTS_FOLDER / "node" / package / "package-lock.json").read_text("utf-8")
    return str(json.loads(text)["packages"][f"node_modules/{package}"]["version"])


def _found(pattern: str, text: str, package: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    assert match is not None, f"{package} is not pinned"
    return match[1]
