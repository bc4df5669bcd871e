"""Answer of a command: lines for people, one JSON document for programs, and an exit code."""

import functools
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, NoReturn

import click

from mockbroker.cli.text_table import write_line
from mockbroker.events.printable import write_error

_IS_QUIET: Final = "mockbroker.is_quiet"
JSON_VERSION: Final = 1
"""Version of what `--json` prints (`_v`); it increases if a field is removed or changes meaning."""


class CommandResult(NamedTuple):
    """Result of a command."""

    document: Mapping[str, Any]
    """Document for `--json`, without `_v`."""
    lines: Iterable[str] = ()
    """Text for people."""
    exit_code: int = 0
    stream: Iterable[Mapping[str, Any]] | None = None
    """Documents that `--json` prints instead, one per line, as they arrive."""


class CommandError(Exception):
    """Failure of a command: the cause, its place, what to do; and an exit code."""

    def __init__(self, why: str, exit_code: int, document: Mapping[str, Any] | None = None) -> None:
        """Fail; with `--json`, the printed `error` holds the fields of `document` and `why`."""
        super().__init__(why)
        self.why = why
        self.exit_code = exit_code
        self.document = {"exit_code": exit_code, "why": why} | dict(document or {})

    def print_and_exit(self) -> NoReturn:
        """Print the failure as one line on stderr, and exit."""
        write_error(self.why)
        sys.exit(self.exit_code)


def answering(command: Callable[..., CommandResult]) -> Callable[..., NoReturn]:
    """Add --json and --quiet to a command, and print its answer."""

    @click.option("--json", "as_json", is_flag=True, help="Print one line of JSON (`_v` is 1).")
    @click.option("-q", "--quiet", is_flag=True, help="Print nothing; only set the exit code.")
    @functools.wraps(command)
    def answered(*args: Any, as_json: bool, quiet: bool, **kwargs: Any) -> NoReturn:
        click.get_current_context().meta[_IS_QUIET] = as_json or quiet
        try:
            answer = command(*args, **kwargs)
            for line in _output(answer, as_json=as_json) if not quiet else ():
                write_line(line)
        except CommandError as failure:
            if as_json and not quiet:
                write_line(envelope({"error": failure.document}))
            failure.print_and_exit()
        sys.exit(answer.exit_code)

    return answered


def _output(answer: CommandResult, *, as_json: bool) -> Iterable[str]:
    if not as_json:
        return answer.lines
    documents = [answer.document] if answer.stream is None else answer.stream
    return (envelope(document) for document in documents)


def is_quiet() -> bool:
    """Return whether the running command was called for its JSON or its exit code alone."""
    return bool(click.get_current_context().meta.get(_IS_QUIET))


def envelope(document: Mapping[str, Any]) -> str:
    """Write a document as one line of JSON that starts with the version of its form."""
    return json.dumps({"_v": JSON_VERSION, **document}, ensure_ascii=False)
