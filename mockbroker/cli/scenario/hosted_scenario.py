"""Scenario of a cluster that `serve` or `run` hosts."""

from collections.abc import Callable

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import ScenarioProblem
from mockbroker.scenario.reading import read_scenario
from mockbroker.scenario.scenario_run import ControlFaults, ScenarioRun


def hosted_scenario(
    running: RunningCluster, file: str, on_failure: Callable[[ScenarioProblem], None] | None = None
) -> ScenarioRun:
    """Make the faults of a scenario in a cluster that has not opened its ports yet.

    `ScenarioRun.begin` starts the steps, once they are open.

    Raises:
        OSError: the file cannot be read.
        ScenarioError: the file is not valid, or the cluster refuses a fault.

    """
    run = ScenarioRun(ClusterHandle(running), read_scenario(file), on_failure)
    if run.expectations and not running.keeps_ledger:
        running.keep_ledger()
    run.make_faults(ControlFaults(running.control))
    return run
