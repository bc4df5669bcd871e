"""Expansion of events to entries, equal for the fast and the general path."""

import json
from random import Random
from uuid import UUID

import pytest

from mockbroker.events.event_types import CallId, ClusterEvent, Event
from mockbroker.faults.effects.hold import Hold
from mockbroker.journal.entry import KINDS, Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.recorded import Recorded
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.records.batch import build_batch, parse_batch_header
from mockbroker.protocol.records.record import Record
from mockbroker.state.events import (
    CommittedOffset,
    HighWatermarkMoved,
    LeaderElected,
    LogStartMoved,
    LogTruncated,
    OffsetsCommitted,
    OwnedPartitions,
    PartitionsAssigned,
    ProducersExpired,
)
from tests.support.faults import VERSION, Plan, produce_to
from tests.support.in_process import (
    NOW_MS,
    Brokers,
    frame_of,
    sized,
)
from tests.support.journals import Notes, timeless
from tests.support.requests import produce
from tests.support.transactions import Transactor, new_brokers

WHO = CallId(4, 2, 3, "me", ApiKey.PRODUCE, 9, 77, "User:me")
ROUNDS = 40


def entries_of(event: Event, serving: CallId | None = None) -> list[Entry]:
    return Expansion({}).entries(Recorded(5, 6, 7, serving, None, event))


def batch(random: Random, producer_id: int, base_sequence: int, count: int) -> bytes:
    records = [Record(offset=n, timestamp=NOW_MS, value=b"v" * 40) for n in range(count)]
    if random.random() < 0.02:
        base_sequence += 7  # out of order
    return build_batch(
        records, producer_id=producer_id, producer_epoch=0, base_sequence=base_sequence
    )


def traffic(seed: int) -> list[bytes]:
    """Choose the requests of one connection at random: of two producers or none, mostly steady."""
    random = Random(seed)
    sequences = {-1: 0, 4_000: 0, 4_001: 0}
    pieces: list[bytes] = []
    correlation_id = 0
    for _ in range(ROUNDS):
        producer_id, index = random.choice(list(sequences)), random.randrange(2)
        count, acks = random.choice((1, 1, 1, 3)), random.choice((-1, -1, 1, 0))
        piece = b""
        for _ in range(random.choice((1, 2, 8))):
            correlation_id += 1
            sequence = sequences[producer_id]
            records = batch(random, producer_id, -1 if producer_id < 0 else sequence, count)
            sequences[producer_id] += count
            request = produce("orders", index, records, acks=acks)
            piece += sized(frame_of(request, 9, correlation_id))
        pieces.append(piece)
    return pieces


@pytest.mark.parametrize("seed", range(12))
def test_the_fast_and_the_general_path_give_the_same_entries(seed: int) -> None:
    found: list[list[Entry]] = []
    answers: list[int] = []
    for fast in (True, False):
        brokers = Brokers(topics={"orders": 2}, fast=fast)
        notes = Notes(brokers)
        peer = brokers.connect()
        for piece in traffic(seed):
            if peer.is_hung_up:
                peer = brokers.connect()
            peer.feed(piece)
            brokers.loop.run()
        found.append(timeless(notes.entries()))
        answers.append(brokers.fast_answers)
    assert found[0] == found[1]
    for each in found[0]:
        is_refused = each.kind in {"answer", "lost"} and each.error is not ErrorCode.NONE
        assert (each.crc is not None) == (each.kind == "append" or is_refused), each
    assert answers[0] > 20
    assert answers[1] == 0


def test_an_append_has_the_checksum_of_its_batch() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    records = batch(Random(1), -1, -1, 3)
    brokers.connect().ask(produce("orders", 0, records), 9, ProduceResponse)
    (appended,) = notes.entries("append")
    assert appended.crc == parse_batch_header(records).crc > 0


def test_a_transactions_batches_give_the_same_entries_both_ways() -> None:
    found: list[list[Entry]] = []
    for fast in (True, False):
        brokers = new_brokers(fast=fast)
        producer = Transactor(brokers)
        producer.init()
        producer.add(0)
        notes = Notes(brokers)
        peer = brokers.connect()
        for sequence in range(4):
            request = producer.request(0, producer.batch(sequence=sequence))
            peer.ask(request, producer.produce_version, ProduceResponse)
        found.append(timeless(notes.entries()))
        assert (brokers.fast_answers > 0) == fast
    assert found[0] == found[1]
    appended = [each for each in found[0] if each.kind == "append"]
    assert [each.last_stable_offset for each in appended] == [0] * 4
    assert all(each.is_transactional for each in appended)


def test_a_produced_batch_has_its_request_its_append_and_its_answer() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    brokers.connect().ask(produce(), 9, ProduceResponse)
    came, appended, answered = notes.entries("request", "append", "answer")
    assert came[:4] == (2, "request", came.wall_time_us, NOW_MS)
    assert (came.call, came.broker, came.connection, came.api) == (1, 1, 1, ApiKey.PRODUCE)
    assert (came.version, came.acks, came.topic, came.partition) == (9, -1, "orders", 0)
    assert (came.producer_id, came.base_sequence, came.record_count) == (-1, -1, 1)
    assert (appended.seq, appended.call, appended.base_offset, appended.last_offset) == (3, 1, 0, 0)
    assert (appended.high_watermark, appended.log_end_offset) == (1, 1)
    assert appended.is_duplicate is False
    assert (answered.seq, answered.error, answered.base_offset) == (4, ErrorCode.NONE, 0)


def test_a_request_has_a_row_for_each_of_its_partitions() -> None:
    plan = Plan()
    notes = Notes(plan.brokers)
    plan.brokers.connect().ask(produce_to(0, 1, 7), VERSION, ProduceResponse)
    came, answered = notes.entries("request"), notes.entries("answer")
    assert [each.partition for each in came] == [0, 1, 7]
    assert len({each.seq for each in came}) == 1
    assert [each.error for each in answered] == [
        ErrorCode.NONE,
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert notes.kinds() == [*["request"] * 3, *["append"] * 2, *["answer"] * 3]


def test_later_events_of_a_held_request_have_its_call() -> None:
    plan = Plan()
    rule = plan.fault(Hold())
    notes = Notes(plan.brokers)
    plan.brokers.connect().send(produce_to(0), VERSION)
    plan.plan.release(rule)
    plan.brokers.loop.run()
    kinds = ["request", "fault_struck", "held", "append", "released", "answer"]
    assert notes.kinds() == kinds
    assert {each.call for each in notes.entries(*kinds)} == {1}
    (answered,) = notes.entries("answer")
    assert (answered.rule, answered.effect, answered.applied) == (
        rule.name,
        "hold()",
        "after",
    )


def test_a_fault_that_fires_on_a_request_of_a_member_has_the_member_in_its_detail() -> None:
    plan = Plan()
    rule = plan.fault(Hold())
    notes = Notes(plan.brokers)
    request = HeartbeatRequest(group_id="g", generation_id=1, member_id="a")
    plan.brokers.connect().send(request, 3)
    (struck,) = notes.entries("fault_struck")
    assert (struck.rule, struck.group, struck.detail) == (rule.name, "g", '{"member":"a"}')


def test_each_transition_of_a_transaction_is_recorded() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    notes = Notes(brokers)
    producer.init()
    producer.add(0, 1)
    producer.write(0)
    producer.end(committed=False)
    steps = [(each.state_before, each.state_after) for each in notes.entries("transaction")]
    assert steps == [
        ("Empty", "Empty"),
        ("Empty", "Ongoing"),
        ("Ongoing", "PrepareAbort"),
        ("PrepareAbort", "CompleteAbort"),
    ]
    assert {each.transactional_id for each in notes.entries("transaction")} == {"mine"}
    assert notes.entries("transaction")[1].detail == '{"partitions":["orders-0","orders-1"]}'
    markers = notes.entries("marker")
    assert [(each.partition, each.marker) for each in markers] == [(0, "ABORT"), (1, "ABORT")]
    assert markers[0].coordinator_epoch == 0
    (end,) = (each for each in notes.entries("request") if each.api is ApiKey.END_TXN)
    assert (end.marker, end.producer_id) == ("ABORT", producer.producer_id)
    assert end.detail is None


@pytest.mark.parametrize(
    ("event", "kind", "columns"),
    [
        (LogStartMoved("t", 1, 2, 3), "log_start", {"log_start_offset": 3}),
        (LogTruncated("t", 1, 5, 3), "truncation", {"log_end_offset": 3}),
        (HighWatermarkMoved("t", 1, 2, 3), "high_watermark", {"high_watermark": 3}),
        (LeaderElected("t", 1, 2, 3, 4), "leader", {"broker": 3, "leader_epoch": 4}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_changes_of_a_log_have_their_columns(
    event: Event, kind: str, columns: dict[str, int]
) -> None:
    (entry,) = entries_of(event)
    assert (entry.seq, entry.kind, entry.topic, entry.partition) == (5, kind, "t", 1)
    assert {name: getattr(entry, name) for name in columns} == columns
    before = 5 if kind == "truncation" else 2
    assert entry.detail == f'{{"before":{before}}}'


def test_each_producer_that_expires_has_a_row() -> None:
    rows = entries_of(ProducersExpired("t", 1, (7, 8)))
    assert [(each.seq, each.producer_id) for each in rows] == [(5, 7), (5, 8)]


def test_an_event_fills_the_columns_that_it_names() -> None:
    (entry,) = entries_of(ClusterEvent("elect", {"topic": "t", "partition": 1, "log": "kept"}))
    assert (entry.kind, entry.topic, entry.partition) == ("event", "t", 1)
    assert entry.detail == '{"event":"elect","log":"kept"}'


def test_every_kind_of_entry_is_described() -> None:
    made = Brokers(topics={"orders": 1})
    assert {each.kind for each in Notes(made).entries()} <= set(KINDS)


def test_owners_have_a_row_each() -> None:
    orders, gone = UUID(int=1), UUID(int=2)
    changed = PartitionsAssigned(
        "g",
        (
            OwnedPartitions("a", 3, ((orders, 0), (gone, 1))),
            OwnedPartitions("b", 3, (("0", 2),)),
            OwnedPartitions("c", 1, b"\0\0\0\0\0\1\0\1t\0\0\0\1\0\0\0\7\xff\xff\xff\xff"),
        ),
        is_whole=True,
    )
    rows = list(Expansion({orders: "orders"}).entries(Recorded(5, 6, 7, WHO, None, changed)))
    assert {row.principal for row in rows} == {"User:me"}
    assert {(row.kind, row.group, row.call, row.seq) for row in rows} == {
        ("assignment", "g", WHO.number, 5)
    }
    details = [json.loads(row.detail or "") for row in rows]
    assert details[0] == {
        "member": "a",
        "epoch": 3,
        "partitions": ["orders-0", f"{gone}-1"],
        "is_whole": True,
    }
    assert [each["partitions"] for each in details[1:]] == [["0_2"], ["t-7"]]
    (nobody,) = entries_of(PartitionsAssigned("g", (), is_whole=True))
    assert json.loads(nobody.detail or "")["partitions"] == []


def test_committed_offsets_have_a_row_each() -> None:
    places = CommittedOffset("orders", 0, 5, 9), CommittedOffset("orders", 1, -1, None)
    event = OffsetsCommitted("g", "m", "reader", -1, False, places)
    rows = entries_of(event, WHO)
    shown = [(row.kind, row.partition, row.base_offset, row.log_end_offset) for row in rows]
    assert shown == [("offset_committed", 0, 5, 9), ("offset_removed", 1, -1, None)]
    assert {(row.group, row.client_id, row.call, row.producer_id, row.detail) for row in rows} == {
        ("g", "reader", WHO.number, None, '{"member":"m"}')
    }
    pending = event._replace(is_pending=True, producer_id=7, member_id="", client_id=None)
    (row, _) = entries_of(pending, WHO)
    assert (row.kind, row.producer_id, row.is_transactional, row.client_id, row.detail) == (
        *("offset_pending", 7, True, WHO.client_id, None),
    )
