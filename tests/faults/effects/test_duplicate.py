"""A request that is applied twice."""

from mockbroker.faults.effects.duplicate import Duplicate, copy_of
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import Times
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceRequest, ProduceResponse
from tests.support.faults import (
    VERSION,
    Plan,
    codes,
    produce_to,
    produced,
)
from tests.support.transactions import Transactor, new_brokers


def test_a_record_without_idempotence_is_stored_twice() -> None:
    plan = Plan()
    plan.fault(Duplicate(), Times(1), topic="orders")
    assert produced(plan.brokers.connect(), 0) == {("orders", 0): ErrorCode.NONE}
    assert plan.ends() == [2, 0]
    assert plan.brokers.log_bytes("orders")[:8] == bytes(8)


def test_an_idempotent_record_is_stored_once() -> None:
    brokers = new_brokers()
    transactor = Transactor(brokers)
    transactor.init()
    transactor.add(0)
    plan = FaultPlan(brokers.service)
    fault = plan.add(Selectors({"topic": "orders"}))
    fault.effect = Duplicate()
    plan.faults_changed()
    assert transactor.write(0).base_offset == 0
    assert (fault.hits, brokers.state.log_of(brokers.partition("orders"), 0).log_end_offset) == (
        1,
        1,
    )


def test_the_first_answer_is_given() -> None:
    plan = Plan()
    plan.fault(Duplicate(), topic="orders")
    peer = plan.brokers.connect()
    for base_offset in (0, 2):
        answer = peer.ask(produce_to(0), VERSION, ProduceResponse)
        assert codes(answer) == {("orders", 0): 0}
        assert answer.responses[0].partition_responses[0].base_offset == base_offset


def test_a_copy_shares_no_bytes_with_its_request() -> None:
    request = produce_to(0)
    records = bytearray(request.topic_data[0].partition_data[0].records or b"")
    request.topic_data[0].partition_data[0].records = memoryview(records)
    copy = copy_of(request)
    assert isinstance(copy, ProduceRequest)
    kept = copy.topic_data[0].partition_data[0].records
    assert kept == records
    records[0] ^= 0xFF
    assert kept != records
    assert str(Duplicate()) == "duplicate()"
