"""A fault as a test makes it: its selectors, effect, trigger and counters.

    cluster.fault(API.PRODUCE, topic="orders").lose_response().once()

A fault starts with its effect, and fires once unless it has another trigger.
"""

import warnings
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature, signature
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, cast

from mockbroker.events import logging
from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.answer import Answer, ApplyThenAnswer
from mockbroker.faults.effects.corrupt import Corrupt
from mockbroker.faults.effects.delay import Delay
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.duplicate import Duplicate
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.effects.observe import Observe
from mockbroker.faults.effects.throttle import Throttle
from mockbroker.faults.fault_plan import MILLISECONDS
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.fault_summary import fields_of, html_table, line_of
from mockbroker.faults.kinds import verbs
from mockbroker.faults.network.bandwidth import Bandwidth
from mockbroker.faults.network.latency import Latency
from mockbroker.faults.network.limit_data import LimitData
from mockbroker.faults.network.reset_peer import ResetPeer
from mockbroker.faults.network.slicer import Slicer
from mockbroker.faults.network.slow_close import SlowClose
from mockbroker.faults.network.timeout import Timeout
from mockbroker.faults.network.toxic import Toxic
from mockbroker.faults.tagged import near_kinds, warn_of_numbers
from mockbroker.faults.trigger import EveryTime, OnCall, Once, Times, Trigger, WithProbability
from mockbroker.faults.unsent_error import MockbrokerWarning
from mockbroker.protocol.errors import ErrorCode
from mockbroker.server.event_loop import check_may_wait
from mockbroker.settings.duration import (
    DEFAULT_TIMEOUT,
    Duration,
    duration_text,
    milliseconds,
    with_unit,
)
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    import asyncio

P = ParamSpec("P")
T = TypeVar("T")
Part = Effect | Toxic | Trigger


class Control(Protocol):
    """Runs work on the event loop that owns the cluster's state."""

    @property
    def loop(self) -> "asyncio.AbstractEventLoop":
        """The event loop."""
        ...

    def change(self, work: Callable[[ClusterState, int], T]) -> T:
        """Run work that changes the state or the faults."""
        ...

    def add_wait(self, give_up: Callable[[Exception], None]) -> None:
        """Call `give_up` with the reason when the cluster stops or is reset, if that is first."""
        ...

    def remove_wait(self, give_up: Callable[[Exception], None]) -> None:
        """Forget a wait that has ended."""
        ...


def verb(kind: Callable[P, Part]) -> "Callable[Concatenate[Fault, P], Fault]":
    """Return the method of `Fault` that sets an effect, a toxic or a trigger of a kind."""

    def choose(fault: "Fault", /, *args: P.args, **fields: P.kwargs) -> "Fault":
        warn_of_numbers(cast("type[Part]", kind), args, fields)
        return fault.with_part(kind(*args, **fields), stacklevel=3)

    choose.__doc__ = kind.__doc__
    choose.__name__ = cast("type[Part]", kind).NAME
    choose.__qualname__ = f"Fault.{choose.__name__}"
    fault = Parameter("self", Parameter.POSITIONAL_ONLY)
    fields = signature(kind).parameters.values()
    choose.__signature__ = Signature([fault, *fields])  # type: ignore[attr-defined]
    return choose


class Fault:
    """One fault of a cluster. Its methods may be called from any thread.

    Each effect, toxic and trigger is a method, with the fields of its class as arguments. They are
    listed below for editors and type checkers; a class that is not listed is a method all the same.
    """

    def __init__(self, control: Control, state: FaultState) -> None:
        """Create the handle of a fault."""
        self._control = control
        self.state = state

    answer = verb(Answer)
    apply_then_answer = verb(ApplyThenAnswer)
    lose_response = verb(LoseResponse)
    drop_request = verb(DropRequest)
    hold = verb(Hold)
    hold_response = verb(HoldResponse)
    delay = verb(Delay)
    throttle = verb(Throttle)
    duplicate = verb(Duplicate)
    corrupt = verb(Corrupt)
    observe = verb(Observe)

    latency = verb(Latency)
    bandwidth = verb(Bandwidth)
    slow_close = verb(SlowClose)
    timeout = verb(Timeout)
    reset_peer = verb(ResetPeer)
    slicer = verb(Slicer)
    limit_data = verb(LimitData)

    once = verb(Once)
    times = verb(Times)
    on_call = verb(OnCall)
    every_time = verb(EveryTime)
    with_probability = verb(WithProbability)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the method of a kind that is not listed above."""
            kinds = verbs()
            if name not in kinds:
                near = near_kinds(name, kinds)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(kinds)}"
                raise AttributeError(f"faults have no {name!r}; {hint}")
            return verb(kinds[name]).__get__(self)

    def with_part(self, part: Part, *, stacklevel: int = 2) -> Self:
        """Set the effect, the toxic or the trigger of the fault.

        Raises:
            RuntimeError: the cluster is not running.
            ValueError: the fault has one already, an API of it has no place for the effect, or a
                selector chooses calls and the toxic is about connections.

        """

        def begin(_cluster: ClusterState, _now_ms: int) -> None:
            state = self.state
            if isinstance(part, Trigger):
                self._check_trigger(part)
                state.trigger, state.has_own_trigger = part, True
            elif isinstance(part, Toxic):
                self._check_toxic(part)
                self._follow(part.usual_trigger, is_chosen=part.has_toxicity)
                state.toxic = part.without_toxicity()
            else:
                self._check_effect(part)
                self._follow(part.usual_trigger, is_chosen=False)
                state.effect = part
            state.plan.fault_changed(state)
            if isinstance(part, Effect) and state.warning is not None:
                logging.warning("error_never_sent", rule=state.name, why=state.warning)

        self._control.change(begin)
        if isinstance(part, Effect) and self.state.warning is not None:
            warnings.warn(self.state.warning, MockbrokerWarning, stacklevel=stacklevel)
        return self

    def _check_trigger(self, trigger: Trigger) -> None:
        if self.state.has_own_trigger:
            raise ValueError(
                f"{self.name} already has {self.state.trigger}, which {trigger} would replace: a"
                " fault has one trigger; make another fault for the other"
            )

    def _check_toxic(self, toxic: Toxic) -> None:
        self._check_is_first(toxic)
        self.state.selectors.check_of_connections()
        if toxic.has_toxicity:
            self._check_trigger(toxic.usual_trigger)

    def _check_effect(self, effect: Effect) -> None:
        self._check_is_first(effect)
        state = self.state
        for api in state.selectors.apis:
            effect.check(api, state.plan.versions_of(api, state.selectors))

    def _check_is_first(self, part: Effect | Toxic) -> None:
        if self.state.does is not None:
            raise ValueError(
                f"{self.name} already has {self.state.does}, which {part} would replace: a fault"
                " has one effect; make another fault with the same selectors for the other"
            )

    def _follow(self, usual: Trigger | None, *, is_chosen: bool) -> None:
        """Use the trigger that follows from an effect, unless one was chosen before."""
        if usual is not None and not self.state.has_own_trigger:
            self.state.trigger, self.state.has_own_trigger = usual, is_chosen

    def __eq__(self, other: object) -> bool:
        """Return whether this is a handle of the same fault."""
        return isinstance(other, Fault) and other.state is self.state

    def __hash__(self) -> int:
        """Return the hash of the fault's identity."""
        return hash(id(self.state))

    def __repr__(self) -> str:
        """Write the fault as Python makes it, with its state and its counters."""
        return f"<Fault {line_of(self.state)}>"

    def __rich_repr__(self) -> Iterator[tuple[str, object]]:
        """Yield the fields, as the library rich shows them."""
        yield from fields_of(self.state).items()

    def _repr_html_(self) -> str:
        """Show the fault as a table in a notebook."""
        return html_table([self.state])

    @property
    def name(self) -> str:
        """The name of the fault."""
        return self.state.name

    @property
    def calls(self) -> int:
        """Number of calls that matched the fault."""
        return self.state.calls

    @property
    def hits(self) -> int:
        """Number of calls at which the fault fired."""
        return self.state.hits

    @property
    def touched_bytes(self) -> int:
        """Number of bytes of connections that its toxic affected."""
        return self.state.touched_bytes

    @property
    def held(self) -> int:
        """Number of calls that it holds now."""
        return len(self.state.held)

    @property
    def released(self) -> int:
        """Number of calls that it has held and released."""
        return self.state.released

    @property
    def last_error(self) -> ErrorCode | None:
        """The error in the response to the last held call; None before that was handled."""
        return self.state.last_error

    @property
    def error(self) -> ErrorCode | None:
        """The former name of `last_error`."""
        warnings.warn(
            "`error` of a fault is `last_error`; to answer with an error, write `answer(...)`",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.state.last_error

    def wait(self, hits: int = 1, timeout: Duration = DEFAULT_TIMEOUT) -> None:
        """Wait until the fault has fired a number of times.

        Raises:
            RuntimeError: called on the cluster's own loop, which would wait for itself; or the
                cluster stops or is reset meanwhile.
            TimeoutError: it has not; the text names the closest call.
            ValueError: the fault has no effect, or the timeout is no duration.

        """
        timeout = with_unit("wait(timeout={})", timeout, "s")
        self._await(lambda: self.state.hits >= hits, f"{hits} hits", timeout)

    def wait_held(self, count: int = 1, timeout: Duration = DEFAULT_TIMEOUT) -> None:
        """Wait until the fault has held a number of calls.

        Raises:
            RuntimeError, TimeoutError, ValueError: as `wait`.

        """
        timeout = with_unit("wait_held(timeout={})", timeout, "s")
        self._await(lambda: self.state.held_ever >= count, f"{count} held calls", timeout)

    def wait_released(self, count: int = 1, timeout: Duration = DEFAULT_TIMEOUT) -> None:
        """Wait until a number of held calls have been released.

        Raises:
            RuntimeError, TimeoutError, ValueError: as `wait`.

        """
        timeout = with_unit("wait_released(timeout={})", timeout, "s")
        self._await(lambda: self.state.released >= count, f"{count} released calls", timeout)

    def _await(self, is_so: Callable[[], bool], what: str, timeout: Duration) -> None:
        check_may_wait(self._control.loop, "await cluster.aio.wait(fault)")
        if self.state.does is None:
            raise ValueError(f"{self.state} has no effect yet, and would never fire: choose one")
        timeout_ms = milliseconds(timeout)
        failures: list[Exception] = []

        def give_up(why: Exception) -> None:
            with self.state.changed:
                failures.append(why)
                self.state.changed.notify_all()

        self._control.add_wait(give_up)
        with self.state.changed:
            ended = self.state.changed.wait_for(
                lambda: failures or is_so(), timeout_ms / MILLISECONDS
            )
        self._control.remove_wait(give_up)
        if failures and not is_so():
            raise failures[0]
        if not ended:
            raise TimeoutError(f"no {what} within {duration_text(timeout_ms)}: {self.story()}")

    def story(self) -> str:
        """Describe the fault, its counters, and the closest call that did not match."""
        state = self.state
        if state.does is None:
            state.is_reported = True  # so that the end of the cluster does not repeat it
            return f"{state} has no effect: choose one, such as lose_response()"
        what = "call" if state.toxic is None else "connection"
        text = f"{state} matched {_counted(state.calls, what)}, fired {_times(state.hits)}"
        if isinstance(state.trigger, WithProbability):
            text += f" (random choices with seed {state.plan.seed})"
        if state.nearest is None or (state.hits and isinstance(state.trigger, Once)):
            return text if state.calls else f"{text}; there was no other {what}"
        miss, nearest = state.nearest
        return f"{text}; closest {what}: {nearest} ({miss})"

    def release(self) -> int:
        """Release the held calls, and return their number."""
        return self._control.change(lambda _cluster, _now_ms: self.state.plan.release(self.state))

    def remove(self) -> None:
        """Remove the fault, and release the calls that it holds."""
        self._control.change(lambda _cluster, _now_ms: self.state.plan.remove(self.state))

    def __enter__(self) -> Self:
        """Return the fault itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the fault."""
        self.remove()


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
