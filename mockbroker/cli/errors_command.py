"""Command `mockbroker errors`: meanings of Kafka's error codes."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

import click

from mockbroker.cli.command_answer import CommandResult, answering
from mockbroker.cli.error_codes.error_table import ErrorMeaning, error_meaning
from mockbroker.cli.error_codes.producer_actions import (
    PRODUCER_APIS,
    ProducerAction,
    producer_actions,
)
from mockbroker.cli.text_table import Heading, columns
from mockbroker.protocol.errors import ErrorCode

_NOBODY: Final = "-"
_DERIVED: Final = "Kafka 4.4's Java client"
_TITLES: Final = ("CODE", "NAME", "GROUP", "PRODUCER", "WHAT TO DO")


@click.command(
    short_help="Explain Kafka's error codes, and what to do.",
    context_settings={"ignore_unknown_options": True},  # a code may be -1
)
@click.argument("errors", metavar="[NAME|NUMBER]...", nargs=-1)
@answering
def errors(errors: Sequence[str]) -> CommandResult:
    """Explain Kafka's error codes: all in a table, or the named ones in detail.

    GROUP is the kind of exception (KIP-1050): retriable, refresh (retriable after new metadata),
    abortable, recoverable (by a new client), configuration, or other.

    PRODUCER is the action of a transactional producer: send again (retriable), abort the
    transaction (abortable), or close (fatal); several if that depends on the request, and `-` if
    no response to a producer has the code. The source is Kafka 4.4's Java client; others differ.
    """
    codes = [_code(text) for text in errors] or list(ErrorCode)
    meanings = [error_meaning(code) for code in codes]
    document = {"producer": _DERIVED, "errors": [_as_json(meaning) for meaning in meanings]}
    lines = _in_detail(meanings) if errors else _as_table(meanings)
    return CommandResult(document, lines)


def _code(text: str) -> ErrorCode:
    name = text.upper()
    if name in ErrorCode.__members__:
        return ErrorCode[name]
    try:
        return ErrorCode(int(text))
    except ValueError:
        near = get_close_matches(name, ErrorCode.__members__, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise click.UsageError(f"Kafka has no error {text!r}{hint}") from None


def _summary(code: ErrorCode) -> str:
    found = set(producer_actions(code).values())
    return " or ".join(each for each in ProducerAction if each in found) or _NOBODY


def _as_table(meanings: Sequence[ErrorMeaning]) -> Iterator[str]:
    rows = [
        (str(int(each.code)), each.code.name, each.group, _summary(each.code), each.advice)
        for each in meanings
    ]
    titles, *lines = columns([_TITLES, *rows], right=frozenset({0}))
    yield Heading(titles)
    yield from lines


def _in_detail(meanings: Sequence[ErrorMeaning]) -> Iterator[str]:
    for number, meaning in enumerate(meanings):
        if number:
            yield ""
        code = meaning.code
        yield Heading(f"{code.name} ({int(code)})")
        yield f"  {meaning.advice}"
        yield f"  exception: {meaning.exception or 'none'} ({meaning.group})"
        found = producer_actions(code)
        yield f"  a transactional producer ({_DERIVED}) treats it as"
        rows = [
            (f"    {each}", ", ".join(api.title for api in PRODUCER_APIS if found.get(api) is each))
            for each in ProducerAction
            if each in found.values()
        ]
        yield from columns(rows or [("    (its requests never get this code)", "")])


def _as_json(meaning: ErrorMeaning) -> dict[str, Any]:
    code = meaning.code
    found = producer_actions(code)
    return {
        "code": int(code),
        "name": code.name,
        "exception": meaning.exception,
        "group": meaning.group,
        "retriable": code.is_retriable,
        "producer": {api.title: action for api, action in found.items()},
        "advice": meaning.advice,
    }
