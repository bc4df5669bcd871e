"""Checks of commands that a test cannot run: do their targets, options and extras exist?"""

import re
import shlex
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Final

import click

from mockbroker.cli.commands import commands
from tests.tidy.repository import ROOT

_REQUIREMENT: Final = re.compile(r"\.(?:\[(?P<extras>[\w,-]+)\])?")

_IMAGE: Final = "mockbroker"


def problems(line: str) -> list[str]:
    """List what is wrong with a line of a console; a program that is not known here has none."""
    words = shlex.split(line, comments=True)
    while words and "=" in words[0]:
        del words[0]
    match words:
        case ["pip", "install", *arguments]:
            return install_problems(arguments)
        case ["mockbroker", *arguments]:
            return command_problems(arguments)
        case ["docker", "run", *arguments]:
            behind = arguments[arguments.index(_IMAGE) + 1 :]
            return command_problems(behind or ["serve"])
        case ["python", "-m", module, *arguments]:
            return module_problems(module, arguments)
        case ["make", target, *_]:
            return [] if target in make_targets() else [f"there is no target {target}"]
        case ["java", *_, path] | ["pytest", path]:
            return [] if (ROOT / path).exists() else [f"there is no {path}"]
        case _:
            return []


def install_problems(requirements: Iterable[str]) -> list[str]:
    """Compare what is installed with pyproject.toml: extras of `.`, and names of packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = {
        name
        for group in project["dependency-groups"].values()
        for each in group
        if isinstance(each, str)
        for name in [re.split(r"[^\w-]", each)[0]]
    }
    wrong: list[str] = []
    for each in requirements:
        found = _REQUIREMENT.fullmatch(each)
        if found is None:
            wrong += [] if each in packages else [f"no group of pyproject.toml has {each}"]
        else:
            extras = set((found["extras"] or "").split(",")) - {""}
            unknown = extras - project["project"]["optional-dependencies"].keys()
            wrong += [f"there is no extra {extra}" for extra in sorted(unknown)]
    return wrong


def command_problems(arguments: list[str]) -> list[str]:
    """Parse the arguments of `mockbroker` as its commands do, without running them."""
    command: click.Command = commands
    context, left = click.Context(commands, info_name="mockbroker"), arguments
    try:
        while isinstance(command, click.Group):
            name, found, left = command.resolve_command(context, left)
            assert found is not None
            command, context = found, click.Context(found, parent=context, info_name=name)
        command.make_context(context.info_name, list(left), parent=context.parent)
    except click.UsageError as error:
        return [error.format_message()]
    return []


def module_problems(module: str, arguments: Iterable[str]) -> list[str]:
    """Find a module of the repository, and the options of a command line in its source."""
    path = ROOT / f"{module.replace('.', '/')}.py"
    package = path.with_suffix("") / "__main__.py"
    source = next((each for each in (path, package) if each.exists()), None)
    if source is None:
        return [f"there is no module {module}"]
    text = source.read_text("utf-8")
    return [
        f"{module} has no option {word}"
        for word in arguments
        if word.startswith("--") and f'"{word}"' not in text
    ]


@cache
def make_targets() -> frozenset[str]:
    """Return the targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    return frozenset(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
