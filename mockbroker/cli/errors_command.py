"""The command `mockbroker errors`: Kafka's error codes, and what they mean to who meets them."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

import click

from mockbroker.cli.command_answer import Answer, answering, heading
from mockbroker.cli.error_codes.error_table import ErrorMeaning, error_meaning
from mockbroker.cli.error_codes.producer_verdicts import (
    PRODUCER_APIS,
    ProducerVerdict,
    verdict,
    verdicts,
)
from mockbroker.cli.text_columns import columns
from mockbroker.protocol.errors import ErrorCode

_NOBODY: Final = "-"
_DERIVED: Final = "Kafka 4.4's Java client"
_TITLES: Final = ("CODE", "NAME", "GROUP", "PRODUCER", "WHAT TO DO")


@click.command(
    short_help="Say what Kafka's error codes mean, and what to do.",
    context_settings={"ignore_unknown_options": True},  # a code may be -1
)
@click.argument("errors", metavar="[NAME|NUMBER]...", nargs=-1)
@answering
def errors(errors: Sequence[str]) -> Answer:
    """Say what Kafka's error codes mean: all in a table, or those that are named in detail.

    GROUP is the kind of exception (KIP-1050): retriable, refresh (retriable after new metadata),
    abortable, recoverable (by a new client), configuration, or other.

    PRODUCER is what a transactional producer does: send again (retriable), have the transaction
    aborted (abortable), or be closed (fatal); both where that depends on the request, `-` where no
    answer to a producer has the code. It was read off Kafka 4.4's Java client; others differ.
    """
    codes = [_code(text) for text in errors] or list(ErrorCode)
    meanings = [error_meaning(code) for code in codes]
    document = {"producer": _DERIVED, "errors": [_as_json(meaning) for meaning in meanings]}
    lines = _in_detail(meanings) if errors else _as_table(meanings)
    return Answer(document, lines)


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
    found = set(verdicts(code).values())
    return " or ".join(each for each in ProducerVerdict if each in found) or _NOBODY


def _as_table(meanings: Sequence[ErrorMeaning]) -> Iterator[str]:
    rows = [
        (str(int(each.code)), each.code.name, each.group, _summary(each.code), each.advice)
        for each in meanings
    ]
    titles, *lines = columns([_TITLES, *rows], right=frozenset({0}))
    yield heading(titles)
    yield from lines


def _in_detail(meanings: Sequence[ErrorMeaning]) -> Iterator[str]:
    for number, meaning in enumerate(meanings):
        if number:
            yield ""
        code = meaning.code
        yield heading(f"{code.name} ({int(code)})")
        yield f"  {meaning.advice}"
        yield f"  {meaning.exception or 'no exception'}; its group is {meaning.group}"
        found = verdicts(code)
        yield f"  to a transactional producer ({_DERIVED}) it is"
        rows = [
            (f"    {each}", ", ".join(api.title for api in PRODUCER_APIS if found.get(api) is each))
            for each in ProducerVerdict
            if each in found.values()
        ]
        yield from columns(rows or [("    nothing that it is answered", "")])


def _as_json(meaning: ErrorMeaning) -> dict[str, Any]:
    code = meaning.code
    found = verdicts(code)
    return {
        "code": int(code),
        "name": code.name,
        "exception": meaning.exception,
        "group": meaning.group,
        "retriable": code.is_retriable,
        "producer": {api.title: verdict(api, code) for api in PRODUCER_APIS if api in found},
        "advice": meaning.advice,
    }
