"""The plugin that refuses the clients of librdkafka that tests leave, in test runs of its own."""

import pytest

pytest_plugins = ["pytester"]

BY_NAME = ("-p", "tests.support.closed_clients", "-p", "no:cacheprovider", "-q")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load no plugin that is not named."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.mark.slow
def test_a_client_that_outlives_the_tests_of_its_file_is_an_error(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makepyfile(
        test_cached="""
            from confluent_kafka import Producer

            cached = []

            def test_one():
                cached.append(Producer({}))

            def test_two():
                pass
        """,
        test_freed="""
            from confluent_kafka import Producer

            def test_in_a_cycle():
                producer = Producer({"error_cb": lambda error: producer})
        """,
    )
    run = pytester.runpytest_subprocess(*BY_NAME)
    run.assert_outcomes(passed=3, errors=1)
    run.stdout.fnmatch_lines(["*clients of librdkafka outlive the tests of test_cached.py*"])
