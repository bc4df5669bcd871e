"""Replicas that truncate their logs by leader epoch, and what their producers are then."""

from tests.conformance.batches import Producer
from tests.conformance.replicas import IN_SYNC_FOR_LONG, Replicas, replicated
from tests.conformance.requests import new_producer
from tests.conformance.scenarios.lagging_replicas import RECORDED
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


def diverge(them: Replicas, one: Producer, other: Producer) -> None:
    """Let replica 1 have a tail that replica 2, which leads then, never had."""
    them.cut_off(2)
    for sequence in (2, 3):
        them.write("one at 1", one, sequence, broker=1, acks=1)
    them.write("the other at 1", other, 0, broker=1, acks=1)
    them.see("2 lags", 1, 2)
    them.see_epochs("2 lags", 1, 0, 1)
    them.lead(2)
    them.see("2 leads", 2, 1)
    them.see_epochs("2 leads", 2, 0, 1, 2)
    them.write("one at 2", one, 2, broker=2, acks=1)
    them.follow(2)
    them.see("1 follows", 2, 1)
    them.lead(1)
    them.see("1 leads again", 1, 2)
    them.see_epochs("1 leads again", 1, 0, 1, 2, 3)


def probe(them: Replicas, one: Producer, other: Producer) -> None:
    """Write again what was written before, and go on."""
    for title, who, sequence in (
        ("one again", one, 2),
        ("one again", one, 1),
        ("one again", one, 0),
        ("the other again", other, 0),
        ("one goes on", one, 3),
        ("one leaves one out", one, 5),
        ("the other goes on", other, 1),
    ):
        them.write(title, who, sequence, broker=1, acks=1)
    them.see("written", 1, 2)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_tail_that_nobody_else_has(talk: Talk) -> None:
    them = replicated(talk, "a-tail-that-nobody-else-has", [1, 2])
    one, other = new_producer(talk), new_producer(talk)
    for sequence in (0, 1):
        them.write("one", one, sequence, broker=1)
    diverge(them, one, other)
    probe(them, one, other)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_tail_after_deleted_records(talk: Talk) -> None:
    """A truncation reads the producers again, and forgets those without records."""
    them = replicated(talk, "a-tail-after-deleted-records", [1, 2])
    one, other, third = (new_producer(talk) for _ in range(3))
    for sequence in (0, 1):
        them.write("one", one, sequence, broker=1)
    them.write("the third", third, 0, broker=1)
    them.delete(-1, broker=1)
    diverge(them, one, other)
    them.write("the third goes on", third, 1, broker=1, acks=1)
    them.write("the third again", third, 0, broker=1, acks=1)
    probe(them, one, other)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_tail_of_several_epochs(talk: Talk) -> None:
    """Each replica has records of epochs that the other one does not know."""
    them = replicated(talk, "a-tail-of-several-epochs", [1, 2, 3])
    one = new_producer(talk)
    them.write("one", one, 0, broker=1)
    them.cut_off(3)
    them.write("one", one, 1, broker=1, acks=1)
    them.lead(2)
    them.write("one", one, 2, broker=2, acks=1)
    them.control.settle()
    them.see("2 leads", 2, 1, 3)
    them.see_epochs("2 leads", 2, 0, 1, 2)
    them.lead(3)
    them.see("3 leads", 3, 1, 2)
    them.see_epochs("3 leads", 3, 0, 1, 2, 3)
    them.write("one again", one, 1, broker=3, acks=1)
    them.write("one leaves one out", one, 3, broker=3, acks=1)
    them.follow(3)
    them.lead(1)
    them.see("1 leads", 1, 2, 3)
    them.see_epochs("1 leads", 1, 0, 1, 2, 3, 4)
    for sequence in (0, 1, 2, 3):
        them.write("one", one, sequence, broker=1)
    them.see("written", 1, 2, 3)
