"""Subscribers of a journal get all entries of one turn of the loop together."""

from collections.abc import Sequence

from mockbroker.journal.entry import Entry
from mockbroker.journal.subscription import Subscription
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import Brokers
from tests.support.journals import Notes
from tests.support.requests import produce


def test_entries_are_delivered_in_order_and_in_batches() -> None:
    brokers = Brokers(topics={"orders": 1})
    notes = Notes(brokers)
    turns: list[Sequence[Entry]] = []
    subscription = Subscription(turns.append, notes.expansion, brokers.loop.as_loop)
    notes.recorder.stores.append(subscription)
    peer = brokers.connect()
    brokers.loop.run()
    peer.ask(produce(), 9, ProduceResponse)
    assert [[entry.kind for entry in turn] for turn in turns] == [
        ["connected"],
        ["request", "append", "answer"],
    ]
    assert [entry for turn in turns for entry in turn] == notes.entries()
