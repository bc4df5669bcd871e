"""How many entries something makes, before they are made."""

import pytest

from mockbroker.journal.heard import entries_of, error_of
from mockbroker.protocol.errors import ErrorCode
from tests.support.in_process import Brokers, frame_of, sized
from tests.support.journals import Notes
from tests.support.requests import produce


@pytest.mark.parametrize("acks", [-1, 0, 1])
def test_entries_are_counted_without_being_made(acks: int) -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    frames = [sized(frame_of(produce(acks=acks), 9, number)) for number in range(1, 12)]
    peer = brokers.connect()
    for cut in (0, 1, 2):
        peer.feed(b"".join(frames[cut : cut + 1]))
    peer.feed(b"".join(frames[3:]))
    assert brokers.plain_answers == 10
    for heard in notes.heard():
        made = {entry.seq for entry in notes.expansion.entries(heard)}
        assert made == set(range(heard.seq, heard.seq + entries_of(heard.event)))


def test_a_code_is_named() -> None:
    assert error_of(0) is ErrorCode.NONE
    assert error_of(-12345) is ErrorCode.UNKNOWN_SERVER_ERROR
