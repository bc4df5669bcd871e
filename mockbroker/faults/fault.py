"""A fault as a test makes it: what it is about, what happens, how often, and what has happened.

    cluster.fault(API.PRODUCE, topic="orders").lose_response().once()

A fault begins with its effect, and strikes once unless it is told otherwise.
"""

import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias

from mockbroker.control.cluster_control import ClusterControl
from mockbroker.events import logging
from mockbroker.faults.conditions import Event
from mockbroker.faults.corrupt import Corrupt
from mockbroker.faults.duplicate import Duplicate
from mockbroker.faults.effects import (
    AnswerError,
    DropRequest,
    Effect,
    LoseResponse,
    Observe,
    Throttle,
)
from mockbroker.faults.hold import Hold, HoldResponse, Until
from mockbroker.faults.network.toxics import Toxic
from mockbroker.faults.rule import Rule
from mockbroker.faults.toxic_verbs import ToxicVerbs
from mockbroker.faults.trigger import OnCall, Times, Trigger, WithProbability
from mockbroker.faults.unsent_error import MockbrokerWarning
from mockbroker.protocol.errors import ErrorCode
from mockbroker.server.event_loop import is_running_on
from mockbroker.settings.duration import milliseconds
from mockbroker.state.cluster_state import ClusterState

How: TypeAlias = Literal["disconnect", "silence"]
"""How an answer that does not come looks: the connection is closed, or nothing happens on it."""

DEFAULT_TIMEOUT_S: Final = 5.0


class Fault(ToxicVerbs):
    """One rule of a cluster. Its methods may be called from any thread."""

    def __init__(self, control: ClusterControl, rule: Rule) -> None:
        """Handle a rule."""
        self._control = control
        self.rule = rule

    def __repr__(self) -> str:
        """Write the rule as it is made."""
        return f"<Fault {self.rule}, {self.hits} hits>"

    # Effects

    def answer(self, error: ErrorCode | str | int, *, top_level: bool = False) -> Self:
        """Answer with an error; nothing is applied.

        Only what the fault is about is refused: the other partitions of the request are handled.
        With `top_level` the whole answer is the error. An error that no Kafka broker sends there is
        accepted with a `MockbrokerWarning`.

        Raises:
            ValueError: there is no such error, or answers of the API have no field for it there.

        """
        return self._with(AnswerError(error_code(error), applies=False, top_level=top_level))

    def apply_then_answer(self, error: ErrorCode | str | int, *, top_level: bool = False) -> Self:
        """Answer with an error though the request was applied.

        Raises:
            ValueError: as `answer`.

        """
        return self._with(AnswerError(error_code(error), applies=True, top_level=top_level))

    def lose_response(self, how: How = "disconnect") -> Self:
        """Apply the request; its answer never comes."""
        return self._with(LoseResponse(hang_up=_hangs_up(how)))

    def drop_request(self, how: How = "disconnect") -> Self:
        """Lose the request: nothing is applied, and no answer comes."""
        return self._with(DropRequest(hang_up=_hangs_up(how)))

    def hold(
        self, until: Event | str | int | None = None, *, block_connection: bool = True
    ) -> Self:
        """Keep the request until something happens (`mockbroker.at`), for a time, or for good.

        It is applied when it is released, even if its connection is gone by then. The connection
        serves nothing else meanwhile, unless `block_connection` is False: then the held request is
        never answered.
        """
        return self._with(Hold(_until(until), blocks_connection=block_connection))

    def hold_response(self, until: Event | str | int | None = None) -> Self:
        """Apply the request, and keep its answer until something happens, or for a time."""
        return self._with(HoldResponse(_until(until)))

    def delay(self, by: str | int) -> Self:
        """Apply the request, and answer so much later: `250ms`, or a number of milliseconds."""
        return self._with(HoldResponse(milliseconds(by), name="delay"))

    def throttle(self, by: str | int) -> Self:
        """Apply the request, and tell the client in the answer that it was throttled.

        Raises:
            ValueError: answers of the API have no throttle time.

        """
        return self._with(Throttle(milliseconds(by)))

    def duplicate(self) -> Self:
        """Apply the request twice; the client gets the first answer."""
        return self._with(Duplicate())

    def corrupt(self) -> Self:
        """Spoil a byte of the records: those of a Produce before they arrive, of a Fetch after.

        Raises:
            ValueError: the fault is about other APIs.

        """
        return self._with(Corrupt())

    def observe(self) -> Self:
        """Change nothing, every time: for `hits` and `wait`."""
        return self._with(Observe()).every_time()

    # Triggers

    def once(self) -> Self:
        """Strike at the first call."""
        return self._when(Times(1))

    def times(self, count: int) -> Self:
        """Strike at the first `count` calls."""
        return self._when(Times(count))

    def on_call(self, number: int) -> Self:
        """Strike at one call: `on_call(2)` at the second."""
        return self._when(OnCall(number))

    def every_time(self) -> Self:
        """Strike at every call."""
        return self._when(Times(None))

    def with_probability(self, probability: float) -> Self:
        """Strike at each call with a probability, by lots from the cluster's seed."""
        return self._when(WithProbability(probability))

    # What has happened

    @property
    def calls(self) -> int:
        """How many calls the fault was about."""
        return self.rule.calls

    @property
    def hits(self) -> int:
        """How many calls it struck."""
        return self.rule.hits

    @property
    def touched_bytes(self) -> int:
        """How many bytes of connections it did something to, where it is about those."""
        return self.rule.touched_bytes

    @property
    def held(self) -> int:
        """How many calls it holds now."""
        return len(self.rule.held)

    @property
    def released(self) -> int:
        """How many calls it held and does not any more."""
        return self.rule.released

    @property
    def error(self) -> ErrorCode | None:
        """What the last call that was held was answered; None before it was handled."""
        return self.rule.last_error

    def wait(self, hits: int = 1, timeout: float = DEFAULT_TIMEOUT_S) -> None:
        """Wait until the fault has struck so often.

        Raises:
            RuntimeError: asked for on the cluster's own loop, which would wait for itself.
            TimeoutError: it has not; the text names the nearest miss.

        """
        self._await(lambda: self.rule.hits >= hits, f"{hits} hits", timeout)

    def wait_held(self, count: int = 1, timeout: float = DEFAULT_TIMEOUT_S) -> None:
        """Wait until the fault has held so many calls.

        Raises:
            RuntimeError, TimeoutError: as `wait`.

        """
        self._await(lambda: self.rule.held_ever >= count, f"{count} held calls", timeout)

    def wait_released(self, count: int = 1, timeout: float = DEFAULT_TIMEOUT_S) -> None:
        """Wait until so many calls that were held have been released.

        Raises:
            RuntimeError, TimeoutError: as `wait`.

        """
        self._await(lambda: self.rule.released >= count, f"{count} released calls", timeout)

    def _await(self, is_so: Callable[[], bool], what: str, timeout: float) -> None:
        if is_running_on(self._control.loop):
            raise RuntimeError("this would wait for the loop that it runs on: await it elsewhere")
        deadline = time.monotonic() + timeout
        with self.rule.changed:
            while not is_so():
                left = deadline - time.monotonic()
                if left <= 0 or not self.rule.changed.wait(left):
                    raise TimeoutError(f"no {what} within {timeout} s: {self.story()}")

    def story(self) -> str:
        """Tell what the fault was about, what has come of it, and what came nearest to it."""
        rule = self.rule
        what = "call" if rule.toxic is None else "connection"
        told = f"{rule} was about {rule.calls} {what}s and struck {rule.hits}"
        if isinstance(rule.trigger, WithProbability):
            told += f" by lots from seed {rule.plan.seed}"
        if rule.nearest is None:
            return told if rule.calls else f"{told}; no other {what} came"
        miss, nearest = rule.nearest
        return f"{told}; nearest was a {nearest}: {miss}"

    # The end of it

    def release(self) -> int:
        """Release what is held, and return how many calls that were."""
        return self._control.change(lambda _cluster, _now_ms: self.rule.plan.release(self.rule))

    def remove(self) -> None:
        """Forget the fault; what it holds is released."""
        self._control.change(lambda _cluster, _now_ms: self.rule.plan.remove(self.rule))

    def __enter__(self) -> Self:
        """Have the fault in force in a with statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove it."""
        self.remove()

    # Inside

    def _with(self, effect: Effect) -> Self:
        def begin(_cluster: ClusterState, _now_ms: int) -> None:
            self._check(effect)
            self.rule.effect, self.rule.toxic = effect, None
            self.rule.plan.rule_changed(self.rule)
            if self.rule.warning is not None:
                logging.warning("error_never_sent", rule=self.rule.name, why=self.rule.warning)

        self._control.change(begin)
        if self.rule.warning is not None:
            warnings.warn(self.rule.warning, MockbrokerWarning, stacklevel=3)
        return self

    def _with_toxic(self, toxic: Toxic, toxicity: float) -> Self:
        trigger = Times(None) if toxicity == 1 else WithProbability(toxicity)

        def begin(_cluster: ClusterState, _now_ms: int) -> None:
            self.rule.selectors.check_of_connections()
            self.rule.effect, self.rule.toxic, self.rule.trigger = None, toxic, trigger
            self.rule.plan.rule_changed(self.rule)

        self._control.change(begin)
        return self

    def _check(self, effect: Effect) -> None:
        for api in self.rule.selectors.apis:
            route = self.rule.plan.routes.get(api)
            if route is None:
                raise ValueError(f"{api.title} is not served by this cluster")
            effect.check(api, route.versions)

    def _when(self, trigger: Trigger) -> Self:
        def change(_cluster: ClusterState, _now_ms: int) -> None:
            self.rule.trigger = trigger
            self.rule.plan.rule_changed(self.rule)

        self._control.change(change)
        return self


def error_code(error: ErrorCode | str | int) -> ErrorCode:
    """Return an error code, given itself, its name or its number.

    Raises:
        ValueError: there is none.

    """
    if isinstance(error, str):
        found = ErrorCode.__members__.get(error)
        if found is None:
            raise ValueError(f"{error!r} is no error code of Kafka's")
        return found
    return ErrorCode(error)


def _hangs_up(how: How) -> bool:
    if how not in {"disconnect", "silence"}:
        raise ValueError(f"how={how!r}: allowed are disconnect and silence")
    return how == "disconnect"


def _until(until: Event | str | int | None) -> Until:
    return milliseconds(until) if isinstance(until, str | int) else until
