"""Trial of a scenario: its cluster starts and gets its faults, so that both check them."""

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem, SettingsError
from mockbroker.protocol.errors import ApiError
from mockbroker.scenario.scenario import Scenario
from mockbroker.scenario.scenario_run import ControlFaults, ScenarioRun
from mockbroker.server.event_loop import LoopThread
from mockbroker.settings.settings import PYTHON, Given, Settings, resolve_settings


def try_scenario(scenario: Scenario) -> None:
    """Make the cluster of a scenario and its faults, without opening a port.

    Raises:
        ScenarioError: the cluster cannot be, or it refuses a fault.

    """
    settings = _settings(scenario)
    thread = LoopThread()
    try:
        running = thread.call(_made(settings, thread))
        ScenarioRun(ClusterHandle(running), scenario).make_faults(ControlFaults(running.control))
        running.control.close()
    except ApiError as error:
        place = scenario.source.place_of("$.cluster.topics")
        raise ScenarioError([ScenarioProblem(place, error.why or error.code.name)]) from None
    finally:
        thread.stop()


async def _made(settings: Settings, thread: LoopThread) -> RunningCluster:
    return RunningCluster(settings, thread.loop)


def _settings(scenario: Scenario) -> Settings:
    """Resolve the settings of the cluster.

    Raises:
        ScenarioError: one of them is invalid.

    """
    cluster = scenario.cluster
    try:
        return resolve_settings(
            Given(
                brokers=1 if cluster.brokers is None else cluster.brokers,
                release=cluster.kafka,
                topics=scenario.topic_texts(),
                scenario=scenario.configs(),
                features=[f"{name}={level}" for name, level in (cluster.features or {}).items()],
                proposals=cluster.proposals or (),
                tls=bool(cluster.tls),
                names=PYTHON,
            )
        )
    except SettingsError as error:
        why = f"{error.key}={error.value}: {error.why}"
        raise ScenarioError([ScenarioProblem(_place_of(scenario, error.key), why)]) from None


def _place_of(scenario: Scenario, key: str) -> FilePlace:
    """Return the place of a setting: of a config, or of a field of the cluster."""
    source = scenario.source
    cluster = source.member("cluster")
    configs = None if cluster is None else cluster.member("config")
    if configs is not None and (found := configs.member(key)) is not None:
        return found.place
    return source.place_of(f"$.cluster.{key.partition(' ')[0]}")
