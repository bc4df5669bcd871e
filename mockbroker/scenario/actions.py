"""Table of the actions of a scenario, made from the methods of a cluster that are actions.

An action's name is the method's in Python, after `cluster.`: `kill`, `clock.advance`,
`partition.elect`. Its arguments are the method's keyword arguments, after those that name the part:
`cluster.partition("orders", 0).elect(to=2)` is
`partition.elect: {topic: orders, partition: 0, to: 2}`.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from inspect import Parameter, signature
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, cast, get_args, get_origin

import msgspec

from mockbroker.control.cluster_clock import ClusterClock, iso_text, moment_ms
from mockbroker.control.cluster_control import ACTION
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.handles.acls_handle import AclsHandle
from mockbroker.control.handles.certificates_handle import CertificatesHandle
from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.quotas_handle import QuotasHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.control.handles.users_handle import UsersHandle
from mockbroker.errors import similar_names
from mockbroker.faults.documents.fault_document import FaultDocument, make_fault
from mockbroker.faults.documents.strict import Document
from mockbroker.faults.fault import Fault
from mockbroker.settings.duration import duration_text, milliseconds

Arguments = Mapping[str, Any]


class ClusterPart(NamedTuple):
    """A part of a cluster with actions of its own."""

    kind: type
    reach: Callable[[ClusterHandle, Arguments], object]
    """Return the part, given the arguments that name it."""
    named_by: Mapping[str, str] = {}
    """The arguments that name it, with the attributes of the part that have their values."""


def _partition(cluster: ClusterHandle, named: Arguments) -> PartitionHandle:
    return cluster.partition(named["topic"], named["partition"])


_OF_PARTITION: Final = {"topic": "topic", "partition": "index"}
PARTS: Final[Mapping[str, ClusterPart]] = {
    "": ClusterPart(ClusterHandle, lambda cluster, _: cluster),
    "clock": ClusterPart(ClusterClock, lambda cluster, _: cluster.clock),
    "partition": ClusterPart(PartitionHandle, _partition, _OF_PARTITION),
    "replica": ClusterPart(
        ReplicaHandle,
        lambda cluster, named: _partition(cluster, named).replica(named["broker"]),
        _OF_PARTITION | {"broker": "broker"},
    ),
    "transaction": ClusterPart(
        TransactionHandle,
        lambda cluster, named: cluster.transaction(named["transactional_id"]),
        {"transactional_id": "transactional_id"},
    ),
    "group": ClusterPart(
        GroupHandle,
        lambda cluster, named: cluster.group(named["group"]),
        {"group": "group_id"},
    ),
    "acls": ClusterPart(AclsHandle, lambda cluster, _: cluster.acls),
    "quotas": ClusterPart(QuotasHandle, lambda cluster, _: cluster.quotas),
    "users": ClusterPart(UsersHandle, lambda cluster, _: cluster.users),
    "certificates": ClusterPart(CertificatesHandle, lambda cluster, _: cluster.certificates),
}
"""The parts by the attributes of a cluster."""

_NUMBERS: Final = frozenset({"partition", "broker"})
_FORMS: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    "clock.advance": ("by", lambda value: duration_text(milliseconds(value))),
    "clock.set": ("to", lambda value: iso_text(moment_ms(value))),
    "delay_markers": ("by", lambda value: duration_text(milliseconds(value))),
}
"""Arguments that are texts of a certain form, with what makes it and refuses others."""


class Action(NamedTuple):
    """One action of a scenario."""

    name: str
    about: str
    """The first sentence of the method's description."""
    document: type[Document]
    """The arguments."""
    perform: Callable[[ClusterHandle, Arguments], object]
    method: str = ""
    """Qualified name of the method; empty for the actions of faults."""
    named_by: Mapping[str, str] = {}

    @property
    def first_argument(self) -> str | None:
        """The argument that a plain value stands for; None if there are no arguments."""
        return next(iter(self.document.__struct_encode_fields__), None)

    @property
    def needs_arguments(self) -> bool:
        """True if an argument is required."""
        return any(each.required for each in msgspec.structs.fields(self.document))

    def check(self, arguments: Arguments) -> None:
        """Check the form of the arguments.

        Raises:
            ValueError: an argument has no valid form; `msgspec.ValidationError` names its path.

        """
        msgspec.convert(dict(arguments), self.document)
        name, form = _FORMS.get(self.name, ("", None))
        if form is not None and name in arguments:
            value = arguments[name]
            if not isinstance(value, str):
                raise ValueError(f"{value} has no unit: write {form(value)}")
            form(value)

    def arguments_of(self, holder: object, args: Any, kwargs: Arguments) -> dict[str, Any]:
        """Return the arguments of a call in Python that differ from their defaults."""
        named = {name: getattr(holder, attribute) for name, attribute in self.named_by.items()}
        method = getattr(type(holder), self.method.rpartition(".")[2])
        bound = signature(method).bind(holder, *args, **kwargs).arguments
        parameters = signature(method).parameters
        given = {
            name: value
            for name, value in list(bound.items())[1:]
            if value != parameters[name].default
        }
        own, form = _FORMS.get(self.name, ("", _plain))
        return named | {
            name: form(value) if name == own else _plain(value) for name, value in given.items()
        }


@cache
def actions() -> Mapping[str, Action]:
    """Return the actions by name: those of the cluster, of its parts, and of faults."""
    methods = [
        _action(f"{prefix}.{name}" if prefix else name, part, name, getattr(part.kind, name))
        for prefix, part in PARTS.items()
        for name in vars(part.kind)
        if getattr(getattr(part.kind, name), ACTION, False)
    ]
    return {each.name: each for each in (*_FAULTS, *methods)}


def find_action(name: str) -> Action:
    """Return an action by its name.

    Raises:
        ValueError: there is none; the text has names that are near.

    """
    found = actions().get(name)
    if found is not None:
        return found
    near = [each for each in actions() if each.rpartition(".")[2] == name]
    near = near or similar_names(name, [*actions(), "wait_for"], 2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(f"there is no action {name!r}{hint}")


def action_of(method: str) -> Action | None:
    """Return the action of a method, by its qualified name."""
    return next((each for each in actions().values() if each.method == method), None)


def _action(name: str, part: ClusterPart, attribute: str, method: Callable[..., object]) -> Action:
    own = {each: int if each in _NUMBERS else str for each in part.named_by}
    fields: list[Any] = [*own.items(), *_fields_of(method)]
    document: Any = msgspec.defstruct(
        "".join(word.capitalize() for word in name.replace(".", "_").split("_")),
        sorted(fields, key=len),  # those without defaults first
        bases=(Document,),
        namespace={"__doc__": _first_sentence(method)},
        forbid_unknown_fields=True,
        kw_only=True,
    )

    def perform(cluster: ClusterHandle, arguments: Arguments) -> object:
        given = msgspec.convert(dict(arguments), document)
        rest = {each: getattr(given, each) for each in arguments if each not in part.named_by}
        call: Callable[..., object] = getattr(part.reach(cluster, arguments), attribute)
        return call(**rest)

    return Action(
        name, _first_sentence(method), document, perform, method.__qualname__, part.named_by
    )


def _fields_of(method: Callable[..., object]) -> Iterator[tuple[Any, ...]]:
    """Yield the fields for the parameters of a method: name, type, and the default if any."""
    for parameter in list(signature(method).parameters.values())[1:]:
        hint = _written(parameter.annotation)
        if parameter.default is Parameter.empty:
            yield parameter.name, hint
        else:
            yield parameter.name, hint, parameter.default


def _written(hint: Any) -> Any:
    """Return the type of a parameter as files have it: without objects of Python."""
    if isinstance(hint, str):
        return Any
    if get_origin(hint) in {Union, UnionType}:
        members = [str if each is bytes else each for each in get_args(hint)]
        kept = [each for each in members if get_origin(each) is Literal or _is_written(each)]
        hint = Union[tuple(kept)] if kept else Any  # noqa: UP007 - members of a list
    elif hint is bytes:
        hint = str
    try:
        msgspec.json.schema(hint)
    except (TypeError, NameError):
        return Any
    return hint


def _is_written(hint: Any) -> bool:
    return hint in {str, int, float, bool, NoneType} or get_origin(hint) is not None


def _plain(value: Any) -> Any:
    """Return a value in the form for files.

    Raises:
        ValueError: it is bytes that are no text.

    """
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8")
    if isinstance(value, datetime):
        return moment_ms(value)
    if isinstance(value, timedelta):
        return duration_text(milliseconds(value))
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in cast("Arguments", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("list[object]", value)]
    return msgspec.to_builtins(value)


def _first_sentence(method: Callable[..., object]) -> str:
    return (method.__doc__ or "").strip().splitlines()[0].rstrip(".:")


# Faults


class FaultName(Document):
    """A fault, by its id."""

    fault: str


def _put_fault(cluster: ClusterHandle, arguments: Arguments) -> object:
    document = msgspec.convert(dict(arguments), FaultDocument)
    for each in cluster.faults:
        if each.name == document.id:
            each.remove()
    return make_fault(cluster, document)


def _fault_of(cluster: ClusterHandle, arguments: Arguments) -> Fault:
    faults = {each.name: each for each in cluster.faults}
    name = arguments["fault"]
    if name not in faults:
        raise LookupError(f"there is no fault {name!r}")
    return faults[name]


_FAULTS: Final = (
    Action("fault", "Make a fault, or replace the one with its id", FaultDocument, _put_fault),
    Action(
        "fault.release",
        "Release the calls that a fault holds",
        FaultName,
        lambda cluster, arguments: _fault_of(cluster, arguments).release(),
    ),
    Action(
        "fault.remove",
        "Remove a fault, and release the calls that it holds",
        FaultName,
        lambda cluster, arguments: _fault_of(cluster, arguments).remove(),
    ),
)
