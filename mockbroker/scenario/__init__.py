"""Scenarios: files with a cluster, faults, steps and expectations, to run and to record.

    scenario = read_scenario("lost-ack.yaml")
    with Cluster(**scenario.cluster_arguments()) as cluster, running(cluster, scenario):
        ...

`docs/how-to/write-a-scenario.md` describes the files.
"""

from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem
from mockbroker.scenario.reading import read_scenario
from mockbroker.scenario.recording import Recording, record
from mockbroker.scenario.scenario import Scenario
from mockbroker.scenario.scenario_run import ScenarioRun, running

__all__ = [
    "FilePlace",
    "Recording",
    "Scenario",
    "ScenarioError",
    "ScenarioProblem",
    "ScenarioRun",
    "read_scenario",
    "record",
    "running",
]
