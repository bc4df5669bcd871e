"""Text, rich and notebook forms of handles: what a handle names, and its present state."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Final, NamedTuple, Protocol

from mockbroker.control.cluster_control import ClusterControl
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Partition

LOOK_S: Final = 1.0
"""Longest time that a form waits for the cluster's loop, which may be blocked."""
_STATE: Final = "state"
_FACTS_OF_LOG: Final = (
    "log_start_offset",
    "last_stable_offset",
    "high_watermark",
    "log_end_offset",
)

Facts = Mapping[str, object]


class ShownState(NamedTuple):
    """Content of all forms of a handle."""

    kind: str
    name: str
    facts: Facts
    """The present state by names; `state` alone if there is none, with the reason."""


class Displayed(Protocol):
    """A handle whose forms show the present state. They are computed when they are asked for."""

    @abstractmethod
    def _shown(self) -> ShownState:
        """Read what the forms show."""

    def __repr__(self) -> str:
        """Write the handle on one line."""
        shown = self._shown()
        facts = ", ".join(f"{name}={fact}" for name, fact in shown.facts.items())
        return f"<{shown.kind}{shown.name and f' {shown.name}'}: {facts}>"

    def __rich_repr__(self) -> Iterator[object]:
        """Yield the name, and the facts with their names (rich)."""
        shown = self._shown()
        if shown.name:
            yield shown.name
        yield from shown.facts.items()

    __rich_repr__.angular = True  # type: ignore[attr-defined]

    def _repr_html_(self) -> str:
        """Write the handle as a table for a notebook, with a picture if it has one."""
        shown, escape = self._shown(), import_module("html").escape
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(str(fact))}</td></tr>"
            for name, fact in shown.facts.items()
        )
        caption = f"{shown.kind} {shown.name}".strip()
        return f"<table><caption>{escape(caption)}</caption>{rows}</table>{self._picture()}"

    def _picture(self) -> str:
        """Return what a notebook shows below the table."""
        return ""


def facts_of(control: ClusterControl, read: Callable[[ClusterState, int], Facts]) -> Facts:
    """Read facts, or why there are none; this neither raises an error nor waits long."""
    try:
        return control.read(read, timeout_s=LOOK_S)
    except TimeoutError:
        return {_STATE: f"unknown: the cluster's event loop did not answer within {LOOK_S:g} s"}
    except (LookupError, RuntimeError) as error:
        return {_STATE: str(error)}


def drawn(control: ClusterControl, draw: Callable[[ClusterState, int], str]) -> str:
    """Draw the present state; empty if there is none, or if the cluster does not answer soon."""
    try:
        return control.read(draw, timeout_s=LOOK_S)
    except (LookupError, RuntimeError, TimeoutError):
        return ""


def stated(why: str) -> Facts:
    """Return facts that consist of a state only."""
    return {_STATE: why}


def partition_facts(partition: Partition) -> Facts:
    """Return the facts of a partition; this does not open the log of an unused one."""
    return {
        "leader": partition.leader_id,
        "leader_epoch": partition.leader_epoch,
        "replicas": list(partition.replicas),
        "in_sync_replicas": list(partition.in_sync_replicas),
        **{name: getattr(partition.log, name, 0) for name in _FACTS_OF_LOG},
    }
