"""Assertion as an argument of a command: `no-loss`, or `no-loss:topic=orders`."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import click
from click.shell_completion import CompletionItem

from mockbroker.control.assertion_table import (
    ASSERTIONS,
    AssertionRow,
    Kind,
    find_assertion,
)

DEFAULT_ASSERTIONS: Final = ("exactly-once", "all-faults-fired")
"""Every record is stored once and no transaction is open; every fault was triggered."""
_FLAGS: Final = {"": True, "true": True, "false": False}


class Assertion(NamedTuple):
    """Assertion with its arguments."""

    text: str
    """The text of the command line."""
    row: AssertionRow
    arguments: Mapping[str, object]


class AssertionType(click.ParamType[Assertion]):
    """Click's type of options and arguments that are assertions."""

    name = "assertion"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Assertion:
        """Parse an assertion."""
        try:
            return parse_assertion(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the name of an assertion."""
        rows = ASSERTIONS.values()
        return [CompletionItem(row.word) for row in rows if row.word.startswith(incomplete)]


def parse_assertion(text: str) -> Assertion:
    """Parse a name, and after a colon the arguments, separated by commas.

    To give an argument several values, repeat it.

    Raises:
        ValueError: there is no such assertion, or its arguments are wrong.

    """
    name, _, rest = text.partition(":")
    row = find_assertion(name)
    kinds: dict[str, Kind] = {argument.name: argument.kind for argument in row.arguments}
    arguments: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        kind: Kind = kinds.get(key, "text")
        if kind == "texts":
            arguments.setdefault(key, []).append(value)
        else:
            arguments[key] = _value(kind, value)
    row.refuse_wrong(arguments)
    return Assertion(text, row, arguments)


def assertions_table() -> str:
    """List all assertions for help, with their arguments."""
    return "\n".join(f"    {_form(row)}" for row in ASSERTIONS.values())


def _form(row: AssertionRow) -> str:
    arguments = ",".join(f"{argument.name}=" for argument in row.arguments)
    return f"{row.word}:{arguments}" if arguments else row.word


def _value(kind: Kind, value: str) -> object:
    if kind == "integer" and value.removeprefix("-").isdecimal():
        return int(value)
    return _FLAGS.get(value, value) if kind == "flag" else value
