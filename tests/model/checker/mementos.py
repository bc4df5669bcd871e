"""Mementos: what an object graph was, to return to it as often as a search needs.

A memento keeps a shallow copy of each mutable object that a root reaches. Objects stay the same
ones, so that whoever refers to them is right after a return, and objects that appeared since then
are simply no longer reached. Nothing is copied by its own methods: compiled classes have none.
"""

from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import attrgetter, is_
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
    NoneType,
)
from typing import Any, Final
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

Saved = tuple[Any, Callable[[Any, Any], None], Any]
"""An object, how it is given its state, and that state: a sequence."""
Plan = Callable[[Any, list[Any], list[Saved]], None]
"""Saves one object, if it is mutable, and adds what it refers to."""


class Memento:
    """The state of everything that a root reaches."""

    __slots__ = ("_saved",)

    def __init__(self, root: object, known: dict[int, Saved] | None = None) -> None:
        """Remember the state that the graph has now.

        Mementos that are given the same dictionary share what is the same: most of it.
        """
        saved: list[Saved] = []
        seen: set[int] = set()
        to_visit: list[Any] = [root]
        while to_visit:
            each = to_visit.pop()
            plan = _PLANS.get(each.__class__, _MISSING)
            if plan is _MISSING:
                plan = _PLANS[each.__class__] = _plan_for(each.__class__)
            if plan is not None and id(each) not in seen:
                seen.add(id(each))
                plan(each, to_visit, saved)
        self._saved: Final = tuple(
            saved if known is None else [_shared(each, known) for each in saved]
        )

    def bring_back(self) -> None:
        """Give each object the state that it had."""
        for each, give, state in self._saved:
            give(each, state)

    def states(self) -> Iterator[object]:
        """Yield what was kept of each object."""
        return iter(self._saved)


def _shared(saved: Saved, known: dict[int, Saved]) -> Saved:
    """Return what was saved of an object before, if it is the same."""
    before = known.get(id(saved[0]))
    if (
        before is not None
        and len(before[2]) == len(saved[2])
        and all(map(is_, before[2], saved[2]))
    ):
        return before
    known[id(saved[0])] = saved
    return saved


def _plan_for(kind: type[Any]) -> Plan | None:
    if issubclass(kind, _NEVER_CHANGES):
        return None
    for base, plan in _BY_BASE.items():
        if issubclass(kind, base):
            return plan
    return _plan_of_attributes(_names_of(kind))


def _names_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the attributes that have a place of their own in the objects of a class."""
    names: dict[str, None] = {}
    for each in kind.__mro__:
        slots = each.__dict__.get("__slots__", ())
        names |= dict.fromkeys((slots,) if isinstance(slots, str) else slots)
        names |= dict.fromkeys(each.__dict__.get("__mypyc_attrs__", ()))
    return tuple(name for name in names if name not in {"__dict__", "__weakref__"})


def _plan_of_attributes(names: tuple[str, ...]) -> Plan:
    count = len(names)
    values_of = _getter(names)

    def plan(each: Any, to_visit: list[Any], saved: list[Saved]) -> None:
        values = values_of(each)
        to_visit += values
        own = getattr(each, "__dict__", None)
        if own:
            to_visit += own.values()
            values = (*values, *own, *own.values())
        saved.append((each, give, values))

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

    return plan


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


def _plan_mapping(each: Any, to_visit: list[Any], saved: list[Saved]) -> None:
    values = each.values()
    saved.append((each, _give_mapping, (*each, *values)))
    to_visit += values  # keys are hashed, and so never change


def _give_mapping(each: Any, state: tuple[Any, ...]) -> None:
    count = len(state) // 2
    if len(each) != count or not all(map(is_, (*each, *each.values()), state)):
        each.clear()
        each.update(zip(state[:count], state[count:], strict=True))


def _plan_sequence(each: Any, to_visit: list[Any], saved: list[Saved]) -> None:
    saved.append((each, _give_sequence, tuple(each)))
    to_visit += each


def _give_sequence(each: Any, state: tuple[Any, ...]) -> None:
    if len(each) != len(state) or not all(map(is_, each, state)):
        each.clear()
        each.extend(state)


def _plan_set(each: Any, to_visit: list[Any], saved: list[Saved]) -> None:
    saved.append((each, _give_set, tuple(each)))
    to_visit += each


def _give_set(each: Any, state: tuple[Any, ...]) -> None:
    each.clear()
    each.update(state)


def _plan_numbers(each: Any, _to_visit: list[Any], saved: list[Saved]) -> None:
    saved.append((each, _give_numbers, each[:]))


def _give_numbers(each: Any, state: Any) -> None:
    each[:] = state


def _plan_tuple(each: Any, to_visit: list[Any], _saved: list[Saved]) -> None:
    to_visit += each


def _plan_method(each: Any, to_visit: list[Any], _saved: list[Saved]) -> None:
    to_visit.append(each.__self__)


def _plan_partial(each: Any, to_visit: list[Any], _saved: list[Saved]) -> None:
    to_visit += [each.func, *each.args, *each.keywords.values()]


_BY_BASE: Final[Mapping[type, Plan]] = {
    OrderedDict: _plan_mapping,
    dict: _plan_mapping,
    list: _plan_sequence,
    deque: _plan_sequence,
    set: _plan_set,
    array: _plan_numbers,
    bytearray: _plan_numbers,
    tuple: _plan_tuple,
    MethodType: _plan_method,
    partial: _plan_partial,
}
_PLANS: Final[dict[type, Any]] = {}
"""The plan of each type that was met; None for one whose values never change."""
