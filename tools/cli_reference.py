"""Write docs/reference/cli.md from the help of all commands."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from mockbroker.cli.commands import commands

PAGE: Final = Path("docs/reference/cli.md")
WIDTH: Final = 100
INTRODUCTION: Final = """\
# The command line

<!-- Made by `make docs` (tools/cli_reference.py) from the help of the commands. -->

**You want it when** you look for a command, an option or its default.
[How to use the command line](../how-to/use-the-command-line.md) has examples.
**It needs** nothing but mockbroker; commands for a running cluster need the extra `http` where that
cluster runs, and `audit`, `load` and `spark` the extra `spark`, and Java 17 or newer.

All commands share:

- `--json` prints one line of JSON, `{"_v": 1, ...}`; `-q` prints nothing. Tables are for people,
  and may change.
- Commands for a running cluster find it at `--admin URL`, `$MOCKBROKER_ADMIN`, or
  `http://127.0.0.1:8092`; they send `$MOCKBROKER_ADMIN_TOKEN` as its token.
- `NO_COLOR` turns colours off. No command asks for input.
- Exit codes: 0 success; 1 an assertion or expectation failed; 2 wrong usage or an impossible
  request; 3 no admin API at that address; 4 a wait timed out; 130 interrupted.

Completion: `eval "$(_MOCKBROKER_COMPLETE=bash_source mockbroker)"` in bash, `zsh_source` in zsh,
and `_MOCKBROKER_COMPLETE=fish_source mockbroker | source` in fish.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([INTRODUCTION, *_sections(commands, "mockbroker", None)])


def _sections(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    settings: dict[str, Any] = {**command.context_settings, "terminal_width": WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    level = "##" if parent is None or parent.parent is None else "###"
    yield f"{level} {context.command_path}\n\n```text\n{_help(command, context)}\n```\n"
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None, each
            yield from _sections(found, each, context)


def _help(command: click.Command, context: click.Context) -> str:
    lines = command.get_help(context).splitlines()
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")
