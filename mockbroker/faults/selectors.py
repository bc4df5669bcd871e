"""Selectors of the calls and connections that match a fault.

Every given selector has to match; one that is not given matches any call. A selector without a
value in the call never matches: a fault with a topic does not match a Heartbeat. Calls between
brokers match only a fault with `between_brokers`, and those of clients only one without it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict, cast

import msgspec
from msgspec.structs import asdict

from mockbroker.broker.between_brokers.broker_call import FIRST_BETWEEN_BROKERS
from mockbroker.broker.request_items import Item
from mockbroker.broker.value_matching import fits
from mockbroker.errors import nearest_name, plain_name
from mockbroker.faults.call_facts import CallFacts
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.settings.api_names import GivenApis, apis_of

When = Callable[[CallFacts], bool]
"""A predicate of a test's own."""

Texts: TypeAlias = str | list[str] | None
"""One text, or any of several; texts may hold the wildcards `*` and `?`."""
Numbers: TypeAlias = int | list[int] | None
"""One number, or any of several."""


GivenTexts: TypeAlias = str | Collection[str] | None
GivenNumbers: TypeAlias = int | Collection[int] | None


class SelectorArguments(TypedDict, total=False):
    """Selectors of a fault in Python, beside its API: one value, or any of several."""

    version: GivenNumbers
    topic: GivenTexts
    partition: GivenNumbers
    transactional_id: GivenTexts
    producer_id: GivenNumbers
    producer_epoch: GivenNumbers
    base_sequence: GivenNumbers
    group: GivenTexts
    member_id: GivenTexts
    client_id: GivenTexts
    principal: GivenTexts
    listener: GivenTexts
    broker: GivenNumbers
    connection: GivenNumbers
    between_brokers: bool | None


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Selectors of a fault: a call must match all that are set; unset ones match anything."""

    api: Texts = None
    version: Numbers = None
    topic: Texts = None
    partition: Numbers = None
    transactional_id: Texts = None
    producer_id: Numbers = None
    producer_epoch: Numbers = None
    base_sequence: Numbers = None
    group: Texts = None
    member_id: Texts = None
    client_id: Texts = None
    principal: Texts = None
    listener: Texts = None
    broker: Numbers = None
    connection: Numbers = None
    between_brokers: bool | None = None

    def selectors(self) -> dict[str, Any]:
        """Return the given selectors, with APIs as their keys.

        Raises:
            ValueError: Kafka has no such API.

        """
        given = {name: value for name, value in asdict(self).items() if value is not None}
        if self.api is not None:
            given["api"] = apis_of(cast("GivenApis", self.api))
        return given


OF_CONNECTION: Final = ("broker", "connection", "client_id", "principal", "listener")
BETWEEN_BROKERS: Final = "between_brokers"
OF_CALL: Final = ("api", "version", *OF_CONNECTION, BETWEEN_BROKERS)
NAMES: Final = Match.__struct_fields__
"""All selectors, by the names that users give them."""
OF_ITEM: Final = tuple(name for name in NAMES if name not in OF_CALL)
_KINDS: Final[Mapping[str, type]] = {
    name: int if kind == Numbers else str
    for name, kind in Match.__annotations__.items()
    if name not in {"api", BETWEEN_BROKERS}
}
"""Kinds of the selectors' values."""


class SelectorError(ValueError):
    """A selector with which a fault would never match."""

    def __init__(self, selector: str, why: str) -> None:
        """Name the selector."""
        super().__init__(why)
        self.selector = selector


class NearMiss(NamedTuple):
    """The call that came closest to a fault without matching it."""

    fitted: int
    selector: str
    wanted: object
    found: object

    def __str__(self) -> str:
        """Format the selector that did not match."""
        return f"{self.selector} was {_shown(self.found)}, the fault wants {_shown(self.wanted)}"


class Selectors:
    """Selectors of a fault, in the form to apply to calls and connections."""

    __slots__ = ("_of_call", "_of_item", "_when", "are_between_brokers")

    def __init__(self, wanted: Mapping[str, object], when: When | None = None) -> None:
        """Take values by selector; None means not given, a collection means any of its values.

        APIs may be given by name. `client_id` and names may contain the wildcards `*` and `?`.

        Raises:
            ValueError: a name is no selector, a value can never match, or brokers do not call each
                other with an API.

        """
        for name in wanted:
            if name not in NAMES:
                near = nearest_name(name, {plain_name(each): each for each in NAMES})
                raise ValueError(f"unknown selector {name!r}{near}; there are {', '.join(NAMES)}")
        given = {**wanted, BETWEEN_BROKERS: wanted.get(BETWEEN_BROKERS) or None}
        if given.get("api") is not None:
            given["api"] = apis_of(cast("GivenApis", given["api"]))
        for name, kind in _KINDS.items():
            _check_values(name, given.get(name), kind)
        self._of_call = {k: given[k] for k in OF_CALL if given.get(k) is not None}
        self._of_item = {k: wanted[k] for k in OF_ITEM if wanted.get(k) is not None}
        self._when = when
        self.are_between_brokers: Final = BETWEEN_BROKERS in self._of_call
        """True if they choose among the calls between brokers, and not among those of clients."""
        if self.are_between_brokers:
            _check_brokers_call(self.apis)

    @property
    def apis(self) -> tuple[ApiKey, ...]:
        """The given APIs; empty for all."""
        asked = self._of_call.get("api", ())
        many = (asked,) if isinstance(asked, ApiKey) else cast("Collection[ApiKey]", asked)
        return tuple(many)

    @property
    def match(self) -> Match:
        """The given selectors, in the form for JSON."""
        given = {**self._of_call, **self._of_item}
        return msgspec.convert({name: _as_json(value) for name, value in given.items()}, Match)

    @property
    def has_predicate(self) -> bool:
        """True if there is a Python predicate, which has to be true as well."""
        return self._when is not None

    def chosen(self, facts: CallFacts) -> list[Item] | NearMiss:
        """Return the matching items of a call, or how close it came."""
        of_call = facts.of_call
        fitted = 0
        for name, wanted in self._of_call.items():
            if not fits(wanted, of_call[name]):
                return NearMiss(fitted, name, wanted, of_call[name])
            fitted += 1
        chosen: list[Item] = []
        closest: NearMiss | None = None
        for item in facts.items:
            miss = self._miss(item, fitted)
            if miss is None:
                chosen.append(item)
            elif closest is None or miss.fitted > closest.fitted:
                closest = miss
        if not chosen:
            return closest or NearMiss(fitted, "items", "any", None)
        if self._when is not None and not self._when(facts):
            return NearMiss(fitted + len(self._of_item), "when", True, False)
        return chosen

    def check_of_items(self, api: ApiKey, selectable: Collection[str]) -> None:
        """Check that items of an API's calls can have all given selectors.

        Raises:
            SelectorError: they cannot, so that no call would match.

        """
        absent = [name for name in self._of_item if name not in selectable]
        if absent:
            present = ", ".join(name for name in OF_ITEM if name in selectable) or "none of its own"
            raise SelectorError(
                absent[0],
                f"{', '.join(absent)}: calls of {api.title} do not have it, so that the fault would"
                f" never match; the selectors of {api.title} are {present}, and those of every call"
                f": version, {', '.join(OF_CONNECTION)}",
            )

    def check_of_call(self, name: str, present: Collection[int], where: str) -> None:
        """Check that calls can have a number that is selected, such as that of a broker.

        Raises:
            SelectorError: none of the numbers is present, so that no call would match.

        """
        wanted = self._of_call.get(name)
        if wanted is not None and not any(fits(wanted, each) for each in present):
            numbers = ", ".join(map(str, sorted(present)))
            why = f"{name}={_shown(wanted)} never matches: {where} {numbers}"
            raise SelectorError(name, why)

    def check_of_connections(self) -> None:
        """Check that all given selectors apply to connections.

        Raises:
            ValueError: something is.

        """
        asked = [name for name in (*self._of_call, *self._of_item) if name not in OF_CONNECTION]
        if self._when is not None:
            asked.append("when")
        if asked:
            raise ValueError(
                f"{', '.join(asked)}: bytes of connections are not chosen by it; "
                f"there are {', '.join(OF_CONNECTION)}"
            )

    def miss_of_connection(self, named: Mapping[str, object]) -> NearMiss | None:
        """Return how close a connection came, or None if it matches."""
        for fitted, (name, wanted) in enumerate(self._of_call.items()):
            if not fits(wanted, named[name]):
                return NearMiss(fitted, name, wanted, named[name])
        return None

    def _miss(self, item: Item, fitted: int) -> NearMiss | None:
        for name, wanted in self._of_item.items():
            found = item.named.get(name)
            if not fits(wanted, found):
                return NearMiss(fitted, name, wanted, found)
            fitted += 1
        return None

    def __str__(self) -> str:
        """Format the selectors as arguments of a fault."""
        texts = [f"{k}={_shown(v)}" for k, v in (self._of_call | self._of_item).items()]
        if self._when is not None:
            texts.append("when=…")
        return ", ".join(texts)


def _check_values(name: str, value: object, kind: type) -> None:
    if value is None or isinstance(value, kind):
        return
    what = "text" if kind is str else "a number"
    if isinstance(value, str | int) or not isinstance(value, Collection):
        why = f"{name}={value!r} never matches: a {name} is {what}; give one, or several"
        raise SelectorError(name, why)
    values = cast("Collection[object]", value)
    if not values:
        why = f"{name}={value!r} is an empty collection, which selects no call"
        raise SelectorError(name, why)
    wrong = [each for each in values if not isinstance(each, kind)]
    if wrong:
        why = f"{name}: {wrong[0]!r} never matches, because a {name} is {what}"
        raise SelectorError(name, why)


def _check_brokers_call(apis: Iterable[ApiKey]) -> None:
    others = [api.title for api in apis if api not in FIRST_BETWEEN_BROKERS]
    if others:
        served = ", ".join(api.title for api in FIRST_BETWEEN_BROKERS)
        why = f"brokers do not call each other with {', '.join(others)}, only: {served}"
        raise SelectorError("api", why)


def _as_json(value: object) -> object:
    if isinstance(value, ApiKey):
        return value.title
    if isinstance(value, list | tuple | set | frozenset):
        return sorted(_as_json(each) for each in value)  # type: ignore[type-var]
    return value


def _shown(value: object) -> str:
    if isinstance(value, ApiKey):
        return value.title
    if isinstance(value, list):
        return f"[{', '.join(_shown(each) for each in cast('list[object]', value))}]"
    return repr(value)
