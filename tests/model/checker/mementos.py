"""Mementos: what an object graph was, to return to it as often as a search needs.

A memento keeps a shallow copy of each mutable object that a root reaches. Objects stay the same
ones, so that whoever refers to them is right after a return, and objects that appeared since then
are simply no longer reached. Nothing is copied by its own methods: compiled classes have none.
"""

from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter, is_, itemgetter
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
    NoneType,
)
from typing import Any, Final, NamedTuple
from uuid import UUID

from mockbroker.broker.internal_records.log_records_codec import LogRecordsCodec
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.configuration_control import ConfigurationControlManager
from mockbroker.state.config.named_configs import ClientMetricsConfigs, GroupConfigs
from mockbroker.state.config.topic_config import TopicConfig
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.release.cluster_admin_options import FeatureUpdates
from mockbroker.state.release.options import Options
from mockbroker.state.replication.broker import Broker
from mockbroker.state.replication.log_dirs import LogDirs
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata

_NEVER_CHANGES: Final[tuple[type, ...]] = (
    *(int, float, str, bytes, range, frozenset, UUID, type, property, NoneType),
    *(FunctionType, BuiltinFunctionType, ModuleType, MappingProxyType),
    *(TopicPartition, TransactionMetadata, Broker, LogConfig, TopicConfig, Options),
    *(ConfigRepository, ConfigurationControlManager, FeatureUpdates, GroupConfigs),
    *(ClientMetricsConfigs, LogDirs, LogRecordsCodec),
)
"""Types whose values never change, and reach nothing that does, while no config is changed."""
_MISSING: Final = object()


class _Kind(NamedTuple):
    """How objects of a class are saved, and brought back."""

    state_of: Callable[[Any], Sequence[Any]]
    """Reads the state of an object: all that may change in it."""
    give: Callable[[Any, Any], None]
    """Gives an object such a state, if it has another one."""
    refers: bool = True
    """True if the state has references to other objects."""


class _Saved(NamedTuple):
    """What was saved of one object."""

    each: Any
    kind: _Kind
    state: Sequence[Any]
    reached: tuple[Any, ...]
    """The mutable objects to which it refers."""


Memento = Mapping[int, _Saved]
"""The state of everything that a root reaches, by the identities of objects."""


class Graph:
    """Everything that a root reaches."""

    def __init__(self, root: object) -> None:
        """Begin at a root, which stays the same object."""
        self._roots: Final = tuple(_mutable(root))
        self._known: Memento = {}
        """What was last saved or brought back."""

    def save(self) -> Memento:
        """Remember the state that the graph has now; it shares what has not changed since."""
        known, found = self._known.get, dict[int, _Saved]()
        to_visit = list(self._roots)
        while to_visit:
            each = to_visit.pop()
            identity = id(each)
            if identity in found:
                continue
            saved = known(identity)
            if saved is None:
                saved = _saved(each)
            else:
                _, kind, before, _ = saved
                state = kind.state_of(each)
                if len(state) != len(before) or not all(map(is_, state, before)):
                    saved = _saved_again(saved, state)
            found[identity] = saved
            to_visit += saved.reached
        self._known = found
        return found

    def bring_back(self, memento: Memento, *, is_unchanged: bool = False) -> None:
        """Give each object the state that it had.

        It is quicker if `is_unchanged`: nothing has changed since `save` or `bring_back`.
        """
        known = self._known.get
        for identity, saved in memento.items():
            if not is_unchanged or known(identity) is not saved:
                each, kind, state, _ = saved
                kind.give(each, state)
        self._known = memento


def _saved(each: Any) -> _Saved:
    kind = _kind_of(each.__class__)
    assert kind is not None, each
    state = kind.state_of(each)
    return _Saved(each, kind, state, tuple(_reached(state)) if kind.refers else ())


def _saved_again(before: _Saved, state: Sequence[Any]) -> _Saved:
    """Return what is to be saved of an object that may have changed."""
    # Numbers of compiled classes have no identity.
    if len(state) == len(before.state) and all(
        now is old or (now.__class__ is int and now == old)
        for now, old in zip(state, before.state, strict=True)
    ):
        return before
    reached = tuple(_reached(state)) if before.kind.refers else ()
    return before._replace(state=state, reached=reached)


def _reached(values: Iterable[Any]) -> Iterator[Any]:
    for each in values:
        yield from _mutable(each)


def _mutable(each: Any) -> Iterator[Any]:
    """Yield an object if it is mutable, or the mutable ones that it holds as long as it exists."""
    if isinstance(each, tuple):
        if not isinstance(each, _NEVER_CHANGES):
            yield from _reached(each)
    elif isinstance(each, MethodType):
        yield from _mutable(each.__self__)
    elif isinstance(each, partial):
        yield from _reached((each.func, *each.args, *each.keywords.values()))
    elif _kind_of(each.__class__) is not None:
        yield each


def _kind_of(kind: type[Any]) -> _Kind | None:
    """Return how objects of a class are saved; None if they never change."""
    found = _KINDS.get(kind, _MISSING)
    if found is _MISSING:
        found = _KINDS[kind] = _new_kind(kind)
    return found  # type: ignore[no-any-return]


def _new_kind(kind: type[Any]) -> _Kind | None:
    if issubclass(kind, _NEVER_CHANGES):
        return None
    for base, of_base in _BY_BASE.items():
        if issubclass(kind, base):
            return of_base
    return _kind_with_attributes(_names_of(kind))


def _names_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the attributes that have a place of their own in the objects of a class."""
    names: dict[str, None] = {}
    for each in kind.__mro__:
        slots = each.__dict__.get("__slots__", ())
        names |= dict.fromkeys((slots,) if isinstance(slots, str) else slots)
        names |= dict.fromkeys(each.__dict__.get("__mypyc_attrs__", ()))
    return tuple(name for name in names if name not in {"__dict__", "__weakref__"})


def _kind_with_attributes(names: tuple[str, ...]) -> _Kind:
    count = len(names)
    values_of = _getter(names)

    def state_of(each: Any) -> Sequence[Any]:
        own = getattr(each, "__dict__", None)
        return (*values_of(each), *own, *own.values()) if own else values_of(each)

    def give(each: Any, state: tuple[Any, ...]) -> None:
        now = values_of(each)
        if not all(map(is_, now, state)):
            for name, value, before in zip(names, now, state, strict=False):
                # Attributes that are final cannot be set, and need not be.
                if value is not before:
                    setattr(each, name, before)
        own = getattr(each, "__dict__", None)
        if own or len(state) > count:
            _give_mapping(own, state[count:])

    return _Kind(state_of, give)


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads these attributes of an object; some of them may have no value."""
    together = attrgetter(*names) if len(names) > 1 else None

    def values_of(each: Any) -> tuple[Any, ...]:
        if together is not None:
            try:
                return together(each)
            except AttributeError:
                pass
        return tuple([getattr(each, name, _MISSING) for name in names])

    return values_of


def _state_of_mapping(each: Any) -> Sequence[Any]:
    return (*each, *each.values())


def _give_mapping(each: Any, state: tuple[Any, ...]) -> None:
    count = len(state) // 2
    if len(each) != count or not all(map(is_, (*each, *each.values()), state)):
        each.clear()
        each.update(zip(state[:count], state[count:], strict=True))


def _give_sequence(each: Any, state: tuple[Any, ...]) -> None:
    if len(each) != len(state) or not all(map(is_, each, state)):
        each.clear()
        each.extend(state)


def _give_set(each: Any, state: tuple[Any, ...]) -> None:
    each.clear()
    each.update(state)


def _give_numbers(each: Any, state: Any) -> None:
    each[:] = state


_MAPPING: Final = _Kind(_state_of_mapping, _give_mapping)
_SEQUENCE: Final = _Kind(tuple, _give_sequence)
_NUMBERS: Final = _Kind(itemgetter(slice(None)), _give_numbers, refers=False)
_BY_BASE: Final[Mapping[type, _Kind]] = {
    OrderedDict: _MAPPING,
    dict: _MAPPING,
    list: _SEQUENCE,
    deque: _SEQUENCE,
    set: _Kind(tuple, _give_set),
    array: _NUMBERS,
    bytearray: _NUMBERS,
}
_KINDS: Final[dict[type, Any]] = {}
"""How objects of each class that was met are saved; None for one whose values never change."""
