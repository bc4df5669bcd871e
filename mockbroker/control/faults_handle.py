"""Handle of a cluster's faults: makes, lists and removes them, and reports useless ones."""

import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Unpack, cast, overload

from mockbroker.control.cluster_control import ClusterControl
from mockbroker.errors import stack_level_of_caller

if TYPE_CHECKING:
    from mockbroker.faults.fault import Fault
    from mockbroker.faults.selectors import SelectorArguments, When
    from mockbroker.settings.api_names import GivenApis

_IDLE: Final = (
    "without an effect a fault changes nothing: choose one, such as lose_response(), or observe()"
    " to count calls"
)
_SUMMARY: Final = "mockbroker.faults.fault_summary"
_WARNING: Final = "mockbroker.faults.unsent_error"
"""Loaded by name: most clusters have no faults, and few people print them."""


class FaultsHandle(Sequence["Fault"]):
    """All faults of a cluster that were made and not removed, the outermost first."""

    def __init__(self, control: ClusterControl) -> None:
        """Take the cluster's control."""
        self._control = control

    def add(
        self,
        api: "GivenApis | None" = None,
        *,
        when: "When | None" = None,
        name: str | None = None,
        **selectors: "Unpack[SelectorArguments]",
    ) -> "Fault":
        """Begin a fault: choose the calls that match, then what happens to them.

        An API is one of `API`, or its name. Selectors are `topic`, `partition`,
        `transactional_id`, `producer_id`, `producer_epoch`, `base_sequence`, `group`, `member_id`,
        `client_id`, `principal`, `listener`, `broker`, `connection` and `version`. All have to
        match, a collection matches by any of its values, and texts may contain the wildcards `*`
        and `?`. `when` is a predicate on the call. With `between_brokers=True`, the calls of
        brokers match instead of those of clients. The fault does nothing before an effect is
        chosen:

            cluster.fault("Produce", topic="orders").lose_response().once()

        Raises:
            ValueError: there is no such API or selector, calls of the API do not have it, or there
                is a fault of this name.

        """
        control = self._control
        plan = control.change(lambda _cluster, _now_ms: control.fault_plan)
        return plan.new_fault(control, {"api": api, **selectors}, when, name)

    def clear(self) -> None:
        """Remove all faults, and release the calls that they hold."""
        for fault in self:
            fault.remove()

    def assert_all_fired(self) -> None:
        """Check that every fault has an effect, and has fired.

        Raises:
            AssertionError: one has no effect, or has not fired; the text names the closest call.

        """
        idle = unreported_idle(self)
        unfired = [each.story() for each in self if each.state.does and not each.hits]
        lines = [f"{_IDLE}:", *idle] if idle else []
        lines += ["faults that never fired:", *unfired] if unfired else []
        if lines:
            raise AssertionError("\n".join(lines))

    def __len__(self) -> int:
        """Return the number of faults."""
        return len(self._all())

    def __iter__(self) -> "Iterator[Fault]":
        """Iterate over the faults that there are now; they may be removed meanwhile."""
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> "Fault": ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[Fault]": ...
    def __getitem__(self, index: int | slice) -> "Fault | Sequence[Fault]":
        """Return the fault at an index, or those of a slice."""
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        """Return whether another sequence has the same faults in the same order."""
        return isinstance(other, Sequence) and self._all() == list(cast("Sequence[object]", other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """List the faults with their states."""
        lines = [f"  {each!r}," for each in self]
        return "\n".join(["<Faults", *lines, ">"]) if lines else "<no faults>"

    def __rich_repr__(self) -> "Iterator[Fault]":
        """Yield the faults, as the library rich shows them."""
        yield from self

    def _repr_html_(self) -> str:
        """Show the faults as a table in a notebook."""
        html: str = import_module(_SUMMARY).html_table([each.state for each in self])
        return html

    def _all(self) -> "list[Fault]":
        control = self._control
        return control.fault_plan.all_faults(control) if control.has_fault_plan else []


def unreported_idle(faults: FaultsHandle) -> list[str]:
    """Return the faults without an effect, in Python's notation, that no one was told of yet."""
    idle = [each.state for each in faults if not each.state.does and not each.state.is_reported]
    for state in idle:
        state.is_reported = True
    return [str(state) for state in idle]


def warn_of_idle(idle: Sequence[str]) -> None:
    """Warn of faults without an effect, at the line that ends their cluster."""
    if idle:
        warnings.warn(
            "\n".join([f"{_IDLE}:", *idle]),
            import_module(_WARNING).MockbrokerWarning,
            stacklevel=stack_level_of_caller(),
        )
