"""What commands answer with: lines for people, one document for programs, and an exit code."""

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, NoReturn

import click

JSON_VERSION: Final = 1
"""The form of what `--json` prints: its `_v`. It goes up when a field goes or changes its sense."""

EXIT_FAILED: Final = 1
"""Something was expected and is not so."""
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
"""There is no admin API where one was looked for."""
EXIT_TIMED_OUT: Final = 4
EXIT_INTERRUPTED: Final = 130


class Answer(NamedTuple):
    """What a command has to say when it is done."""

    document: Mapping[str, Any]
    """What `--json` prints, besides `_v`."""
    lines: Iterable[str] = ()
    """What people read."""
    exit_code: int = 0
    stream: Iterable[Mapping[str, Any]] | None = None
    """What `--json` prints instead, a line each, as it comes."""


class CommandError(Exception):
    """A command that cannot go on: what was wrong, where, and what to do; and an exit code."""

    def __init__(self, why: str, exit_code: int, document: Mapping[str, Any] | None = None) -> None:
        """Fail; with `--json`, `document` is what the envelope's `error` holds besides `why`."""
        super().__init__(why)
        self.why = why
        self.exit_code = exit_code
        self.document = {"exit_code": exit_code, "why": why} | dict(document or {})


def answering(command: Callable[..., Answer]) -> Callable[..., NoReturn]:
    """Give a command the options --json and --quiet, and have its answer printed."""

    @click.option("--json", "as_json", is_flag=True, help="Print one line of JSON (`_v` is 1).")
    @click.option("-q", "--quiet", is_flag=True, help="Print nothing: the exit code says it.")
    @functools.wraps(command)
    def answered(*args: Any, as_json: bool, quiet: bool, **kwargs: Any) -> NoReturn:
        try:
            answer = command(*args, **kwargs)
        except CommandError as failure:
            if as_json and not quiet:
                click.echo(envelope({"error": failure.document}))
            click.echo(f"mockbroker: {failure.why}", err=True)
            sys.exit(failure.exit_code)
        if not quiet:
            for line in _documents(answer) if as_json else answer.lines:
                click.echo(line)
        sys.exit(answer.exit_code)

    return answered


def _documents(answer: Answer) -> Iterable[str]:
    documents = [answer.document] if answer.stream is None else answer.stream
    return (envelope(document) for document in documents)


def envelope(document: Mapping[str, Any]) -> str:
    """Write a document as one line of JSON, with the version of its form in front."""
    return json.dumps({"_v": JSON_VERSION, **document}, ensure_ascii=False)


def heading(text: str) -> str:
    """Write a heading: bold on a terminal, unless NO_COLOR is set."""
    return text if os.environ.get("NO_COLOR") else click.style(text, bold=True)
