"""Run of a scenario on a cluster: its faults, its steps in a thread, and its expectations."""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from mockbroker.control.actions.event_watch import EventWatch
from mockbroker.control.cluster_control import ClusterControl
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem
from mockbroker.faults.conditions import FaultHits
from mockbroker.faults.documents.fault_document import FaultDocumentError, FaultHost, make_fault
from mockbroker.faults.fault import Fault
from mockbroker.protocol.errors import ApiError
from mockbroker.scenario.scenario import ActionStep, Expectation, Scenario, WaitStep
from mockbroker.settings.duration import duration_text
from mockbroker.state.cluster_state import ClusterState

T = TypeVar("T")

_FAILURES = (ApiError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What a control call raises where it cannot be done."""


class ControlFaults:
    """The faults of a cluster that may not have opened its ports yet."""

    def __init__(self, control: ClusterControl) -> None:
        """Take the control of the cluster."""
        self._control = control

    @property
    def faults(self) -> list[Fault]:
        """All faults."""
        return self._control.fault_plan.all_faults(self._control)

    def fault(self, *, name: str | None = None, **selectors: Any) -> Fault:
        """Begin a fault."""
        return self._control.fault_plan.new_fault(self._control, selectors, None, name)

    def look(self, work: Callable[[ClusterState, int], T]) -> T:
        """Run work on the cluster's event loop."""
        return self._control.read(work)


class ScenarioRun:
    """One run of a scenario. Its steps run in a thread, so that clients are served meanwhile."""

    def __init__(
        self,
        cluster: ClusterHandle,
        scenario: Scenario,
        on_failure: Callable[[ScenarioProblem], None] | None = None,
    ) -> None:
        """Take a cluster; `on_failure` is called in the thread of the steps if one fails."""
        self._cluster = cluster
        self._on_failure = on_failure
        self._scenario = scenario
        self._thread = threading.Thread(target=self._run, name="mockbroker-scenario", daemon=True)
        self._lock = threading.Lock()
        self._watch: EventWatch | None = None
        self._is_ending = False
        self.failure: ScenarioProblem | None = None
        """The step that failed; those after it are not run."""
        self.is_waiting_in_vain = False
        """True if that step waits for what has not occurred."""

    def make_faults(self, host: FaultHost | None = None) -> None:
        """Make the faults of the scenario, before clients connect.

        Raises:
            ScenarioError: the cluster refuses a fault.

        """
        for fault in self._scenario.faults:
            try:
                make_fault(host or self._cluster, fault.document)
            except FaultDocumentError as error:
                place = fault.source.place_of(error.path)
                raise ScenarioError([ScenarioProblem(place, error.why)]) from None

    def begin(self) -> None:
        """Start the steps."""
        if self._scenario.steps:
            self._thread.start()

    def finish(self) -> ScenarioProblem | None:
        """Run the steps that need not wait any more, and return the one that failed, if any.

        A step that waits for what has not occurred by now fails. This must not be called on the
        cluster's own loop, which the steps need.
        """
        with self._lock:
            self._is_ending = True
            if self._watch is not None:
                self._watch.stop()
        if self._thread.ident is not None:
            self._thread.join()
        return self.failure

    def failures(self) -> list[ScenarioProblem]:
        """Finish the steps, check the expectations, and return all that failed."""
        step = self.finish()
        return [*([] if step is None else [step]), *self.unmet_expectations()]

    def unmet_expectations(self) -> list[ScenarioProblem]:
        """Check the expectations, and return those that do not hold."""
        reasons = [(each, _why_unmet(self._cluster, each)) for each in self.expectations]
        return [ScenarioProblem(each.place, f"{each}: {why}") for each, why in reasons if why]

    @property
    def expectations(self) -> Sequence[Expectation]:
        """The expectations of the scenario."""
        return self._scenario.expectations

    @property
    def has_expectations(self) -> bool:
        """True if the file has `expect`, even if that is empty."""
        return self._scenario.source.member("expect") is not None

    def _run(self) -> None:
        for step in self._scenario.steps:
            try:
                self._take(step)
            except (*_FAILURES, TimeoutError) as error:
                why = str(error.args[0]) if isinstance(error, LookupError) else str(error)
                self.is_waiting_in_vain = isinstance(error, TimeoutError)
                self.failure = ScenarioProblem(_place_of(step, error), f"{step}: {why}")
                if self._on_failure is not None:
                    self._on_failure(self.failure)
                return

    def _take(self, step: ActionStep | WaitStep) -> None:
        if isinstance(step, ActionStep):
            step.action.perform(self._cluster, step.arguments)
        else:
            self._wait(step)

    def _wait(self, step: WaitStep) -> None:
        """Wait for an event.

        Raises:
            TimeoutError: it has not occurred in time, or by the end.

        """
        timeout_ms = step.timeout_ms
        watch = self._cluster.watch(step.event)
        with self._lock:
            self._watch = watch
            if self._is_ending:
                watch.stop()
        try:
            watch.wait(None if timeout_ms is None else timedelta(milliseconds=timeout_ms))
        except TimeoutError:
            is_late = timeout_ms is not None and not self._is_ending
            when = f"within {duration_text(timeout_ms or 0)}" if is_late else "by the end"
            raise TimeoutError(f"it did not occur {when}{self._story(step)}") from None
        finally:
            with self._lock:
                self._watch = None
            watch.stop()

    def _story(self, step: WaitStep) -> str:
        """Describe the fault that a step waits for."""
        name = step.event.name if isinstance(step.event, FaultHits) else None
        stories = [each.story() for each in self._cluster.faults if each.name == name]
        return f": {stories[0]}" if stories else ""


@contextmanager
def running(cluster: ClusterHandle, scenario: Scenario) -> Generator[ScenarioRun]:
    """Run a scenario on a cluster during a `with` block, and judge it at the end of the block.

    Raises:
        AssertionError: a step failed, or an expectation does not hold.
        ScenarioError: the cluster refuses a fault.

    """
    run = ScenarioRun(cluster, scenario)
    run.make_faults()
    run.begin()
    try:
        yield run
    except BaseException:
        run.finish()
        raise
    if failures := run.failures():
        raise AssertionError("\n".join(map(str, failures)))


def _place_of(step: ActionStep | WaitStep, error: BaseException) -> FilePlace:
    if isinstance(error, FaultDocumentError) and isinstance(step, ActionStep):
        return step.source.place_of(error.path)
    return step.place


def _why_unmet(cluster: ClusterHandle, expectation: Expectation) -> str | None:
    try:
        expectation.row.check(cluster, expectation.arguments)
    except AssertionError as error:
        return str(error)
    except (LookupError, RuntimeError, ValueError) as error:
        return str(error.args[0])
    return None
