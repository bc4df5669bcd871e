"""Counters of a fault, its closest call, and the notification of waiters."""

import threading

import pytest

from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.observe import Observe
from mockbroker.faults.trigger import OnCall, Times
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import MetadataResponse
from tests.support.faults import VERSION, Plan, produced
from tests.support.requests import metadata


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_calls_and_hits_are_counted(plan: Plan) -> None:
    fault = plan.fault(Observe(), OnCall(2), topic="orders")
    peer = plan.brokers.connect()
    counts: list[tuple[int, int, bool]] = []
    for _ in range(3):
        produced(peer, 0)
        counts.append((fault.calls, fault.hits, fault.is_over))
    assert counts == [(1, 0, False), (2, 1, True), (2, 1, True)]


def test_the_closest_call_is_remembered(plan: Plan) -> None:
    fault = plan.fault(Observe(), api=ApiKey.PRODUCE, topic="orders", partition=7)
    peer = plan.brokers.connect()
    peer.ask(metadata(), 12, MetadataResponse)
    assert fault.nearest is not None
    assert fault.nearest[0].selector == "api"
    produced(peer, 1)
    peer.ask(metadata(), 12, MetadataResponse)
    miss, what = fault.nearest
    assert str(miss) == "partition was 1, the fault wants 7"
    assert str(what) == f"Produce v{VERSION}"


def test_a_waiter_on_another_thread_is_notified(plan: Plan) -> None:
    fault = plan.fault(Observe(), topic="orders")
    seen: list[int] = []
    waits = threading.Event()

    def wait() -> None:
        with fault.changed:
            waits.set()
            fault.changed.wait_for(lambda: fault.hits, timeout=10)
            seen.append(fault.hits)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert waits.wait(10)
    produced(plan.brokers.connect(), 0)
    waiting.join(10)
    assert seen == [1]


def test_a_fault_is_printed_as_its_python_expression(plan: Plan) -> None:
    effect = Answer(ErrorCode.NOT_COORDINATOR)
    fault = plan.fault(effect, Times(2), api=ApiKey.END_TXN, transactional_id="mine")
    assert str(fault) == (
        "fault-1: fault(api=EndTxn, transactional_id='mine').answer('NOT_COORDINATOR').times(2)"
    )
