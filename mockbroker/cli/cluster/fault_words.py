"""Options and arguments of the command line for faults, derived from the fields of the kinds.

    --api Produce --topic orders --on-call 2 lose-response

So the command line knows every selector, trigger and effect that there is, and no other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import click
import msgspec

from mockbroker.faults.kinds import effects
from mockbroker.faults.selectors import Match
from mockbroker.faults.tagged import Tagged, constant, details, has_own_value, near_kinds
from mockbroker.faults.trigger import Trigger

_NUMBER: Final = re.compile(r"-?\d+")
_MARKERS: Final = {"abort-marker": "abort", "commit-marker": "commit", "marker": "any"}
UNTIL_FORMS: Final = (
    "250ms, abort-marker:TOPIC:PARTITION, commit-marker:…, marker:…, fault:ID[:HITS], "
    "epoch-bump:TRANSACTIONAL_ID or transaction-state:TRANSACTIONAL_ID:STATE"
)


def fault_options() -> list[click.Option]:
    """Create an option for each selector, each trigger, and each additional field of effects."""
    selectors = [_selector_option(field) for field in msgspec.structs.fields(Match)]
    triggers = [_trigger_option(name, kind) for name, kind in Trigger.KINDS.items()]
    return [*selectors, *triggers, *(_option(field) for field in _details().values())]


def document_of(words: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a fault: its effect from the arguments, the rest from the options.

    Raises:
        click.UsageError: there is no such effect, or it lacks its value.

    """
    names = Match.__struct_fields__
    match = {
        name: given if given is True else _one_or_many(given)
        for name in names
        if (given := values[name])
    }
    trigger = {
        name: _plain(values[name]) for name in Trigger.KINDS if values[name] not in {None, False}
    }
    effect = _effect(words)
    for name in _details():
        if values[name] is not None:
            effect[name] = until_of(values[name]) if name == "until" else _plain(values[name])
    given = {"match": match, "trigger": trigger, "effect": effect}
    return {name: part for name, part in given.items() if part}


def until_of(text: str) -> str | int | dict[str, Any]:
    """Parse the event or time that a held call waits for.

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
    if kind in {"fault", "rule"}:
        counts = last_colon and last.isdecimal()
        return {"fault": name, "hits": int(last)} if counts else {"fault": rest}
    raise click.UsageError(f"--until={text}: there are {UNTIL_FORMS}")


def effect_forms() -> list[str]:
    """Return the effects in the notation of the command line, with their values."""
    return [f"{_dashed(name)} {_form(kind)}".rstrip() for name, kind in effects().items()]


def _form(kind: type[Tagged]) -> str:
    if not kind.IS_NESTED:
        return "VALUE" if has_own_value(kind) else ""
    first, *others = kind.__struct_encode_fields__
    return " ".join([first.upper(), *(f"[{_dashed(name)}=...]" for name in others)])


def _effect(words: Sequence[str]) -> dict[str, Any]:
    name = words[0].replace("-", "_") if words else ""
    kind = effects().get(name)
    if kind is None:
        found = f"there is no effect {words[0]!r}" if words else "give an effect"
        near = near_kinds(name, effects())
        advice = (
            f"; did you mean {_dashed(near[0])!r}?" if near else f": {', '.join(effect_forms())}"
        )
        raise click.UsageError(found + advice)
    if kind.IS_NESTED:
        return {name: _parts(words, kind)}
    if has_own_value(kind):
        if len(words) != 2:
            raise click.UsageError(f"{words[0]} takes one value, and {len(words) - 1} are given")
        return {name: _plain(words[1])}
    if len(words) != 1:
        raise click.UsageError(f"{words[0]} takes no value; {' '.join(words[1:])!r} is given")
    return {name: constant(kind)}


def _parts(words: Sequence[str], kind: type[Tagged]) -> dict[str, Any]:
    """Parse the values of an effect with several: the first one may omit its name."""
    given: dict[str, Any] = {}
    for number, word in enumerate(words[1:]):
        name, equals, value = word.partition("=")
        if not equals and number:
            raise click.UsageError(f"{words[0]} takes {_form(kind)}, not {word!r}")
        first = kind.__struct_encode_fields__[0]
        given[name.replace("-", "_") if equals else first] = _plain(value or name)
    return given


def _details() -> dict[str, msgspec.structs.FieldInfo]:
    """Return the fields that are options, because several effects may have them."""
    return {
        field.encode_name: field
        for kind in effects().values()
        for field in msgspec.structs.fields(kind)
        if field.encode_name in details(kind)
    }


def _selector_option(field: msgspec.structs.FieldInfo) -> click.Option:
    flag = f"--{_dashed(field.name)}"
    if bool in _parts_of(field.type):
        return click.Option([flag], is_flag=True)
    return click.Option([flag], multiple=True, metavar=_metavar(field.type))


def _trigger_option(name: str, kind: type[Tagged]) -> click.Option:
    if has_own_value(kind):
        return click.Option([f"--{_dashed(name)}", name], metavar="NUMBER")
    return click.Option([f"--{_dashed(name)}", name], is_flag=True, flag_value=True, default=None)


def _option(field: msgspec.structs.FieldInfo) -> click.Option:
    name, flag = field.encode_name, f"--{_dashed(field.encode_name)}"
    if field.type is bool:
        is_on = field.default is True
        flag = f"--no-{_dashed(name)}" if is_on else flag
        return click.Option([flag, name], is_flag=True, flag_value=not is_on, default=None)
    if get_origin(field.type) is Literal:
        return click.Option([flag, name], type=click.Choice(get_args(field.type)))
    if name == "until":
        help_text = f"When held calls continue: {UNTIL_FORMS}."
        return click.Option([flag, name], metavar="WHEN", help=help_text)
    return click.Option([flag, name], metavar=_metavar(field.type))


def _metavar(kind: Any) -> str:
    return "TEXT" if str in _parts_of(kind) else "NUMBER"


def _parts_of(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Annotated:
        yield from _parts_of(get_args(kind)[0])
    else:
        yield from (kind, *get_args(kind))


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
