"""Recording of events as entries, with the names of topics and faults."""

import json

from mockbroker.events.event_types import BatchProduced
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.effects.observe import Observe
from mockbroker.journal.recorded import Answered, Asked
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.events import Owned
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.faults import VERSION, Plan, produce_to
from tests.support.in_process import Brokers, frame_of, sized
from tests.support.journals import Notes
from tests.support.requests import batch_of, fetch, produce
from tests.support.transactions import Transactor, new_brokers


def test_numbers_continue_over_all_recorded_events() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    frames = [sized(frame_of(produce(), 9, number)) for number in range(1, 9)]
    peer = brokers.connect()
    peer.feed(frames[0] + frames[1])
    peer.feed(b"".join(frames[2:]))
    seqs = [entry.seq for entry in notes.entries()]
    assert seqs == list(range(1, notes.numbers.seq + 1))


def test_recorded_events_do_not_hold_the_records() -> None:
    brokers = Brokers(topics={"orders": 2})
    notes = Notes(brokers)
    peer = brokers.connect()
    peer.ask(produce(records=batch_of(b"x" * 500)), 9, ProduceResponse)
    peer.ask(fetch(), 12, FetchResponse)
    frames = [sized(frame_of(produce(), 9, number)) for number in range(3, 9)]
    for cut in (slice(0, 1), slice(1, 2), slice(2, 6)):
        peer.feed(b"".join(frames[cut]))
    events = [each.event for each in notes.recorded()]
    assert sum(isinstance(each, Asked) for each in events) >= 1
    assert sum(isinstance(each, Answered) for each in events) >= 2
    assert sum(isinstance(each, BatchProduced) for each in events) >= 1
    assert b"x" * 500 not in repr(events).encode()


def test_a_deleted_topic_is_found_by_its_id() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    (orders,) = brokers.state.topics
    assert notes.recorder.topic_names == {orders.topic_id: "orders"}
    made = brokers.state.create_topic(NewTopic(name="late", num_partitions=1, replication_factor=1))
    brokers.state.delete_topic(made)
    assert notes.recorder.topic_names[made.topic_id] == "late"
    created, deleted = notes.entries("topic_created", "topic_deleted")
    assert created.detail == f'{{"topic_id":"{made.topic_id}","partitions":1}}'
    assert deleted.topic == "late"


def test_a_partition_of_a_deleted_topic_has_no_owner() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    (old,) = brokers.state.topics
    reporter = brokers.state.observation.reporter
    assert reporter is not None
    report = reporter.partitions_assigned
    owners: list[tuple[str, int, Owned]] = [
        *(("a", 3, ((old.topic_id, 0),)), ("b", 3, (("0", 1),)), ("c", 3, b"")),
    ]
    report("g", owners[:2], is_whole=True)
    brokers.state.delete_topic(old)
    report("g", owners, is_whole=True)
    again = NewTopic(name="orders", num_partitions=1, replication_factor=1)
    report("g", [("d", 3, ((brokers.state.create_topic(again).topic_id, 0),))], is_whole=False)
    rows = (json.loads(each.detail or "") for each in notes.entries("assignment"))
    assert [(each["member"], each["partitions"]) for each in rows] == [
        *(("a", ["orders-0"]), ("b", ["0_1"]), ("a", []), ("b", ["0_1"]), ("c", [])),
        ("d", ["orders-0"]),
    ]


def test_a_question_between_brokers_has_entries_without_a_connection() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    notes = Notes(brokers)
    producer.write(0)
    found = [each for each in notes.entries("request", "answer") if not each.connection]
    api = ApiKey.ADD_PARTITIONS_TO_TXN
    leader = "AddPartitionsManager-client-1"
    assert [(each.kind, each.api, each.client_id, each.topic) for each in found] == [
        ("request", api, leader, "orders"),
        ("answer", api, leader, "orders"),
    ]
    notes.recorder.stop()
    assert not brokers.service.shows_broker_calls


def test_acks_0_has_no_answer() -> None:
    plan = Plan()
    notes = Notes(plan.brokers)
    plan.brokers.connect().send(produce_to(0, 1, acks=0), VERSION)
    assert notes.kinds() == ["request", "request", "append", "append"]


def test_a_lost_answer_names_its_request_and_its_fault() -> None:
    plan = Plan()
    rule = plan.fault(LoseResponse(), topic="orders")
    notes = Notes(plan.brokers)
    plan.brokers.connect().send(produce_to(1), VERSION)
    (lost,) = notes.entries("lost")
    assert (lost.topic, lost.partition, lost.record_count) == ("orders", 1, 1)
    assert (lost.rule, lost.effect, lost.applied) == (rule.name, "lose_response()", "before")
    assert lost.detail == '{"how":"hang_up","reason":"fault"}'


def test_a_lost_request_of_any_api_has_its_topic_and_partition() -> None:
    plan = Plan()
    plan.fault(DropRequest(how="silence"))
    notes = Notes(plan.brokers)
    plan.brokers.connect().send(fetch("orders", 1), 12)
    (lost,) = notes.entries("lost")
    assert (lost.topic, lost.partition, lost.applied) == ("orders", 1, "never")


def test_two_faults_on_one_call_are_both_named() -> None:
    plan = Plan()
    plan.fault(Observe())
    plan.fault(DropRequest())
    notes = Notes(plan.brokers)
    plan.brokers.connect().send(produce_to(0), VERSION)
    (lost,) = notes.entries("lost")
    assert (lost.rule, lost.applied) == ("fault-1, fault-2", "never")
    assert lost.effect == "observe(), drop_request()"


def test_a_fault_is_named_in_the_answer_that_it_held_and_in_no_other() -> None:
    plan = Plan()
    rule = plan.fault(HoldResponse(), partition=0)
    notes = Notes(plan.brokers)
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    plan.plan.release(rule)
    plan.brokers.loop.run()
    plan.brokers.connect().ask(produce_to(1), VERSION, ProduceResponse)
    assert [each.rule for each in notes.entries("answer")] == [rule.name, None]


def test_a_stopped_recorder_records_no_more() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    notes.recorder.stop()
    brokers.connect().ask(produce(), 9, ProduceResponse)
    assert not notes.entries()
    assert brokers.service.event_bus is None
