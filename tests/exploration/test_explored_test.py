"""Tests with the marker `mockbroker_explore`, in test runs of their own."""

import pytest

from tests.support.plugin_runs import run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

SENDS = """
    import pytest
    from confluent_kafka import Producer

    ONLY = ["Produce *: the answer is lost"]

    @pytest.mark.mockbroker(topics={"orders": 1})
    @pytest.mark.mockbroker_explore(only=ONLY, same_topics=["orders"], repeats=0)
    @pytest.mark.parametrize("is_idempotent", [True, False])
    def test_sends(mockbroker, is_idempotent, tmp_path):
        settings = {"enable.idempotence": is_idempotent, "log_level": 2}
        producer = Producer(mockbroker.client_config("confluent", **settings))
        producer.produce("orders", b"order-1")
        assert producer.flush(10) == 0
"""
WRONG = """
    import pytest

    @pytest.mark.mockbroker_explore
    def test_no_cluster(): ...

    @pytest.mark.mockbroker_explore("orders")
    def test_positional(mockbroker): ...

    @pytest.mark.mockbroker_explore(broker=3)
    def test_no_option(mockbroker): ...

    @pytest.mark.mockbroker_explore
    def test_no_call(mockbroker): ...
"""


def test_a_marked_test_is_run_under_each_fault(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SENDS)
    result = run(pytester, "--mockbroker-report=found")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*1. broken: Produce 1 of client 'rdkafka': the answer is lost", "*repeats offset 0*"]
    )
    result.stdout.no_fnmatch_line("*mockbroker timeline*")
    pages = list((pytester.path / "found").glob("*False*/failure-1.html"))
    assert len(pages) == 1


def test_what_cannot_be_explored_says_why(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(WRONG)
    result = run(pytester)
    result.assert_outcomes(failed=4)
    for why in (
        "needs a test with the fixture mockbroker",
        "takes keywords only, not ('orders',)",
        "unknown option broker; the options are",
        "the program sends no request, or no experiment has a name",
    ):
        result.stdout.fnmatch_lines([f"*{why.replace('[', '[[]')}*"])
