"""An assertion as one word of a command line: `no-loss`, or `no-loss:topic=orders`."""

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

_FLAGS: Final = {"": True, "true": True, "false": False}


class Claim(NamedTuple):
    """What is to hold."""

    text: str
    """As it was written."""
    row: AssertionRow
    arguments: Mapping[str, object]


class ClaimText(click.ParamType[Claim]):
    """A claim as the value of an option or an argument."""

    name = "assertion"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Claim:
        """Read a claim."""
        try:
            return claim_of(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete its name."""
        rows = ASSERTIONS.values()
        return [CompletionItem(row.word) for row in rows if row.word.startswith(incomplete)]


def claim_of(text: str) -> Claim:
    """Read a claim: the assertion's name, and its arguments after a colon, parted by commas.

    An argument of several values is named once for each of them.

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
            arguments[key] = _plain(kind, value)
    row.refuse_wrong(arguments)
    return Claim(text, row, arguments)


def claims_table() -> str:
    """Write all assertions as claims, for help."""
    return "\n".join(f"    {_form(row)}" for row in ASSERTIONS.values())


def _form(row: AssertionRow) -> str:
    said = ",".join(f"{argument.name}=" for argument in row.arguments)
    return f"{row.word}:{said}" if said else row.word


def _plain(kind: Kind, value: str) -> object:
    if kind == "integer" and value.removeprefix("-").isdecimal():
        return int(value)
    return _FLAGS.get(value, value) if kind == "flag" else value
