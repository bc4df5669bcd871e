"""The pytest plugin, with fixtures for a fresh cluster in each test.

It imports only pytest and the standard library, so that test runs that do not use mockbroker start
as fast as before. The package `mockbroker` imports what fixtures use.

The options of a test's cluster come from these sources, in order of precedence: the marker
`@pytest.mark.mockbroker(...)`, the fixture `mockbroker_options`, the command line, the environment
(`MOCKBROKER_BROKERS`, `MOCKBROKER_KAFKA_VERSION`, `MOCKBROKER_SEED`), and the ini file.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

import mockbroker as package

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from mockbroker.cluster import Cluster
    from mockbroker.control.cluster_options import ClusterOptions

_MARKER = "mockbroker"
_ALLOW_UNFIRED = "allow_unfired"
_JOURNAL_LINES = 40
_CLUSTERS: pytest.StashKey["list[Cluster]"] = pytest.StashKey()
"""Clusters of a test, for the failure report."""


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
        metavar="RELEASE",
        help="release of Kafka that the clusters emulate, such as 3.9",
    )
    group.addoption(
        "--mockbroker-seed",
        type=int,
        metavar="N",
        help="the seed of their ids and random choices (default 0)",
    )
    parser.addini("mockbroker_brokers", "how many brokers the clusters of tests have")
    parser.addini("mockbroker_kafka", "the release of Kafka that they behave like")
    parser.addini("mockbroker_seed", "the seed of their ids and random choices")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "mockbroker(brokers=…, kafka=…, topics=…, config=…, features=…, proposals=…, clock=…, "
        "journal=…, seed=…, allow_unfired=False): how the cluster of the fixture `mockbroker` is "
        "made",
    )


@pytest.fixture
def mockbroker_options() -> "ClusterOptions | None":
    """Override it to return the `Options` of the clusters of a module or a directory."""
    return None


@pytest.fixture
def make_mockbroker(
    request: pytest.FixtureRequest, mockbroker_options: "ClusterOptions | None"
) -> "Generator[Callable[..., Cluster]]":
    """Return a function that creates clusters, with the arguments of `Cluster`.

    They are stopped after the test, which fails if a fault of theirs has never fired.
    """
    options = _options(request.config, mockbroker_options, _marked(request))
    clusters: list[Cluster] = []
    request.node.stash[_CLUSTERS] = clusters
    with ExitStack() as stack:

        def make(**changes: Any) -> "Cluster":
            cluster = package.Cluster(**options.but(changes).as_arguments())
            clusters.append(stack.enter_context(cluster))
            return cluster

        yield make
        if not _allows_unfired(request):
            for cluster in clusters:
                cluster.assert_all_faults_fired()


@pytest.fixture
def mockbroker(make_mockbroker: "Callable[..., Cluster]") -> "Cluster":
    """Return a fresh cluster, which stops after the test."""
    return make_mockbroker()


@pytest.fixture(scope="session")
def mockbroker_session(request: pytest.FixtureRequest) -> "Generator[Cluster]":
    """Return one cluster shared by all tests, for applications that start slowly."""
    with package.Cluster(**_options(request.config, None, {}).as_arguments()) as cluster:
        yield cluster


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
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add sections about the clusters and faults to the report of a failed test."""
    report = yield
    if report.when == "call" and report.failed:
        for name, describe in _SECTIONS.items():
            texts = [text for cluster in _clusters(item) if (text := describe(cluster))]
            if texts:
                report.sections.append((f"mockbroker {name}", "\n\n".join(texts)))
    return report


def _clusters(item: pytest.Item) -> "Iterator[Cluster]":
    """Yield the clusters that a test has used."""
    yield from item.stash.get(_CLUSTERS, ())
    shared = getattr(item, "funcargs", {}).get("mockbroker_session")
    if shared is not None:
        yield shared


def _timeline(cluster: "Cluster") -> str:
    """Draw the partitions, and list the batches that producers sent."""
    drawn = cluster.lanes()
    if not cluster.keeps_ledger:
        return drawn
    return f"{drawn}\n\n{cluster.timeline()}"


def _journal(cluster: "Cluster") -> str:
    return "\n".join(cluster.journal.lines(_JOURNAL_LINES)) if cluster.journal.is_on else ""


def _faults(cluster: "Cluster") -> str:
    """Describe the faults, and the seed that repeats their random choices."""
    stories = [fault.story() for fault in cluster.faults]
    if stories:
        seed = cluster.drawn_from
        stories.append(f"random choices used seed {seed}: --mockbroker-seed={seed} repeats them")
    return "\n".join(stories)


_SECTIONS: "dict[str, Callable[[Cluster], str]]" = {
    "timeline": _timeline,
    f"journal (last {_JOURNAL_LINES})": _journal,
    "faults": _faults,
}
"""Descriptions of the clusters of a failed test, by the names of the report's sections."""


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the options of a test's markers, the nearest last."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(_MARKER))):
        if marker.args:
            raise pytest.UsageError(
                f"@pytest.mark.mockbroker takes keyword arguments only, not {marker.args!r}"
            )
        options |= marker.kwargs
    return options


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
        raise pytest.UsageError(f"@pytest.mark.mockbroker: {error}") from None


def _general(config: pytest.Config, options: "ClusterOptions") -> "ClusterOptions":
    """Apply the command line, the environment and the ini file to options."""
    brokers = (
        config.getoption("mockbroker_brokers")
        or os.environ.get("MOCKBROKER_BROKERS")
        or config.getini("mockbroker_brokers")
    )
    kafka = (
        config.getoption("mockbroker_kafka")
        or os.environ.get("MOCKBROKER_KAFKA_VERSION")
        or config.getini("mockbroker_kafka")
    )
    seed = config.getoption("mockbroker_seed")
    if seed is None:  # 0 is a seed, too
        seed = os.environ.get("MOCKBROKER_SEED") or config.getini("mockbroker_seed")
    for name, given in (("brokers", brokers), ("seed", seed)):
        if given not in {None, ""}:
            options = options.but({name: _number(name, given)})
    return options.but({"kafka": kafka}) if kafka else options


def _number(name: str, given: Any) -> int:
    try:
        return int(given)
    except ValueError:
        raise pytest.UsageError(f"mockbroker_{name}={given}: not a number") from None
