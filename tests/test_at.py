"""Events that a hold may wait for, by the names that users give them."""

import pytest

from mockbroker import API, Cluster, at
from mockbroker.faults.conditions import Event


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (at.abort_marker("orders", 0), "at.abort_marker('orders', 0)"),
        (at.commit_marker("orders", 1), "at.commit_marker('orders', 1)"),
        (at.marker("orders", 2), "at.marker('orders', 2)"),
        (at.epoch_bump("mine"), "at.epoch_bump('mine')"),
        (at.transaction_state("mine", "Ongoing"), "at.transaction_state('mine', 'Ongoing')"),
        (at.condition(lambda _: True), "at.condition(…)"),
    ],
)
def test_events_have_readable_texts(event: Event, text: str) -> None:
    assert str(event) == text


def test_another_fault_is_named() -> None:
    with Cluster() as cluster:
        fault = cluster.fault(API.PRODUCE, name="lost-ack").observe()
        assert str(at.fault(fault, 2)) == "at.fault('lost-ack', hits=2)"
        assert at.rule(fault) == at.fault(fault)
