"""Document of the form for a fault: what calls of an API, and connections, can carry."""

from types import NoneType
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

import msgspec

from mockbroker.broker.api_table import Route
from mockbroker.faults.call_facts import selectable
from mockbroker.faults.conditions import Event
from mockbroker.faults.documents.strict import View
from mockbroker.faults.effect import Effect
from mockbroker.faults.kinds import effects
from mockbroker.faults.network.toxic import Toxic
from mockbroker.faults.selectors import NAMES, OF_CONNECTION
from mockbroker.faults.tagged import DurationField, ErrorField, Tagged, constant, has_own_value
from mockbroker.faults.trigger import Trigger
from mockbroker.faults.unsent_error import unsent_error
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

FieldKind: TypeAlias = Literal["text", "number", "duration", "error", "flag", "choice", "event"]
_VALUES: Final = {
    "answer": {"error": "UNKNOWN_SERVER_ERROR"},
    "apply_then_answer": {"error": "UNKNOWN_SERVER_ERROR"},
    "delay": {"by": "1ms"},
    "throttle": {"by": "1ms"},
}
"""Values of effects that need one, to ask whether an API can carry the effect."""
_TOP_LEVEL: Final = "top_level"
_TOXICITY: Final = "toxicity"


class FieldView(View):
    """A field of an effect, a toxic, a trigger or an event."""

    name: str
    kind: FieldKind
    """`event` is an event to wait for, a duration, or nothing."""
    choices: list[str]
    """The values of a choice."""
    default: str | float | bool | None
    is_required: bool


class KindView(View):
    """An effect, a toxic, a trigger or an event, with its fields."""

    name: str
    text: str
    """What it does, in a sentence."""
    is_nested: bool
    """True if JSON has the fields in an object below the name, and not beside it."""
    constant: str | bool | None
    """The JSON value under the name; `null` if that is one of the fields."""
    fields: list[FieldView]


class FaultFormView(View):
    """Choices for a fault on the calls of one API, or on connections."""

    api: str
    selectors: list[str]
    """Selectors that its calls can have."""
    connection_selectors: list[str]
    """Selectors that connections can have."""
    effects: list[str]
    """Effects that its calls can have."""
    toxics: list[str]
    """Effects on the bytes of connections."""
    errors: list[str]
    """Errors that Kafka's brokers answer it with."""
    triggers: list[str]
    events: list[str]
    """Events that end a hold."""
    kinds: list[KindView]
    """The fields of all of these."""
    apis: list[str]
    """All APIs that the cluster serves."""


def fault_form_view(api: ApiKey, served: dict[ApiKey, Route]) -> FaultFormView:
    """Show the choices for an API."""
    versions = served[api].versions
    can_have = {*selectable(api, versions), *OF_CONNECTION, "version"}
    carried = {name: kind for name, kind in effects().items() if _can_carry(name, api, versions)}
    families = (carried, Toxic.KINDS, Trigger.KINDS, Event.KINDS)
    return FaultFormView(
        api=api.title,
        selectors=[name for name in NAMES if name in can_have],
        connection_selectors=list(OF_CONNECTION),
        effects=list(carried),
        toxics=sorted(Toxic.KINDS),
        errors=sorted(
            code.name
            for code in ErrorCode
            if code is not ErrorCode.NONE and unsent_error(code, [api]) is None
        ),
        triggers=list(Trigger.KINDS),
        events=list(Event.KINDS),
        kinds=[
            kind_view(kind, has_top_level=_can_carry(name, api, versions, top_level=True))
            for family in families
            for name, kind in family.items()
        ],
        apis=sorted(each.title for each in served),
    )


def kind_view(kind: type[Tagged], *, has_top_level: bool = True) -> KindView:
    """Show a kind with its fields; a toxic's probability is left to the trigger."""
    return KindView(
        name=kind.NAME,
        text=(kind.__doc__ or "").splitlines()[0],
        is_nested=kind.IS_NESTED,
        constant=None if kind.IS_NESTED or has_own_value(kind) else constant(kind),
        fields=[
            _field_view(field)
            for field in msgspec.structs.fields(kind)
            if field.name != _TOXICITY and (has_top_level or field.name != _TOP_LEVEL)
        ],
    )


def _field_view(field: msgspec.structs.FieldInfo) -> FieldView:
    return FieldView(
        name=field.encode_name,
        kind=_kind_of(field.type),
        choices=list(get_args(field.type)) if get_origin(field.type) is Literal else [],
        default=None if field.required else field.default,
        is_required=field.required,
    )


def _kind_of(hint: Any) -> FieldKind:
    if get_origin(hint) is Literal:
        return "choice"
    if hint == ErrorField:
        return "error"
    if hint == DurationField:
        return "duration"
    plain = {each for each in (get_args(hint) or (hint,)) if each is not NoneType}
    if plain & {int, float}:
        return "number"
    if any(isinstance(each, type) and issubclass(each, bool) for each in plain):
        return "flag"
    return "text" if plain == {str} else "event"


def _can_carry(name: str, api: ApiKey, versions: range, **fields: bool) -> bool:
    kind = effects().get(name)
    if kind is None or not issubclass(kind, Effect):
        return False  # a toxic is on a connection, and not on an API
    try:
        kind(**_VALUES.get(name, {}), **fields).check(api, versions)
    except (TypeError, ValueError):
        return False
    return True
