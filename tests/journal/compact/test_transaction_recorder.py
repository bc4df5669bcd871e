"""Decisions, epochs and fenced producers in the ledger."""

import pytest

from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.selectors import Selectors
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row_recorder import RowRecorder
from mockbroker.journal.compact.transaction_event import Fenced
from mockbroker.journal.recorder import Recorder
from mockbroker.protocol.errors import ErrorCode
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import BUMPING, Transactor, new_brokers


def started(**changes: str) -> tuple[Brokers, Ledger]:
    brokers = new_brokers(**changes)  # type: ignore[arg-type]
    ledger = Ledger()
    RowRecorder(ledger, Recorder(lambda: brokers.service))
    return brokers, ledger


def transact(transactor: Transactor, *, committed: bool) -> None:
    transactor.add(0)
    transactor.write(0)
    transactor.end(committed=committed)
    transactor.brokers.loop.run()


def test_decisions_and_epochs_are_recorded_in_order() -> None:
    brokers, ledger = started()
    transactor = Transactor(brokers)
    transactor.init()
    transact(transactor, committed=True)
    transact(transactor, committed=False)
    transactor.init()
    assert [(each.transactional_id, each.is_commit) for each in ledger.decisions] == [
        ("mine", True),
        ("mine", False),
    ]
    assert [(each.previous_producer_epoch, each.producer_epoch) for each in ledger.epochs] == [
        (-1, 0),
        (0, 1),
    ]
    moments = [each.order for each in ledger.decisions] + [each.order for each in ledger.epochs]
    rows = [row.came_at for row in ledger]
    assert len({*moments, *rows}) == len(moments) + len(rows)


def test_a_decision_has_the_epoch_of_its_batches() -> None:
    brokers, ledger = started()
    transactor = Transactor(brokers, versions=BUMPING)
    transactor.init()
    transact(transactor, committed=True)
    (decision,) = ledger.decisions
    (row,) = ledger
    assert decision.producer_epoch == row.producer_epoch == 0
    assert ledger.epochs[-1].producer_epoch == 1


def expire(brokers: Brokers) -> None:
    coordinator = brokers.state.transaction_coordinator(1)
    assert coordinator.expire_transactional_id("mine", NOW_MS)


def given(ledger: Ledger) -> list[tuple[int, int, int, int]]:
    """Return what was given, each with what it replaced."""
    return [each[3:] for each in ledger.epochs]


def test_a_producer_that_is_fenced_in_its_transaction_is_replaced() -> None:
    brokers, ledger = started()
    old, new = Transactor(brokers), Transactor(brokers)
    old.init()
    old.add(0)
    old.write(0)
    new.init()
    (decision,) = ledger.decisions
    assert (decision.producer_epoch, decision.is_commit) == (old.producer_epoch, False)
    assert given(ledger) == [(0, 0, 0, -1), (0, 1, 0, 0), (0, 2, 0, 1)]


def test_a_new_producer_id_replaces_that_of_an_expired_transactional_id() -> None:
    brokers, ledger = started()
    transactor = Transactor(brokers)
    transactor.init()
    expire(brokers)
    transactor.init()
    assert given(ledger) == [(0, 0, 0, -1), (1, 0, 0, 0)]


def test_an_emptied_ledger_knows_no_producer_of_before() -> None:
    brokers, ledger = started()
    transactor = Transactor(brokers)
    transactor.init()
    expire(brokers)
    ledger.clear()
    transactor.init()
    assert given(ledger) == [(1, 0, 1, -1)]


@pytest.mark.parametrize("step", ["add", "add_offsets", "end", "write"])
def test_producers_that_get_a_fencing_error_are_recorded(step: str) -> None:
    brokers, ledger = started()
    old, new = Transactor(brokers), Transactor(brokers)
    old.init()
    transact(old, committed=True)
    new.init()
    transact(new, committed=True)
    assert ledger.fenced == {}
    for _ in range(2):
        match step:
            case "add":
                old.add(0)
            case "add_offsets":
                old.add_offsets("group")
            case "end":
                old.end(committed=True)
            case _:
                old.write(0)
    ((fenced, count),) = ledger.fenced.items()
    assert count == 2
    assert fenced[1:3] == (old.producer_id, 0)
    name = None if step == "write" else "mine"
    assert fenced.transactional_id == name
    assert fenced.error in {ErrorCode.INVALID_PRODUCER_EPOCH.name, ErrorCode.PRODUCER_FENCED.name}


def test_a_fencing_error_between_brokers_is_recorded_once_with_the_producer_s_own() -> None:
    brokers, ledger = started()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    plan = FaultPlan(brokers.service)
    fault = plan.add(Selectors({"between_brokers": True}))
    fault.effect = Answer("PRODUCER_FENCED")
    plan.faults_changed()
    producer.write(0)
    (fenced,) = ledger.fenced
    assert fenced.api == "Produce"


def test_events_count_towards_the_limit_of_rows() -> None:
    brokers = new_brokers()
    ledger = Ledger(rows_max=1)
    RowRecorder(ledger, Recorder(lambda: brokers.service))
    transactor = Transactor(brokers)
    transactor.init()
    transact(transactor, committed=True)
    assert (len(ledger.epochs), len(ledger.decisions), len(ledger)) == (1, 0, 0)
    assert ledger.dropped == 1, "later events are not worth their cost"
    assert Fenced("mine", 0, 0, "EndTxn", "PRODUCER_FENCED") not in ledger.fenced
