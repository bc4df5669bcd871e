"""Numbers of events, and the backends that get them."""

import pytest

from mockbroker.events.event_types import AnswerGiven, Event, RequestCame
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row_recorder import RowRecorder
from mockbroker.journal.recorder import Recorder, entries_of
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import Brokers, frame_of, sized
from tests.support.journals import Notes
from tests.support.requests import batch_of, produce


@pytest.mark.parametrize("acks", [-1, 0, 1])
def test_entries_are_counted_without_being_made(acks: int) -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    frames = [sized(frame_of(produce(acks=acks), 9, number)) for number in range(1, 12)]
    peer = brokers.connect()
    for cut in (0, 1, 2):
        peer.feed(b"".join(frames[cut : cut + 1]))
    peer.feed(b"".join(frames[3:]))
    assert brokers.fast_answers == 10
    for recorded in notes.recorded():
        made = {entry.seq for entry in notes.expansion.entries(recorded)}
        assert made == set(range(recorded.seq, recorded.seq + entries_of(recorded.event)))


def test_without_a_backend_nothing_is_subscribed_or_counted() -> None:
    brokers = Brokers(topics={"orders": 1})
    recorder = Recorder(lambda: brokers.service)
    seen: list[tuple[int, Event]] = []

    def backend(event: Event, number: int) -> None:
        seen.append((number, event))

    recorder.attach(backend)
    recorder.detach(backend)
    assert brokers.service.event_bus is None
    brokers.connect().ask(produce(), 9, ProduceResponse)
    assert (recorder.seq, seen) == (0, [])
    recorder.attach(backend)
    brokers.connect().ask(produce(), 9, ProduceResponse)
    assert [number for number, _ in seen] == list(range(1, recorder.seq + 1))


def test_an_event_without_an_entry_has_the_number_of_the_one_before() -> None:
    brokers = Brokers(topics={"orders": 1})
    recorder = Recorder(lambda: brokers.service)
    numbers: dict[type, list[int]] = {}
    recorder.attach(lambda event, number: numbers.setdefault(type(event), []).append(number))
    peer = brokers.connect()
    peer.send(produce(acks=0), 9)
    ((came,), (answered,)) = numbers[RequestCame], numbers[AnswerGiven]
    assert came < answered == recorder.seq


def test_rows_and_entries_have_the_same_numbers() -> None:
    brokers = Brokers(topics={"orders": 1})
    ledger = Ledger()
    notes = Notes(brokers)
    RowRecorder(ledger, notes.numbers)
    peer = brokers.connect()
    for _ in range(4):
        peer.ask(produce(records=batch_of(b"a", b"b")), 9, ProduceResponse)
    assert [row.came_at for row in ledger] == [each.seq for each in notes.entries("request")]
    assert [row.appended_at for row in ledger] == [each.seq for each in notes.entries("append")]
    assert [row.answered_at for row in ledger] == [each.seq for each in notes.entries("answer")]


def test_a_journal_counts_from_its_start() -> None:
    brokers = Brokers(topics={"orders": 1})
    recorder = Recorder(lambda: brokers.service)
    RowRecorder(Ledger(), recorder)
    brokers.connect().ask(produce(), 9, ProduceResponse)
    assert recorder.seq > 0
    notes = Notes(brokers, numbers=recorder)
    brokers.connect()
    assert [each.seq for each in notes.entries()] == [1]
