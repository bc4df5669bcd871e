"""Frozen structs that are one value in Python, in JSON and on the command line.

A class gives all three: its name in snake case is the verb of `Fault`, the key in JSON and the word
of the command line; its fields are the arguments. JSON has one of these forms:

- `{"answer": "NONE", "top_level": true}`: one field is encoded under the name of the class;
- `{"lose_response": "after_apply", "how": "silence"}`: the class has a msgspec tag;
- `{"duplicate": true}`: the class has neither;
- `{"latency": {"latency": "200ms"}}`: a nested family, where the fields are an object of their own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
    get_args,
    get_origin,
)

import msgspec

from mockbroker.errors import similar_names
from mockbroker.settings.duration import Duration, duration_text, milliseconds, with_unit
from mockbroker.settings.error_names import GivenError, error_of

_WORD: Final = re.compile(r"(?<!^)(?=[A-Z])")
_CHECK: Final = "check"
_IS_DURATION: Final = "is_duration"
_OTHER_NAMES: Final = {
    "drop": "drop_request",
    "error": "answer",
    "fail": "answer",
    "lose": "lose_response",
}
"""Names that people try, and the kinds that do it."""


def stored_as(normal_form: Callable[[Any], object], *, is_duration: bool = False) -> msgspec.Meta:
    """Return metadata of a type whose values are stored in a normal form.

    The function returns the normal form, or raises a ValueError. A number in place of a duration
    is deprecated in Python.
    """
    return msgspec.Meta(extra={_CHECK: normal_form, _IS_DURATION: is_duration})


if TYPE_CHECKING:
    ErrorField: TypeAlias = GivenError
    DurationField: TypeAlias = Duration
else:  # JSON has no more than texts and numbers
    ErrorField = Annotated[str | int, stored_as(lambda value: error_of(value).name)]
    """The name or the number of a Kafka error; stored as its name."""
    DurationField = Annotated[
        str | int, stored_as(lambda value: duration_text(milliseconds(value)), is_duration=True)
    ]
    """`250ms`, `7d`, or a number of milliseconds; stored in the largest unit that is exact."""


class Tagged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Value of one of several kinds, identified by its name."""

    KINDS: ClassVar[dict[str, type["Tagged"]]]
    """The kinds of a family by name; each family has its own table."""
    NAME: ClassVar[str]
    IS_NESTED: ClassVar[bool] = False
    """True if JSON has the fields in an object below the name, and not beside it."""

    def __init_subclass__(cls) -> None:
        """Register a kind in its family, unless it is a base (`_Name`) or has no name in JSON."""
        super().__init_subclass__()
        if "NAME" not in vars(cls):
            cls.NAME = _WORD.sub("_", cls.__name__).lower()
        if "KINDS" not in vars(cls) and not cls.__name__.startswith("_") and cls.NAME:
            cls.KINDS[cls.NAME] = cls

    def __post_init__(self) -> None:
        """Check the fields, and store each in its normal form.

        Raises:
            ValueError: a field has a value that its type excludes.

        """
        for name, check in _checks(type(self)):
            msgspec.structs.force_setattr(self, name, check(getattr(self, name)))

    def given(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, by their names in JSON."""
        values = (
            (field.encode_name, getattr(self, field.name), field) for field in _fields(type(self))
        )
        return {name: value for name, value, field in values if value != field.default}

    def as_json(self) -> dict[str, Any]:
        """Return the JSON document."""
        fields = {
            name: value.as_json() if isinstance(value, Tagged) else value
            for name, value in self.given().items()
            if not isinstance(value, Tagged) or value.NAME
        }
        if self.IS_NESTED:
            return {self.NAME: fields}
        return fields if self.NAME in fields else {self.NAME: constant(type(self)), **fields}

    def __repr__(self) -> str:
        """Write the value as Python makes it."""
        required = {f.encode_name for f in _fields(type(self)) if f.required}
        arguments = [
            repr(value) if name in required else f"{name}={value!r}"
            for name, value in self.given().items()
        ]
        return f"{self.NAME}({', '.join(arguments)})"


def near_kinds(name: str, known: Iterable[str], count_max: int = 1) -> list[str]:
    """Return the kinds that a wrong name may have meant."""
    other, names = _OTHER_NAMES.get(name), list(known)
    return [other] if other in names else similar_names(name, names, count_max)


def constant(kind: type[Tagged]) -> str | bool:
    """Return the JSON value of a kind without a value of its own."""
    tag = kind.__struct_config__.tag
    return tag if isinstance(tag, str) else True


def has_own_value(kind: type[Tagged]) -> bool:
    """Return whether one of the fields is the JSON value under the name of the kind."""
    return not kind.IS_NESTED and kind.NAME in kind.__struct_encode_fields__


def details(kind: type[Tagged]) -> list[str]:
    """Return the fields that are beside the name of the kind in JSON."""
    if kind.IS_NESTED:
        return []
    return [name for name in kind.__struct_encode_fields__ if name != kind.NAME]


def warn_of_numbers(kind: type[Tagged], args: Sequence[object], fields: Mapping[str, Any]) -> None:
    """Warn of arguments that are durations without a unit.

    Raises:
        ValueError: a duration has a fraction of a millisecond.

    """
    names = kind.__struct_fields__
    for name, value in (*zip(names, args, strict=False), *fields.items()):
        if name in _durations(kind) and isinstance(value, int | float):
            before = "" if name == names[0] else f"{name}="
            with_unit(f"{kind.NAME}({before}{{}})", value)


def schema_of(kind: type[Tagged], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of the document, given that of the fields."""
    if kind.IS_NESTED:
        inner = {name: part for name, part in schema.items() if name in _OF_OBJECT}
        rest = {name: part for name, part in schema.items() if name not in _OF_OBJECT}
        return {**rest, **_object({kind.NAME: inner}, kind)}
    if kind.NAME in schema["properties"]:
        return dict(schema)
    return {**schema, **_object({kind.NAME: {"const": True}, **schema["properties"]}, kind)}


def discover(package: ModuleType) -> None:
    """Import all modules of a package, so that each kind in it is registered with its family."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")


_OF_OBJECT: Final = ("type", "properties", "required", "additionalProperties")


def _object(properties: dict[str, Any], kind: type[Tagged]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [kind.NAME],
        "additionalProperties": False,
    }


@cache
def _fields(kind: type[Tagged]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)  # which evaluates the annotations each time


@cache
def _checks(kind: type[Tagged]) -> tuple[tuple[str, Callable[[Any], object]], ...]:
    return tuple(
        (field.name, check)
        for field in _fields(kind)
        for check in _checks_of(field.name, field.type)
    )


@cache
def _durations(kind: type[Tagged]) -> frozenset[str]:
    return frozenset(
        field.name
        for field in _fields(kind)
        for meta in getattr(field.type, "__metadata__", ())
        if meta.extra and meta.extra.get(_IS_DURATION)
    )


def _checks_of(name: str, hint: Any) -> Iterator[Callable[[Any], object]]:
    if get_origin(hint) is Literal:
        yield partial(_one_of, name, get_args(hint))
    for meta in getattr(hint, "__metadata__", ()):
        if meta.ge is not None:
            yield partial(_at_least, name, meta.ge)
        if meta.extra and _CHECK in meta.extra:
            yield meta.extra[_CHECK]


def _one_of(name: str, allowed: tuple[str, ...], value: object) -> object:
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: allowed are {' and '.join(allowed)}")
    return value


def _at_least(name: str, least: float, value: float) -> object:
    if value < least:
        raise ValueError(f"{name}={value}: at least {least}")
    return value
