"""The plugin, in test runs of its own."""

import subprocess
import sys

import pytest

from tests.support.plugin_runs import run

pytest_plugins = ["pytester"]

TWO_TESTS = """
    def test_one(mockbroker):
        assert mockbroker.client_config("confluent")["bootstrap.servers"].startswith("127.0.0.1:")
        mockbroker.fault(topic="orders", name="watch").observe()
        mockbroker.assert_all_faults_fired
        for fault in mockbroker.faults:
            fault.remove()

    def test_two(mockbroker, make_mockbroker):
        other = make_mockbroker(brokers=2)
        assert mockbroker.bootstrap_servers != other.bootstrap_servers
        assert len(other.bootstrap_servers.split(",")) == 2
        assert mockbroker.faults == []
"""


@pytest.mark.slow
def test_each_test_has_a_fresh_cluster(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TWO_TESTS)
    run(pytester).assert_outcomes(passed=2)


@pytest.mark.slow
def test_the_marker_configures_the_cluster(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from mockbroker import API

        pytestmark = pytest.mark.mockbroker(brokers=3, topics={"orders": 2})

        @pytest.mark.mockbroker(brokers=2, kafka="2.4", allow_unfired=True)
        def test_the_nearest_marker_wins(mockbroker):
            assert len(mockbroker.bootstrap_servers.split(",")) == 2
            assert mockbroker.records("orders", 1) == []
            mockbroker.fault(API.PRODUCE).drop_request()

        @pytest.mark.mockbroker(brokrs=2)
        def test_a_wrong_name(mockbroker): ...
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*unknown option brokrs; the options are brokers, kafka,*"])


@pytest.mark.slow
def test_a_seed_comes_from_the_marker_or_else_from_outside(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_from_outside(mockbroker, pytestconfig):
            assert mockbroker.drawn_from == (pytestconfig.getoption("mockbroker_seed") or 0)

        @pytest.mark.mockbroker(seed=8)
        def test_from_the_marker(mockbroker):
            assert mockbroker.drawn_from == 8
        """
    )
    run(pytester).assert_outcomes(passed=2)
    run(pytester, "--mockbroker-seed=9").assert_outcomes(passed=2)
    monkeypatch.setenv("MOCKBROKER_SEED", "many")
    result = run(pytester)
    result.stdout.fnmatch_lines(["*mockbroker_seed=many: not a number*"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ini", "environment", "arguments", "brokers"),
    [
        ("", "", (), 1),
        ("2", "", (), 2),
        ("2", "3", (), 3),
        ("2", "3", ("--mockbroker-brokers=4",), 4),
    ],
)
def test_the_command_line_precedes_the_environment_and_the_ini_file(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    ini: str,
    environment: str,
    arguments: tuple[str, ...],
    brokers: int,
) -> None:
    pytester.makeini(f"[pytest]\nmockbroker_brokers = {ini}\n")
    monkeypatch.setenv("MOCKBROKER_BROKERS", environment)
    pytester.makepyfile(
        f"""
        def test_it(mockbroker, mockbroker_session):
            for cluster in (mockbroker, mockbroker_session):
                assert len(cluster.bootstrap_servers.split(",")) == {brokers}
        """
    )
    run(pytester, *arguments).assert_outcomes(passed=1)


@pytest.mark.slow
def test_a_fixture_configures_the_clusters_of_a_module(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from mockbroker import Options

        @pytest.fixture
        def mockbroker_options():
            return Options(brokers=3, topics={"orders": 1})

        def test_it(mockbroker):
            assert len(mockbroker.bootstrap_servers.split(",")) == 3
            assert mockbroker.records("orders") == []

        @pytest.mark.mockbroker(brokers=2)
        def test_a_marker_changes_it(mockbroker):
            assert len(mockbroker.bootstrap_servers.split(",")) == 2
            assert mockbroker.records("orders") == []
        """
    )
    run(pytester).assert_outcomes(passed=2)


@pytest.mark.slow
def test_the_plugin_works_on_the_workers_of_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TWO_TESTS)
    run(pytester, "-p", "xdist.plugin", "-n", "2").assert_outcomes(passed=2)


@pytest.mark.slow
def test_the_plugin_works_in_tests_of_pytest_asyncio_and_of_anyio(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        async def ask(cluster):
            host, port = cluster.bootstrap_servers.split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.close()
            assert (await cluster.aio.advance("1d")).now_ms > 0

        @pytest.mark.asyncio
        async def test_asyncio(mockbroker):
            await ask(mockbroker)

        @pytest.mark.anyio
        async def test_anyio(mockbroker):
            await ask(mockbroker)
        """
    )
    words = ("-p", "pytest_asyncio.plugin", "-p", "anyio.pytest_plugin", "-W", "ignore")
    run(pytester, *words).assert_outcomes(passed=2)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "raise AssertionError"])
def test_an_interrupted_or_failing_test_leaves_no_thread_port_or_file(
    pytester: pytest.Pytester, end: str
) -> None:
    pytester.makeconftest(
        """
        import pytest, socket, threading

        PORTS = []

        @pytest.hookimpl(trylast=True)
        def pytest_unconfigure(config):
            closed = [socket.socket().connect_ex(("127.0.0.1", port)) != 0 for port in PORTS]
            threads = [each.name for each in threading.enumerate()]
            print(f"closed: {closed}, threads: {threads}")
        """
    )
    test_file = pytester.makepyfile(
        f"""
        from conftest import PORTS

        def test_it(make_mockbroker):
            for _ in range(2):
                cluster = make_mockbroker(brokers=2, admin_port=0)
                PORTS.extend(int(each.rpartition(":")[2])
                             for each in [*cluster.bootstrap_servers.split(","), cluster.admin_url])
            {end}
        """
    )
    files = {each.name for each in test_file.parent.iterdir()}
    result = run(pytester)
    assert result.ret != 0
    result.stdout.fnmatch_lines([f"closed: {[True] * 6}, threads: ['MainThread']"])
    left = {each.name for each in test_file.parent.iterdir() if each.is_file()}
    assert left - {"stdout", "stderr"} == files  # which pytester writes


@pytest.mark.slow
def test_the_plugin_imports_almost_nothing() -> None:
    """Importing the plugin imports pytest, the standard library and one module of ours."""
    program = (
        "import sys, pytest; before = set(sys.modules); import mockbroker.pytest_plugin;"
        "print(*sorted(m for m in set(sys.modules) - before if m.split('.')[0] not in"
        " sys.stdlib_module_names))"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    assert output == ["mockbroker", "mockbroker.pytest_plugin"]


@pytest.mark.slow
def test_where_spark_cannot_start_its_tests_are_skipped_with_one_line(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(
        """
        from mockbroker.spark import local_session
        from mockbroker.spark.unavailable import SparkUnavailableError

        def find_java(spark):
            raise SparkUnavailableError("no Java for Spark: install one")

        local_session.find_java = find_java
        """
    )
    pytester.makepyfile("def test_spark(mockbroker_spark): ...")
    result = run(pytester, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.re_match_lines(
        [r"SKIPPED \[1\] .*: (no Java for Spark: install one|pyspark is not installed: .*)"]
    )


@pytest.mark.slow
def test_a_test_runs_on_each_release_that_its_nearest_marker_lists(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.mockbroker(kafka=["2.8", "4.4"], brokers=2)

        def release_of(cluster):
            return cluster.look(lambda state, now_ms: state.options.release)

        @pytest.mark.parametrize("count", [1, 2])
        def test_each(mockbroker, make_mockbroker, mockbroker_kafka, count):
            for cluster in (mockbroker, make_mockbroker()):
                assert release_of(cluster) == mockbroker_kafka
            assert len(mockbroker.brokers) == 2

        @pytest.mark.mockbroker(kafka="3.9")
        def test_one(mockbroker):
            assert release_of(mockbroker) == "3.9"

        def test_without_a_cluster():
            pass

        @pytest.mark.mockbroker(kafka=["9.9"])
        def test_none(mockbroker):
            pass
        """
    )
    result = run(pytester, "-rA", "--mockbroker-kafka=2.4,2.5")
    result.assert_outcomes(passed=6, errors=1)
    ids = ["2.8-1", "2.8-2", "4.4-1", "4.4-2"]
    result.stdout.fnmatch_lines([f"PASSED *::test_each[[]kafka={each}]" for each in ids])
    result.stdout.fnmatch_lines(["*the cluster of the fixture cannot start: kafka=9.9: *"])


@pytest.mark.slow
def test_tests_run_on_each_release_of_the_run(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmockbroker_kafka = 2.8, 3.9\n")
    pytester.makepyfile(
        """
        import pytest, unittest
        from mockbroker import Options

        def release_of(cluster):
            return cluster.look(lambda state, now_ms: state.options.release)

        def test_both(mockbroker, mockbroker_session, mockbroker_kafka):
            assert release_of(mockbroker) == release_of(mockbroker_session) == mockbroker_kafka

        class TestOfOneRelease:
            @pytest.fixture
            def mockbroker_options(self):
                return Options(kafka="3.6")

            def test_once(self, mockbroker):
                assert release_of(mockbroker) == "3.6"

        class UnitTest(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def with_cluster(self, mockbroker):
                self.cluster = mockbroker

            def test_unit(self):
                assert release_of(self.cluster) == "2.8"
        """
    )
    result = run(pytester, "-rs")
    result.assert_outcomes(passed=3, skipped=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "--mockbroker-kafka lists several releases, but pytest cannot run this test once on*",
            "SKIPPED*mockbroker_options gives it one release, 3.6: it runs once",
        ]
    )
    run(pytester, "--mockbroker-kafka=2.8").assert_outcomes(passed=3)


SCENARIO = """\
cluster: {brokers: 2, kafka: "3.9", topics: {orders: 1}}
faults:
  - {id: lost, match: {api: Produce}, effect: {lose_response: after_apply}}
steps:
  - wait_for: {fault: lost}
  - clock.advance: 7d
expect: [no_loss: {topic: orders}]
"""


@pytest.mark.slow
def test_a_marker_names_a_scenario_beside_the_test(pytester: pytest.Pytester) -> None:
    pytester.mkdir("folder")
    (pytester.path / "folder" / "lost.yaml").write_text(SCENARIO, "utf-8")
    (pytester.path / "folder" / "test_scenario.py").write_text(
        """
import pytest
from confluent_kafka import Producer

def produce(mockbroker):
    settings = mockbroker.client_config("confluent", log_level=2)
    producer = Producer(settings)
    producer.produce("orders", b"order-1")
    assert producer.flush(10) == 0

@pytest.mark.mockbroker(scenario="lost.yaml")
def test_it_happens(mockbroker, mockbroker_kafka):
    produce(mockbroker)
    assert len(mockbroker.brokers) == 2
    assert mockbroker_kafka == "3.9"

@pytest.mark.mockbroker(scenario="lost.yaml", brokers=1, kafka="2.8")
def test_the_marker_wins(mockbroker, mockbroker_kafka):
    produce(mockbroker)
    assert len(mockbroker.brokers) == 1
    assert mockbroker_kafka == "2.8"

def test_a_call_names_a_scenario(make_mockbroker):
    produce(make_mockbroker(scenario="lost.yaml"))

@pytest.mark.mockbroker(scenario="lost.yaml")
def test_nothing_happens(mockbroker): ...

@pytest.mark.mockbroker(scenario="lost.yaml")
def test_it_fails_itself(mockbroker):
    assert mockbroker is None

@pytest.mark.mockbroker(scenario="none.yaml")
def test_without_a_file(mockbroker): ...
""",
        "utf-8",
    )
    result = run(pytester, "--mockbroker-kafka=2.8,4.4", "-rs")
    result.assert_outcomes(passed=5, failed=1, errors=3, skipped=3)
    result.stdout.fnmatch_lines(
        ["*lost.yaml:5:5: wait_for: {fault: lost}: it did not occur by the end: lost: fault(*"]
    )
    result.stdout.fnmatch_lines(["the scenario *none.yaml cannot be read: No such file*"])
