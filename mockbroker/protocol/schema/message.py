"""Declarations of messages: typed fields, each with the versions that carry it.

A declaration is the only list of a message's fields. From it, `codec.py` builds for one version the
tree of nodes (`primitives.py`, `composites.py`) and the compiled codec of that tree. The rules are
those of Kafka's message generator (KIP-482): from its first flexible version on, a message has
compact lengths and every struct ends with tagged fields.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar, Final, Literal, NamedTuple, dataclass_transform

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.types import ZERO_UUID


class Versions(NamedTuple):
    """Range of versions, both ends included; `last` is None if the range is open."""

    first: int
    last: int | None

    @staticmethod
    @cache
    def parse(text: str) -> "Versions":
        """Parse `3+`, `0-12`, `7` or `none`, as in Kafka's schemas.

        Raises:
            ValueError: the text has another form.

        """
        if text == "none":
            return Versions(0, -1)
        match = re.fullmatch(r"(\d+)(?:(\+)|-(\d+))?", text)
        if match is None:
            raise ValueError(f"not a range of versions: {text!r}")
        first = int(match[1])
        if match[2]:
            return Versions(first, None)
        return Versions(first, int(match[3]) if match[3] else first)

    def __contains__(self, version: object) -> bool:
        """Return True if a version lies in the range."""
        assert isinstance(version, int)
        return version >= self.first and (self.last is None or version <= self.last)

    def __str__(self) -> str:
        """Format the range as in Kafka's schemas."""
        if self.last is None:
            return f"{self.first}+"
        if self.last < self.first:
            return "none"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Kind(NamedTuple):
    """Type of a field: a named scalar, an array of some kind, or a struct."""

    name: str
    default: object
    element: "Kind | None" = None
    struct: "type[Struct] | None" = None

    def __str__(self) -> str:
        """Format the kind as in Kafka's schemas: `int32`, `[]string`, a struct's name."""
        if self.element is not None:
            return f"[]{self.element}"
        return self.struct.__name__ if self.struct is not None else self.name


BOOL: Final = Kind("bool", default=False)
INT8: Final = Kind("int8", default=0)
INT16: Final = Kind("int16", default=0)
UINT16: Final = Kind("uint16", default=0)
INT32: Final = Kind("int32", default=0)
UINT32: Final = Kind("uint32", default=0)
INT64: Final = Kind("int64", default=0)
FLOAT64: Final = Kind("float64", default=0.0)
UUID: Final = Kind("uuid", default=ZERO_UUID)
STRING: Final = Kind("string", default="")
BYTES: Final = Kind("bytes", default=b"")
RECORDS: Final = Kind("records", default=None)


def array(of: "Kind | type[Struct]") -> Kind:
    """Return the kind of an array of scalars or structs; its default is an empty list."""
    return Kind("array", default=_MISSING, element=of if isinstance(of, Kind) else struct(of))


def struct(of: "type[Struct]") -> Kind:
    """Return the kind of a nested struct; its default is the struct's default."""
    return Kind("struct", default=_MISSING, struct=of)


class _Missing:
    """Sentinel for an argument that was not given, where None is a valid value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


_MISSING: Final = _Missing()
_ALL: Final = Versions(0, None)
_NEVER: Final = Versions(0, -1)
_FIRST_EXTENSION_TAG: Final = 10_000
"""Kafka numbers its tags from 0; tags of fields that it never shipped start far above."""


class Field(NamedTuple):
    """Field of a struct: its kind, and the versions in which it is present, nullable or tagged.

    `flexible` overrides the flexible versions of the message for this field (the client id of a
    request header is never compact). `tag` is set for a tagged field.
    """

    kind: Kind
    versions: Versions
    nullable: Versions
    default: object
    tag: int | None
    tagged: Versions
    flexible: Versions | None

    @property
    def is_extension(self) -> bool:
        """True for a field that Kafka does not have; it is tagged, and written only if enabled."""
        return self.tag is not None and self.tag >= _FIRST_EXTENSION_TAG

    def initial(self) -> object:
        """Return the field's default value; mutable defaults are new objects."""
        if self.default is not _MISSING:
            return self.default
        return self.kind.struct() if self.kind.struct is not None else []


def field(
    kind: Kind,
    versions: str = "0+",
    *,
    nullable: str = "none",
    default: object = _MISSING,
    tag: int | None = None,
    tagged: str = "none",
    flexible: str | None = None,
) -> Any:
    """Declare a field; without `default` it has its kind's default, as in Kafka's schemas."""
    return Field(
        kind,
        Versions.parse(versions),
        Versions.parse(nullable),
        kind.default if default is _MISSING else default,
        tag,
        Versions.parse(tagged),
        None if flexible is None else Versions.parse(flexible),
    )


# `field` is no field specifier here: type checkers then give each field a default, as in Kafka.
@dataclass_transform(kw_only_default=True, eq_default=True)
class _StructMeta(type):
    """Metaclass that converts declared fields to slots and a constructor."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_kw: Any
    ) -> "_StructMeta":
        fields: dict[str, Field] = {k: v for k, v in namespace.items() if isinstance(v, Field)}
        for field_name in fields:
            del namespace[field_name]
        namespace["__slots__"] = tuple(fields)
        namespace["FIELDS"] = fields
        if fields:
            namespace["__init__"] = _init_made_when_called(fields)
        return super().__new__(mcs, name, bases, namespace)

    def __init__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kw: Any
    ) -> None:
        super().__init__(name, bases, namespace)
        cls.declare(**kw)

    def declare(cls, **kw: Any) -> None:
        """Take the keyword arguments of the class statement; only messages have any."""
        assert not kw, kw


def _init_made_when_called(fields: Mapping[str, Field]) -> Callable[..., None]:
    # A process declares hundreds of structs and uses a few dozen; compiling all slows its start.
    def stub(self: "Struct", *args: object, **kwargs: object) -> None:
        owner = next(c for c in type(self).__mro__ if c.__dict__.get("__init__") is stub)
        init = _make_init(fields)
        owner.__init__ = init  # type: ignore[misc]
        init(self, *args, **kwargs)

    return stub


def _make_init(fields: Mapping[str, Field]) -> Callable[..., None]:
    # Straight-line source, as in dataclasses: a loop over the fields would be ten times slower.
    scope: dict[str, object] = {"_MISSING": _MISSING}
    arguments = ["self"]
    body: list[str] = []
    for name, spec in fields.items():
        scope[f"_d_{name}"] = spec.default
        arguments.append(f"{name}=_d_{name}")
        if spec.default is _MISSING:
            scope[f"_f_{name}"] = spec.initial
            body.append(f" self.{name} = _f_{name}() if {name} is _MISSING else {name}")
        else:
            body.append(f" self.{name} = {name}")
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(body), scope)
    init: Callable[..., None] = scope["__init__"]  # type: ignore[assignment]
    return init


class Struct(metaclass=_StructMeta):
    """Value on the wire: named fields in wire order, compared field by field.

    Not frozen: frozen values take two to three times as long to decode.
    """

    FIELDS: ClassVar[Mapping[str, Field]]

    def __eq__(self, other: object) -> bool:
        """Compare field by field."""
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]  # a mutable value

    def __repr__(self) -> str:
        """Format every field with its name."""
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"{type(self).__name__}({fields})"


MessageKind = Literal["request", "response", "header", "data"]


class Message(Struct):
    """Top-level struct with a range of versions.

    `API` is None for headers and for the records of internal topics.
    """

    API: ClassVar[ApiKey | None] = None
    KIND: ClassVar[MessageKind] = "data"
    VERSIONS: ClassVar[Versions] = _ALL
    FLEXIBLE: ClassVar[Versions] = _NEVER

    @classmethod
    def declare(
        cls,
        *,
        api: ApiKey | None = None,
        kind: MessageKind = "data",
        versions: str = "0+",
        flexible: str = "none",
    ) -> None:
        """Take the API, kind and versions from the class statement."""
        cls.API = api
        cls.KIND = kind
        cls.VERSIONS = Versions.parse(versions)
        cls.FLEXIBLE = Versions.parse(flexible)
