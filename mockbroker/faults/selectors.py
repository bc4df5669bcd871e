"""Which calls a rule is about: everything it names has to fit, and what it does not name fits any.

A selector that a call does not carry never fits: a rule for a topic is not about a Heartbeat.
"""

from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from typing import Final, NamedTuple, cast

from mockbroker.faults.call_facts import CallFacts
from mockbroker.faults.request_items import Item
from mockbroker.protocol.api_keys import ApiKey

When = Callable[[CallFacts], bool]
"""A predicate of a test's own."""

OF_CALL: Final = ("api", "version", "broker", "connection", "client_id")
OF_CONNECTION: Final = ("broker", "connection", "client_id")
OF_ITEM: Final = (
    "topic",
    "partition",
    "transactional_id",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "group",
)
NAMES: Final = (*OF_CALL, *OF_ITEM)
"""All selectors, by the names that users give them."""


class NearMiss(NamedTuple):
    """How close a call came to a rule that was not about it."""

    fitted: int
    selector: str
    wanted: object
    found: object

    def __str__(self) -> str:
        """Say which selector did not fit."""
        return f"{self.selector} was {_shown(self.found)}, the rule wants {_shown(self.wanted)}"


class Selectors:
    """What a rule names of the calls that it is about."""

    __slots__ = ("_of_call", "_of_item", "_when")

    def __init__(self, wanted: Mapping[str, object], when: When | None = None) -> None:
        """Take values by selectors; None is not given, a collection means any of its values.

        `client_id` and names may hold the wildcards `*` and `?`.

        Raises:
            ValueError: a name is no selector.

        """
        unknown = sorted(set(wanted) - set(NAMES))
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: no selector; there are {', '.join(NAMES)}")
        self._of_call = {k: wanted[k] for k in OF_CALL if wanted.get(k) is not None}
        self._of_item = {k: wanted[k] for k in OF_ITEM if wanted.get(k) is not None}
        self._when = when

    @property
    def apis(self) -> tuple[ApiKey, ...]:
        """The APIs that are asked for; none for all."""
        asked = self._of_call.get("api", ())
        many = (asked,) if isinstance(asked, ApiKey) else cast("Collection[ApiKey]", asked)
        return tuple(many)

    @property
    def wanted(self) -> Mapping[str, object]:
        """What is asked for, by the selectors' names."""
        return {**self._of_call, **self._of_item}

    @property
    def has_predicate(self) -> bool:
        """Whether a predicate of a test's own is asked as well."""
        return self._when is not None

    @property
    def names_items(self) -> bool:
        """Whether only some items of a request may be meant."""
        return bool(self._of_item)

    def chosen(self, facts: CallFacts) -> list[Item] | NearMiss:
        """Give the items of a call that fit, or say how closely it did not."""
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

    def check_of_connections(self) -> None:
        """Check that nothing is asked for that a connection does not have.

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
        """Say how closely a connection did not fit, if it does not."""
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
        """Write the selectors as a rule is made with them."""
        texts = [f"{k}={_shown(v)}" for k, v in (self._of_call | self._of_item).items()]
        if self._when is not None:
            texts.append("when=…")
        return ", ".join(texts)


def fits(wanted: object, found: object) -> bool:
    """Tell whether a value is what is wanted, or one of it; texts may hold wildcards."""
    if found is None:
        return False
    if isinstance(wanted, str):
        # Only these are wildcards: names may hold brackets.
        return isinstance(found, str) and fnmatchcase(found, wanted.replace("[", "[[]"))
    if isinstance(wanted, Collection):
        return any(fits(each, found) for each in cast("Collection[object]", wanted))
    return wanted == found


def _shown(value: object) -> str:
    if isinstance(value, ApiKey):
        return value.title
    return repr(value)
