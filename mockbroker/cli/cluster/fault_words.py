"""A rule as words of a command line: from the fields of its document come the options.

    --api Produce --topic orders --on-call 2 lose-response

So the command line knows every selector, trigger and effect that a document knows, and no other.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeGuard, get_args, get_origin, get_type_hints

import click
import msgspec

from mockbroker.faults.documents.rule_document import (
    EFFECTS,
    EVENTS,
    TRIGGERS,
    EffectDocument,
    MatchDocument,
    TriggerDocument,
    UntilDocument,
)

_NUMBER: Final = re.compile(r"-?\d+")
_MARKERS: Final = {"abort-marker": "abort", "commit-marker": "commit", "marker": "any"}
UNTIL_FORMS: Final = (
    "250ms, abort-marker:TOPIC:PARTITION, commit-marker:…, marker:…, rule:ID[:HITS], "
    "epoch-bump:TRANSACTIONAL_ID or transaction-state:TRANSACTIONAL_ID:STATE"
)


def rule_options() -> list[click.Option]:
    """Make an option of each selector, each trigger, and each field that goes with an effect."""
    selectors = [
        click.Option([f"--{_dashed(name)}"], multiple=True, metavar=_metavar(kind))
        for name, kind in get_type_hints(MatchDocument).items()
    ]
    triggers = [_single(name, TriggerDocument) for name in TRIGGERS]
    details = [_single(name, EffectDocument) for name in _details()]
    return [*selectors, *triggers, *details]


def rule_of(words: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Write the document of a rule: its effect from the words, the rest from the options' values.

    Raises:
        click.UsageError: there is no such effect, or it lacks its value.

    """
    match = {name: _one_or_many(values[name]) for name in _fields(MatchDocument) if values[name]}
    trigger = {name: _plain(values[name]) for name in TRIGGERS if values[name] not in {None, False}}
    effect = _effect(words)
    for name in _details():
        if values[name] is not None:
            effect[name] = until_of(values[name]) if name == "until" else _plain(values[name])
    said = {"match": match, "trigger": trigger, "effect": effect}
    return {name: part for name, part in said.items() if part}


def until_of(text: str) -> str | int | dict[str, Any]:
    """Read what a held call waits for.

    Raises:
        click.UsageError: it is neither a time nor an event.

    """
    kind, colon, rest = text.partition(":")
    if not colon:
        return int(text) if text.isdecimal() else text
    if kind == "epoch-bump":
        return {"epoch_bump": rest}
    name, last_colon, last = rest.rpartition(":")
    if kind in _MARKERS and last_colon and last.isdecimal():
        return {"marker": _MARKERS[kind], "topic": name, "partition": int(last)}
    if kind == "transaction-state" and last_colon:
        return {"transaction_state": {"transactional_id": name, "state": last}}
    if kind == "rule":
        counts = last_colon and last.isdecimal()
        return {"rule": name, "hits": int(last)} if counts else {"rule": rest}
    raise click.UsageError(f"--until={text}: there are {UNTIL_FORMS}")


def effects() -> list[str]:
    """Name the effects as the command line writes them, with what they are to be told."""
    hints = get_type_hints(EffectDocument)
    return [f"{_dashed(name)} {_told_to(hints[name])}".rstrip() for name in EFFECTS]


def _told_to(kind: Any) -> str:
    document = _struct_of(kind)
    if document is not None:
        return _told(document)
    return "VALUE" if _takes_value(kind) else ""


def _effect(words: Sequence[str]) -> dict[str, Any]:
    name = words[0].replace("-", "_") if words else ""
    if name not in EFFECTS:
        found = f"there is no effect {words[0]!r}" if words else "say what happens to the calls"
        raise click.UsageError(f"{found}: {', '.join(effects())}")
    kind = get_type_hints(EffectDocument)[name]
    if (document := _struct_of(kind)) is not None:
        return {name: _parts(words, document)}
    if _takes_value(kind):
        if len(words) != 2:
            raise click.UsageError(f"{words[0]} takes one value, and {len(words) - 1} are given")
        return {name: _plain(words[1])}
    if len(words) != 1:
        raise click.UsageError(f"{words[0]} takes no value; {' '.join(words[1:])!r} is given")
    return {name: _said_alone(kind)}


def _parts(words: Sequence[str], document: type[msgspec.Struct]) -> dict[str, Any]:
    """Read what an effect of several parts is told: the first may go without its name."""
    said: dict[str, Any] = {}
    for number, word in enumerate(words[1:]):
        name, equals, value = word.partition("=")
        if not equals and number:
            raise click.UsageError(f"{words[0]} is told {_told(document)}, not {word!r}")
        said[name.replace("-", "_") if equals else _own(document)[0]] = _plain(value or name)
    return said


def _told(document: type[msgspec.Struct]) -> str:
    first, *others = _own(document)
    rest = [*others, *(name for name in _fields(document) if name not in (first, *others))]
    return " ".join([first.upper(), *(f"[{_dashed(name)}=...]" for name in rest)])


def _own(document: type[msgspec.Struct]) -> list[str]:
    """Name the fields that a document has before its base's."""
    of_base = {name for base in document.__bases__ for name in _fields(base)}
    return [name for name in _fields(document) if name not in of_base]


def _struct_of(kind: Any) -> type[msgspec.Struct] | None:
    return next(
        (part for part in get_args(kind) if isinstance(part, type) and _is_struct(part)), None
    )


def _is_struct(part: type) -> TypeGuard[type[msgspec.Struct]]:
    return issubclass(part, msgspec.Struct) and part is not UntilDocument


def _details() -> list[str]:
    return [name for name in _fields(EffectDocument) if name not in EFFECTS]


def _single(name: str, document: type[msgspec.Struct]) -> click.Option:
    kind = get_type_hints(document)[name]
    flag = f"--{_dashed(name)}"
    if kind is bool:
        is_on = _default(document, name) is True
        flag = f"--no-{_dashed(name)}" if is_on else flag
        return click.Option([flag, name], is_flag=True, flag_value=not is_on, default=None)
    if choices := _literals(kind):
        return click.Option([flag, name], type=click.Choice(choices))
    metavar = "WHEN" if name in {"until", *EVENTS} else _metavar(kind)
    help_text = f"When held calls go on: {UNTIL_FORMS}." if name == "until" else None
    return click.Option([flag, name], metavar=metavar, help=help_text)


def _fields(document: type[msgspec.Struct]) -> tuple[str, ...]:
    return document.__struct_fields__


def _default(document: type[msgspec.Struct], name: str) -> object:
    return next(field.default for field in msgspec.structs.fields(document) if field.name == name)


def _literals(kind: Any) -> list[str]:
    return [
        text
        for part in (kind, *get_args(kind))
        if get_origin(part) is Literal
        for text in get_args(part)
    ]


def _takes_value(kind: Any) -> bool:
    return kind is not bool and not _literals(kind)


def _said_alone(kind: Any) -> str | bool:
    return True if kind is bool else _literals(kind)[0]


def _metavar(kind: Any) -> str:
    parts = {part for part in (kind, *get_args(kind)) if isinstance(part, type)}
    if str in parts:
        return "TEXT"
    return "NUMBER"


def _one_or_many(values: Sequence[str]) -> Any:
    plain = [_plain(value) for value in values]
    return plain[0] if len(plain) == 1 else plain


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        if _NUMBER.fullmatch(value):
            return int(value)
        if re.fullmatch(r"0?\.\d+|1\.0+", value):
            return float(value)
    return value


def _dashed(name: str) -> str:
    return name.replace("_", "-")
