"""Table of assertions by name, and refused arguments."""

import inspect

import pytest

from mockbroker import Cluster
from mockbroker.control.assertion_table import ASSERTIONS, find_assertion
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.wire import WireProducer

NOT_FOR_OTHERS = {("assert_no_duplicates", "key")}
"""Arguments that take more in Python: a function, too."""


def test_every_assertion_of_a_handle_is_in_the_table_with_its_arguments() -> None:
    methods = {
        name: method
        for name, method in inspect.getmembers(ClusterHandle, inspect.isfunction)
        if name.startswith("assert_")
    }
    assert set(methods) == set(ASSERTIONS)
    for name, method in methods.items():
        _, *parameters = inspect.signature(method).parameters.values()
        assert [
            (parameter.name, parameter.default is parameter.empty) for parameter in parameters
        ] == [(argument.name, argument.is_required) for argument in ASSERTIONS[name].arguments]


def test_names_are_found_as_they_are_written_elsewhere() -> None:
    for name in ("assert_no_loss", "no_loss", "no-loss"):
        assert find_assertion(name).name == "assert_no_loss"
    with pytest.raises(
        ValueError, match=r"no assertion 'no-loss-at-all'; did you mean 'no-loss'\?"
    ):
        find_assertion("no-loss-at-all")
    with pytest.raises(ValueError, match="no assertion 'luck'; the assertions are exactly-once,"):
        find_assertion("luck")


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        (
            "no-loss",
            {"topics": "orders"},
            "has no argument 'topics'; its arguments are topic, expected",
        ),
        ("no-open-transactions", {"topic": "orders"}, "its arguments are none"),
        ("no-loss", {"topic": 1}, "topic=1 is not of type text"),
        ("no-loss", {"topic": "orders", "expected": [1]}, "is not of type texts"),
        ("exactly-once", {"allow_open": 1}, "allow_open=1 is not of type flag"),
        (
            "producer-epoch",
            {"transactional_id": "a", "producer_epoch": True},
            "is not of type integer",
        ),
        ("producer-epoch", {"transactional_id": "a"}, "needs producer_epoch"),
    ],
)
def test_wrong_arguments_are_refused(name: str, arguments: dict[str, object], why: str) -> None:
    with Cluster() as cluster, pytest.raises(ValueError, match=why):
        find_assertion(name).check(cluster, arguments)


def test_an_assertion_is_checked_by_its_name() -> None:
    assert find_assertion("producer-epoch").needs_arguments
    assert find_assertion("fenced").needs_arguments
    assert not find_assertion("no-loss").needs_arguments
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        producer.init_producer_id()
        producer.produce("orders", b"value", base_sequence=0)
        for row in ASSERTIONS.values():
            if not row.needs_arguments:
                row.check(cluster)
        expected = find_assertion("records")
        expected.check(cluster, {"topic": "orders", "expected": ["value"], "partition": None})
        with pytest.raises(AssertionError, match="nothing more was expected"):
            expected.check(cluster, {"topic": "orders", "expected": []})
