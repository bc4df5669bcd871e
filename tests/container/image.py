"""The image that the Dockerfile describes: its settings, and a folder with the files that it adds.

Nothing is built. The files of Python's image are those of this machine, and mockbroker is the one
of this environment; what the last stage of the Dockerfile copies and sets is read there.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
BASE_PATH: Final = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
_WITHOUT_EFFECT: Final = {"ARG", "LABEL", "RUN", "HEALTHCHECK"}
HOME: Final = "/var/lib/mockbroker"
MOUNTED: Final = tuple(map(str, (ROOT, sys.prefix, sys.base_prefix)))
"""Folders that a container has where this machine has them: they are what mockbroker runs on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Copied:
    """One COPY of files of the repository."""

    source: str
    target: str
    owner: int


@dataclass(kw_only=True, slots=True)
class Image:
    """The settings of the last stage."""

    environment: dict[str, str] = field(default_factory=lambda: {"PATH": BASE_PATH})
    user: int = 0
    folder: str = "/"
    ports: tuple[str, ...] = ()
    stop_signal: str = ""
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    copied: tuple[Copied, ...] = ()

    def unpack(self, layer: Path) -> None:
        """Fill a folder with what a container has beside the files of this machine."""
        for copied in self.copied:
            target = layer / copied.target.removeprefix("/")
            shutil.copytree(ROOT / copied.source, target, symlinks=True)
            for path in (target, *target.rglob("*")):
                os.chown(path, copied.owner, copied.owner)
                path.chmod(0o755)
        for path in filter(Path.is_dir, layer.rglob("*")):
            _keep_attributes(layer, path)
        for mounted in map(Path, MOUNTED):
            (layer / mounted.relative_to("/")).mkdir(parents=True, exist_ok=True)
        (layer / "opt").mkdir(exist_ok=True)
        (layer / "opt/mockbroker").symlink_to(sys.prefix)
        home = layer / HOME.removeprefix("/")
        home.mkdir(parents=True)
        os.chown(home, self.user, self.user)
        temporary = layer / "tmp"
        temporary.mkdir(exist_ok=True)
        temporary.chmod(0o1777)
        os.setxattr(temporary, "trusted.overlay.opaque", b"y")


def _keep_attributes(layer: Path, path: Path) -> None:
    """Let a folder that exists on this machine stay whose it is."""
    existing = Path("/") / path.relative_to(layer)
    if existing.exists():
        found = existing.stat()
        os.chown(path, found.st_uid, found.st_gid)


def read_image(dockerfile: Path = ROOT / "Dockerfile") -> Image:
    """Read the last stage of a Dockerfile.

    Raises: ValueError for an instruction that is not known here.
    """
    image = Image()
    *_, last_from = (
        number for number, (name, _) in enumerate(_instructions(dockerfile)) if name == "FROM"
    )
    for name, text in list(_instructions(dockerfile))[last_from + 1 :]:
        _apply(image, name, text)
    return image


def _instructions(dockerfile: Path) -> Iterator[tuple[str, str]]:
    lines = dockerfile.read_text("utf-8").splitlines()
    kept = "\n".join(line for line in lines if line and not line.startswith("#"))
    for line in kept.replace("\\\n", " ").splitlines():
        name, _, text = line.partition(" ")
        yield name, text.strip()


def _apply(image: Image, name: str, text: str) -> None:
    match name:
        case "COPY":
            image.copied += tuple(_copied(shlex.split(text)))
        case "ENV":
            settings = [
                word.split("=", 1) for word in shlex.split(text.replace("$PATH", BASE_PATH))
            ]
            image.environment |= dict(settings)
        case "USER":
            image.user = int(text)
        case "WORKDIR":
            image.folder = text
        case "EXPOSE":
            image.ports = tuple(f"{port}/tcp" for port in text.split())
        case "STOPSIGNAL":
            image.stop_signal = text
        case "ENTRYPOINT":
            image.entrypoint = tuple(json.loads(text))
        case "CMD":
            image.command = tuple(json.loads(text))
        case _ if name not in _WITHOUT_EFFECT:
            raise ValueError(f"{name} of the Dockerfile is not known here")


def _copied(words: Sequence[str]) -> Iterator[Copied]:
    options = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
    source, target = (word for word in words if not word.startswith("--"))
    if "from" not in options:
        owner = int(options.get("chown", "0").partition(":")[0])
        yield Copied(source=source, target=target, owner=owner)
