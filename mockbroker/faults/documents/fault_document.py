"""Fault as a document of JSON, YAML or TOML: selectors, trigger, and effect.

    {"id": "lost-ack", "match": {"api": "Produce", "topic": "orders"},
     "trigger": {"on_call": 1}, "effect": {"lose_response": "after_apply"}}

The names are those of `Fault` in Python. Each effect without a value says whether the broker has
applied the request.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, Protocol, TypeVar, cast

import msgspec

from mockbroker.faults.conditions import Event, FaultHits
from mockbroker.faults.documents.strict import Document
from mockbroker.faults.effect import Effect
from mockbroker.faults.fault import Fault, Part
from mockbroker.faults.kinds import effects
from mockbroker.faults.selectors import Match, SelectorError, Selectors
from mockbroker.faults.tagged import Tagged, details, near_kinds, schema_of
from mockbroker.faults.trigger import Trigger
from mockbroker.state.cluster_state import ClusterState

_UNKNOWN: Final = re.compile(r"unknown field `(?P<name>[^`]*)`")

T = TypeVar("T")
Kinds = Mapping[str, type[Tagged]]
Said = dict[str, Any]


class FaultDocument(Document, kw_only=True):
    """A complete fault; without a trigger it fires once, and a toxic at every connection."""

    id: str | None = None
    match: Match = msgspec.field(default_factory=Match)
    trigger: Said | None = None
    effect: Said


class FaultDocumentError(ValueError):
    """Document that does not describe a fault: the invalid field, and the reason."""

    def __init__(self, path: str, why: str, near: Collection[str] = ()) -> None:
        """Name the field by its JSON path, and similar names if its name is unknown."""
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"{path}: {why}{hint}")
        self.path = path
        self.why = f"{why}{hint}"
        self.near = list(near)


class FaultParts(Protocol):
    """The parts of a fault that its document has."""

    @property
    def name(self) -> str:
        """Its id."""
        ...

    @property
    def selectors(self) -> Selectors:
        """What it matches."""
        ...

    @property
    def does(self) -> Any:
        """Its effect or toxic; None before it is chosen."""
        ...

    @property
    def trigger(self) -> Trigger:
        """When it fires."""
        ...


class FaultHost(Protocol):
    """The part of a cluster's handle that creates faults."""

    @property
    def faults(self) -> Sequence[Fault]:
        """All faults."""
        ...

    @property
    def fault(self) -> Callable[..., Fault]:
        """Method that begins a fault."""
        ...

    def look(self, work: Callable[[ClusterState, int], T]) -> T:
        """Run work on the cluster's event loop."""
        ...


def make_fault(cluster: FaultHost, document: FaultDocument) -> Fault:
    """Create the fault that a document describes, between two requests.

    Raises:
        FaultDocumentError: it cannot be made; then there is none.
        RuntimeError: the cluster is not running.

    """
    parts = read_parts(document)
    selectors = _checked("$.match.api", document.match.selectors)

    def made(_state: ClusterState, _now_ms: int) -> Fault:
        _check_until(cluster, parts[0][1])
        fault = _begun(cluster, document.id, selectors)
        try:
            for path, part in parts:
                _checked(path, lambda part=part: fault.with_part(cast("Part", part)))  # type: ignore[misc]
        except FaultDocumentError:
            fault.remove()
            raise
        return fault

    return cluster.look(made)


def read_parts(document: FaultDocument) -> list[tuple[str, Tagged]]:
    """Decode the effect and the trigger of a fault, each with its path in the document.

    Raises:
        FaultDocumentError: one of them, or a selector, is invalid.

    """
    _checked("$.match.api", document.match.selectors)
    parts = [("$.effect", _read(effects(), document.effect, "$.effect"))]
    if document.trigger is not None:
        parts.append(("$.trigger", _read(Trigger.KINDS, document.trigger, "$.trigger")))
    return parts


def read_event(given: Mapping[str, Any]) -> Tagged:
    """Decode an event to wait for: `{"marker": "abort", "topic": "orders", "partition": 0}`.

    Raises:
        FaultDocumentError: it is none, or its fields are wrong.

    """
    return _read(Event.KINDS, given, "$")


def document_of(state: FaultParts) -> FaultDocument | None:
    """Return the document of a fault; None before it has an effect.

    It leaves predicates of Python out: see `is_expressible`.
    """
    if state.does is None:
        return None
    return FaultDocument(
        id=state.name,
        match=state.selectors.match,
        trigger=state.trigger.as_json(),
        effect=state.does.as_json(),
    )


def is_expressible(state: FaultParts) -> bool:
    """Return whether the document has the complete fault: a Python predicate has no form in it."""
    until = getattr(state.does, "until", None)
    return not state.selectors.has_predicate and not (isinstance(until, Event) and not until.NAME)


def complete_schemas(schemas: dict[str, Any]) -> None:
    """Add the schemas of all kinds to those of an OpenAPI document with faults."""
    if FaultDocument.__name__ not in schemas:
        return
    families: dict[type[Tagged], Kinds] = {
        Effect: effects(),
        Trigger: Trigger.KINDS,
        Event: Event.KINDS,
    }
    kinds = [kind for family in families.values() for kind in family.values()]
    _, found = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    for kind in kinds:
        found[kind.__name__] = schema_of(kind, found[kind.__name__])
    for family, members in families.items():
        found[family.__name__] = {
            "title": family.__name__,
            "description": family.__doc__,
            "oneOf": [_reference(kind) for kind in members.values()],
        }
    schemas.update(found)
    for name, properties in ((n, s.get("properties", {})) for n, s in schemas.items()):
        if name in {"FaultDocument", "FaultView"}:
            for field, family in (("effect", Effect), ("trigger", Trigger)):
                properties[field] = _replaced(properties[field], _reference(family))


def _reference(kind: type) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _replaced(schema: dict[str, Any], reference: dict[str, str]) -> dict[str, Any]:
    """Replace `object` by a reference, and keep a `null` beside it."""
    if "anyOf" not in schema:
        return reference
    return {**schema, "anyOf": [reference, {"type": "null"}]}


# From JSON


def _read(kinds: Kinds, given: Mapping[str, Any], path: str) -> Tagged:
    """Decode the one value of an object: `{"answer": "NONE", "top_level": true}`.

    Raises:
        FaultDocumentError: it has none or several, or its fields are wrong.

    """
    given = {name: value for name, value in given.items() if value is not None}
    chosen = [name for name in kinds if given.get(name, False) is not False]
    known = {*kinds, *(name for kind in kinds.values() for name in details(kind))}
    if unknown := [name for name in given if name not in known]:
        near = near_kinds(unknown[0], known, 3)
        raise FaultDocumentError(path, f"Object contains unknown field `{unknown[0]}`", near)
    if len(chosen) != 1:
        found = ", ".join(chosen) or "none"
        raise FaultDocumentError(path, f"expected exactly one of {', '.join(kinds)}, found {found}")
    name, kind = chosen[0], kinds[chosen[0]]
    allowed = {name, *details(kind)}
    if unexpected := [each for each in given if each not in allowed and given[each] is not False]:
        why = f"`{', '.join(sorted(unexpected))}` does not go with `{name}`"
        raise FaultDocumentError(path, why)
    if kind.IS_NESTED:
        return _converted(kind, given[name], f"{path}.{name}")
    fields = {each: value for each, value in given.items() if each in allowed}
    has_value = name in (*kind.__struct_encode_fields__, kind.__struct_config__.tag_field)
    if not has_value and fields.pop(name) is not True:
        raise FaultDocumentError(f"{path}.{name}", "expected `true`")
    return _converted(kind, fields, path)


def _converted(kind: type[Tagged], fields: Any, path: str) -> Tagged:
    """Create a value from its fields; its own kind decodes an event among them."""
    event: Tagged | None = None
    given = cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
    if isinstance(given.get("until"), dict):
        until = dict(cast("dict[str, Any]", given["until"]))
        if "rule" in until:  # the former name of the field
            until["fault"] = until.pop("rule")
        event = _read(Event.KINDS, until, f"{path}.until")
        fields = {**given, "until": None}
    try:
        value = msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        why, _, at = str(error).partition(" - at `$")
        unknown = _UNKNOWN.search(why)
        names = kind.__struct_encode_fields__
        near = get_close_matches(unknown["name"], names, n=3) if unknown else []
        raise FaultDocumentError(path + at.rstrip("`"), why, near) from None
    return value if event is None else msgspec.structs.replace(value, until=event)


def _check_until(cluster: FaultHost, effect: Tagged) -> None:
    until = getattr(effect, "until", None)
    names = [fault.name for fault in cluster.faults]
    if isinstance(until, FaultHits) and until.name not in names:
        near = [repr(name) for name in get_close_matches(until.name, names, n=1)]
        raise FaultDocumentError("$.effect.until.fault", f"there is no fault {until.name!r}", near)


def _begun(cluster: FaultHost, name: str | None, selectors: Mapping[str, Any]) -> Fault:
    try:
        return cluster.fault(name=name, **selectors)
    except ValueError as error:
        path = f"$.match.{error.selector}" if isinstance(error, SelectorError) else "$.id"
        raise FaultDocumentError(path, str(error)) from None


def _checked(path: str, make: Callable[[], T]) -> T:
    try:
        return make()
    except ValueError as error:
        raise FaultDocumentError(path, str(error)) from None
