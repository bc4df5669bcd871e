"""The pytest plugin, with fixtures for a fresh cluster in each test.

It imports only pytest and the standard library, so that test runs that do not use mockbroker start
as fast as before. The package `mockbroker` imports what fixtures use.

The options of a test's cluster come from these sources, in order of precedence: the marker
`@pytest.mark.mockbroker(...)`, the fixture `mockbroker_options`, the command line, the environment
(`MOCKBROKER_BROKERS`, `MOCKBROKER_KAFKA_VERSION`, `MOCKBROKER_SEED`), and the ini file. A marker,
and each of the last three, may list several releases: the test runs once on each of them.
"""

import os
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest

import mockbroker as package

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mockbroker.cluster import Cluster
    from mockbroker.control.cluster_options import ClusterOptions
    from mockbroker.scenario import Scenario, ScenarioRun

_MARKER = "mockbroker"
_ALLOW_UNFIRED = "allow_unfired"
_SCENARIO = "scenario"
_SCENARIOS = "mockbroker.scenario"
_EXPLORING: Final = "mockbroker.exploration.explored_test"
_OPTIONS: pytest.StashKey["ClusterOptions"] = pytest.StashKey()
"""Loaded by name for a test with a scenario."""
_KAFKA = "mockbroker_kafka"
_SESSION = "mockbroker_session"
_CLUSTERS: pytest.StashKey["list[Cluster]"] = pytest.StashKey()
"""Clusters of a test, for the failure report."""
_HAS_PASSED: pytest.StashKey[bool] = pytest.StashKey()
"""Whether the body of a test has passed."""
_SECTIONS: Final = "mockbroker.control.assertions.failure_sections"
_FRAMES: Final = "mockbroker.control.assertions.failure_frames"
_REPORT: Final = "mockbroker.control.assertions.failure_report"
"""These three are loaded by name when a test has failed."""
_NO_PARAMETERS: Final = (
    "{0} lists several releases, but pytest cannot run this test once on each: methods of"
    " unittest.TestCase, and tests that call request.getfixturevalue, get one release only"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command line options and the ini options."""
    group = parser.getgroup("mockbroker", "Kafka clusters for tests")
    group.addoption(
        "--mockbroker-brokers",
        type=int,
        metavar="N",
        help="number of brokers in the tests' clusters (default 1)",
    )
    group.addoption(
        "--mockbroker-kafka",
        metavar="RELEASES",
        help="release of Kafka that the clusters emulate, such as 3.9; tests run on each of several"
        " releases (2.8,3.9)",
    )
    group.addoption(
        "--mockbroker-seed",
        type=int,
        metavar="N",
        help="the seed of their ids and random choices (default 0)",
    )
    group.addoption(
        "--mockbroker-report",
        metavar="DIR",
        help="write an HTML page for each failed test, with pictures of its clusters",
    )
    parser.addini("mockbroker_brokers", "how many brokers the clusters of tests have")
    parser.addini("mockbroker_kafka", "the release of Kafka that they behave like, or several")
    parser.addini("mockbroker_seed", "the seed of their ids and random choices")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line(
        "markers",
        "mockbroker(brokers=…, kafka=…, topics=…, config=…, features=…, proposals=…, clock=…, "
        "journal=…, seed=…, allow_unfired=False, scenario=…): how the cluster of the fixture "
        "`mockbroker` is made; a scenario is a file beside that of the test",
    )
    explored = "mockbroker_explore(only=…, …): run the test under each fault, as `explore` does"
    config.addinivalue_line("markers", explored)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Explore a test with the marker, instead of calling it once."""
    marker = pyfuncitem.get_closest_marker("mockbroker_explore")
    if marker is None:
        return None
    pyfuncitem.stash[_CLUSTERS] = []  # that of the fixture is not used, and not shown
    import_module(_EXPLORING).explore_test(pyfuncitem, pyfuncitem.stash.get(_OPTIONS, None), marker)
    return True


@pytest.fixture
def mockbroker_options() -> "ClusterOptions | None":
    """Override it to return the `Options` of the clusters of a module or a directory."""
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once on each release that its marker lists, or else that the run lists."""
    fixtures = [name for name in (_KAFKA, _SESSION) if name in metafunc.fixturenames]
    marked = _nearest_kafka(metafunc.definition)
    releases: Collection[str] = _run_releases(metafunc.config)
    if _is_list(marked):
        if not marked:
            raise pytest.Collector.CollectError("@pytest.mark.mockbroker(kafka=[]): no release")
        fixtures = [name for name in fixtures if name == _KAFKA]
        releases = marked
    elif len(releases) < 2 or marked is not None:
        return
    if fixtures:
        rows = [(release,) * len(fixtures) for release in releases]
        ids = [f"kafka={release}" for release in releases]
        metafunc.parametrize(fixtures, rows, ids=ids, indirect=True)


@pytest.fixture
def mockbroker_kafka(
    request: pytest.FixtureRequest, mockbroker_options: "ClusterOptions | None"
) -> str:
    """Return the release of Kafka that the clusters of the test emulate."""
    release: str | None = getattr(request, "param", None)
    marked = _nearest_kafka(request.node)
    if isinstance(marked, str):
        return marked
    if _is_list(marked):
        return release or _fail(_NO_PARAMETERS.format("@pytest.mark.mockbroker(kafka=…)"))
    own: str | None = None if mockbroker_options is None else mockbroker_options.kafka
    scenario = _scenario(request, _marked(request))
    own = own if scenario is None else scenario.cluster.kafka or own
    if own is None:
        return release or _run_release(request.config)
    if release is not None and release != _run_releases(request.config)[0]:
        where = "mockbroker_options" if scenario is None else scenario.file
        pytest.skip(f"{where} gives it one release, {own}: it runs once")
    return own


@pytest.fixture
def make_mockbroker(
    request: pytest.FixtureRequest,
    mockbroker_options: "ClusterOptions | None",
    mockbroker_kafka: str,
) -> "Generator[Callable[..., Cluster]]":
    """Return a function that creates clusters, with the arguments of `Cluster`.

    They are stopped after the test, which fails if a fault of theirs has never fired, or if their
    scenario fails.
    """
    marked = {**_marked(request), "kafka": mockbroker_kafka}
    marked_scenario = _scenario(request, marked)
    options = _options(request.config, mockbroker_options, _with_cluster(marked_scenario, marked))
    request.node.stash[_OPTIONS] = options
    clusters: list[Cluster] = []
    runs: list[ScenarioRun] = []
    request.node.stash[_CLUSTERS] = clusters
    with ExitStack() as stack:

        def make(**changes: Any) -> "Cluster":
            own = _scenario(request, changes)
            made = options.but(_with_cluster(own, changes))
            cluster = stack.enter_context(package.Cluster(**made.as_arguments()))
            clusters.append(cluster)
            scenario = own or marked_scenario
            if scenario is not None:
                run: ScenarioRun = import_module(_SCENARIOS).ScenarioRun(cluster, scenario)
                runs.append(run)
                run.make_faults()
                run.begin()
                stack.callback(run.finish)
            return cluster

        yield make
        has_passed = request.node.stash.get(_HAS_PASSED, False)
        failures = [str(each) for run in runs for each in run.failures()] if has_passed else []
        if failures:
            _fail("\n".join(failures))
        if has_passed and not _allows_unfired(request):
            describe = import_module(_SECTIONS).unfired_text
            if unfired := [text for each in clusters if (text := describe(each))]:
                _fail("\n".join(unfired))


@pytest.fixture
def mockbroker(make_mockbroker: "Callable[..., Cluster]") -> "Cluster":
    """Return a fresh cluster, which stops after the test."""
    return _started(make_mockbroker)


@pytest.fixture(scope="session")
def mockbroker_session(request: pytest.FixtureRequest) -> "Generator[Cluster]":
    """Return one cluster shared by all tests, for applications that start slowly."""
    release = getattr(request, "param", None) or _run_release(request.config)
    options = _options(request.config, None, {"kafka": release})
    with ExitStack() as stack:
        yield _started(lambda: stack.enter_context(package.Cluster(**options.as_arguments())))


@pytest.fixture(scope="session")
def mockbroker_spark_settings() -> dict[str, str]:
    """Override it to return settings for the Spark session of the run."""
    return {}


@pytest.fixture(scope="session")
def mockbroker_spark(
    tmp_path_factory: pytest.TempPathFactory, mockbroker_spark_settings: dict[str, str]
) -> "SparkSession":
    """Return the Spark session of the run, which stops at its end (extra `spark`).

    Tests that use it are skipped if pyspark, Java or the connector's jars are missing.
    """
    # Imported late: no other fixture needs it.
    from mockbroker import spark

    try:
        return spark.session(
            work_folder=tmp_path_factory.mktemp("spark"), settings=mockbroker_spark_settings
        )
    except spark.SparkUnavailableError as missing:
        pytest.skip(str(missing))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Leave our frames out of a failure, and add sections about its clusters and faults."""
    if call.excinfo is not None and not item.config.getoption("fulltrace"):
        import_module(_FRAMES).leave_out_our_frames(call.excinfo.value)
    report = yield
    if report.when == "call":
        item.stash[_HAS_PASSED] = report.passed
        if call.excinfo is not None and report.failed:
            failure = call.excinfo.value
            _add_sections(item, report, getattr(failure, "claim", None) or str(failure))
            _write_report(item, report, failure)
    return report


def _add_sections(item: pytest.Item, report: pytest.TestReport, failure: str) -> None:
    """Describe the clusters of a failed test."""
    sections: dict[str, list[str]] = {}
    for cluster in _clusters(item):
        for name, text in import_module(_SECTIONS).failure_sections(cluster, failure).items():
            sections.setdefault(name, []).append(text)
    for name, texts in sections.items():
        report.sections.append((f"mockbroker {name}", "\n\n".join(texts)))


def _write_report(item: pytest.Item, report: pytest.TestReport, failure: BaseException) -> None:
    """Write the page of a failed test, and link it in the output and in JUnit XML."""
    folder, clusters = item.config.getoption("mockbroker_report"), list(_clusters(item))
    if folder and clusters:
        path = item.config.invocation_params.dir / folder
        link = import_module(_REPORT).written_report(path, report, failure, clusters)
        report.sections.append(("mockbroker report", link))
        item.user_properties.append(("mockbroker_report", link))


def _clusters(item: pytest.Item) -> "Iterator[Cluster]":
    """Yield the clusters that a test has used."""
    yield from item.stash.get(_CLUSTERS, ())
    shared = getattr(item, "funcargs", {}).get("mockbroker_session")
    if shared is not None:
        yield shared


def _started(start: "Callable[[], Cluster]") -> "Cluster":
    """Start the cluster of a fixture; a wrong option of it fails with its text alone."""
    refusal: type[Exception] = import_module("mockbroker.protocol.errors").ApiError
    try:
        return start()
    except (OSError, TypeError, ValueError, refusal) as error:
        why = f"the cluster of the fixture cannot start: {error}"
    return _fail(why)


def _fail(why: str) -> NoReturn:
    pytest.fail(why, pytrace=False)


def _nearest_kafka(node: pytest.Item) -> Any:
    """Return the release of a test's nearest marker that has one, or the list of releases."""
    markers = node.iter_markers(_MARKER)
    return next((each.kwargs["kafka"] for each in markers if "kafka" in each.kwargs), None)


def _is_list(kafka: object) -> bool:
    return isinstance(kafka, Collection) and not isinstance(kafka, str)


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the options of a test's markers, the nearest last."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(_MARKER))):
        if marker.args:
            _fail(f"@pytest.mark.mockbroker takes keyword arguments only, not {marker.args!r}")
        options |= marker.kwargs
    return options


def _scenario(request: pytest.FixtureRequest, given: dict[str, Any]) -> "Scenario | None":
    """Return the scenario that a marker or a call names: a file beside that of the test."""
    if given.get(_SCENARIO) is None:
        return None
    try:
        scenario: Scenario = import_module(_SCENARIOS).read_scenario(
            request.path.parent / given[_SCENARIO]
        )
    except OSError as error:
        why = f"the scenario {error.filename} cannot be read: {error.strerror}"
    except ValueError as error:
        why = f"the scenario is not valid:\n{error}"
    else:
        return scenario
    return _fail(why)


def _with_cluster(scenario: "Scenario | None", given: dict[str, Any]) -> dict[str, Any]:
    """Return options under which those of a scenario's cluster lie."""
    own = {} if scenario is None else scenario.cluster_arguments()
    return {**own, **{name: value for name, value in given.items() if name != _SCENARIO}}


def _allows_unfired(request: pytest.FixtureRequest) -> bool:
    return bool(_marked(request).get(_ALLOW_UNFIRED))


def _options(
    config: pytest.Config, given: "ClusterOptions | None", marked: dict[str, Any]
) -> "ClusterOptions":
    options = _general(config, package.Options()) if given is None else given
    if options.journal is None:
        options = options.but({"journal": True})
    changes = {name: value for name, value in marked.items() if name != _ALLOW_UNFIRED}
    try:
        return options.but(changes)
    except ValueError as error:
        why = f"@pytest.mark.mockbroker: {error}"
    return _fail(why)


def _general(config: pytest.Config, options: "ClusterOptions") -> "ClusterOptions":
    """Apply the command line, the environment and the ini file to options, but not the release."""
    brokers = (
        config.getoption("mockbroker_brokers")
        or os.environ.get("MOCKBROKER_BROKERS")
        or config.getini("mockbroker_brokers")
    )
    seed = config.getoption("mockbroker_seed")
    if seed is None:  # 0 is a seed, too
        seed = os.environ.get("MOCKBROKER_SEED") or config.getini("mockbroker_seed")
    for name, given in (("brokers", brokers), ("seed", seed)):
        if given not in {None, ""}:
            options = options.but({name: _number(name, given)})
    return options


def _run_releases(config: pytest.Config) -> list[str]:
    """Return the releases that the command line, the environment or the ini file names."""
    named = (
        config.getoption(_KAFKA)
        or os.environ.get("MOCKBROKER_KAFKA_VERSION")
        or config.getini(_KAFKA)
    )
    return [each.strip() for each in str(named or "").split(",") if each.strip()]


def _run_release(config: pytest.Config) -> str:
    """Return the release of all tests of the run."""
    releases = _run_releases(config)
    if len(releases) > 1:
        _fail(_NO_PARAMETERS.format("--mockbroker-kafka"))
    if releases:
        return releases[0]
    default: str = import_module("mockbroker.state.release.options").DEFAULT_RELEASE
    return default


def _number(name: str, given: Any) -> int:
    try:
        return int(given)
    except ValueError:
        why = f"mockbroker_{name}={given}: not a number"
    return _fail(why)
