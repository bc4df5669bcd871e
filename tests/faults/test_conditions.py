"""Events that a held call may wait for."""

import pytest

from mockbroker import at
from mockbroker.faults.conditions import (
    Check,
    Event,
    FaultHits,
    transaction_of,
)
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.observe import Observe
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.faults import VERSION, Plan, produce_to, produced
from tests.support.in_process import Brokers
from tests.support.transactions import Transactor, new_brokers


@pytest.fixture
def brokers() -> Brokers:
    return new_brokers()


@pytest.fixture
def transactor(brokers: Brokers) -> Transactor:
    transactor = Transactor(brokers)
    transactor.init()
    return transactor


def begin(transactor: Transactor) -> None:
    transactor.add(0)
    transactor.write(0)


def expect(brokers: Brokers, event: Event) -> Check:
    check = event.expect(brokers.state, {})
    assert not check(brokers.state)
    return check


@pytest.mark.parametrize(
    ("event", "on_commit", "on_abort"),
    [
        (at.abort_marker("orders", 0), False, True),
        (at.commit_marker("orders", 0), True, False),
        (at.marker("orders", 0), True, True),
        (at.marker("orders", 1), False, False),
        (at.marker("nobody", 0), False, False),
        (at.marker("orders", 0, producer_id=99), False, False),
    ],
    ids=str,
)
def test_a_marker_is_detected_when_it_is_in_its_partition(
    brokers: Brokers, transactor: Transactor, event: Event, on_commit: bool, on_abort: bool
) -> None:
    for is_commit, comes in ((True, on_commit), (False, on_abort)):
        begin(transactor)
        check = expect(brokers, event)
        transactor.end(committed=is_commit)
        brokers.loop.run()
        assert check(brokers.state) == comes, is_commit


def test_a_marker_that_was_there_before_is_not_waited_for(
    brokers: Brokers, transactor: Transactor
) -> None:
    begin(transactor)
    transactor.end(committed=False)
    brokers.loop.run()
    check = expect(brokers, at.abort_marker("orders", 0))
    begin(transactor)
    assert not check(brokers.state)


def test_an_epoch_bump_is_another_epoch_or_the_first(brokers: Brokers) -> None:
    check = expect(brokers, at.epoch_bump("mine"))
    transactor = Transactor(brokers)
    transactor.init()
    assert check(brokers.state)
    check = expect(brokers, at.epoch_bump("mine"))
    begin(transactor)
    assert not check(brokers.state)
    transactor.end(committed=True)
    brokers.loop.run()
    transactor.init()
    assert check(brokers.state)


def test_a_state_is_reached_by_kafkas_name(brokers: Brokers, transactor: Transactor) -> None:
    check = expect(brokers, at.transaction_state("mine", "CompleteAbort"))
    begin(transactor)
    assert not check(brokers.state)
    transactor.end(committed=False)
    brokers.loop.run()
    assert check(brokers.state)


def test_a_transactional_id_is_unknown_before_it_has_a_coordinator() -> None:
    assert transaction_of(Brokers().state, "mine") is None


def test_another_faults_hits_are_counted() -> None:
    plan = Plan()
    fault = plan.fault(Observe(), topic="orders")
    event = FaultHits(fault.name, hits=2)
    check = event.expect(plan.brokers.state, {fault.name: fault})
    produced(plan.brokers.connect(), 0)
    assert not check(plan.brokers.state)
    produced(plan.brokers.connect(), 0)
    assert check(plan.brokers.state)
    assert str(event) == "at.fault('fault-1', hits=2)"


def test_what_another_fault_holds_and_releases_is_counted() -> None:
    plan = Plan()
    fault = plan.fault(Hold(), topic="orders")
    held, released = FaultHits(fault.name, held=1), FaultHits(fault.name, released=1)
    checks = [each.expect(plan.brokers.state, {fault.name: fault}) for each in (held, released)]
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert [check(plan.brokers.state) for check in checks] == [True, False]
    plan.plan.release(fault)
    assert [check(plan.brokers.state) for check in checks] == [True, True]
    assert str(held) == "at.fault('fault-1', held=1)"


def test_records_are_counted_without_markers(brokers: Brokers, transactor: Transactor) -> None:
    two, three = at.records("orders", 2), at.records("orders", 3)
    checks = [expect(brokers, each) for each in (two, three, at.records("orders", 2, partition=1))]
    for is_commit in (True, False):
        begin(transactor)
        transactor.end(committed=is_commit)
        brokers.loop.run()
    assert [check(brokers.state) for check in checks] == [True, False, False]
    begin(transactor)
    assert [check(brokers.state) for check in checks] == [True, True, False]
    assert not at.records("nobody", 1).expect(brokers.state, {})(brokers.state)


def test_a_log_end_offset_counts_markers(brokers: Brokers, transactor: Transactor) -> None:
    check = expect(brokers, at.log_end_offset("orders", 0, 2))
    begin(transactor)
    assert not check(brokers.state)
    transactor.end(committed=True)
    brokers.loop.run()
    assert check(brokers.state)
    assert not at.log_end_offset("nobody", 0, 1).expect(brokers.state, {})(brokers.state)


def test_a_test_can_define_its_own_condition(brokers: Brokers) -> None:
    check = expect(brokers, at.condition(lambda cluster: "new" in cluster.topics))
    brokers.state.create_topic(NewTopic(name="new", num_partitions=1))
    assert check(brokers.state)


def test_events_are_written_as_they_are_made() -> None:
    events = (
        at.abort_marker("orders", 0),
        at.epoch_bump("mine"),
        at.transaction_state("mine", "PrepareAbort"),
        at.records("orders", 3),
        at.records("orders", 3, partition=1),
        at.log_end_offset("orders", 0, 5),
        at.condition(lambda _: True),
    )
    assert [str(event) for event in events] == [
        "at.abort_marker('orders', 0)",
        "at.epoch_bump('mine')",
        "at.transaction_state('mine', 'PrepareAbort')",
        "at.records('orders', 3)",
        "at.records('orders', 3, partition=1)",
        "at.log_end_offset('orders', 0, 5)",
        "at.condition(…)",
    ]
