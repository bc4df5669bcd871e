"""Elections of a replica that lags although it is in sync: its log, its producers, its log start.

A follower is cut off, its leader goes on with acks=1 and is killed. The follower leads with what
it has, and the old leader comes back with records that nobody else has.
"""

from collections.abc import Sequence

from tests.conformance.replicas import IN_SYNC_FOR_LONG, replicated
from tests.conformance.requests import new_producer
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

RECORDED = ("2.4", "2.8", "4.4")
SINCE_1_1 = ("1.1", "2.3", *RECORDED)


def retained_producers(talk: Talk, replicas: Sequence[int]) -> None:
    """Elect a lagging replica that has a producer whose records are deleted (KIP-360)."""
    them = replicated(talk, f"retained-{len(replicas)}", replicas)
    one, other = new_producer(talk), new_producer(talk)
    for sequence in (0, 1):
        them.write("one", one, sequence, broker=1)
    them.delete(-1, broker=1)
    them.see("deleted", 1, *replicas[1:])
    them.cut_off(2)
    them.write("one", one, 2, broker=1, acks=1)
    them.write("the other", other, 0, broker=1, acks=1)
    them.see("2 lags", 1, *replicas[1:])
    them.kill(1, leader=2)
    them.follow(2)
    them.see("2 leads", 2, *replicas[2:])
    them.see_epochs("2 leads", 2, 0, 1, 2)
    for title, who, sequence in (
        ("one again", one, 1),
        ("one again", one, 0),
        ("one leaves one out", one, 3),
        ("one again", one, 2),
        ("one goes on", one, 3),
        ("the other goes on", other, 1),
        ("the other again", other, 0),
    ):
        them.write(title, who, sequence, broker=2, acks=1)
    them.see("written", 2, *replicas[2:])
    them.start(1)
    them.see("1 is back", 2, 1, *replicas[2:])
    them.see_epochs("1 is back", 2, 0, 1, 2, 3)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def retained_producers_of_two_replicas(talk: Talk) -> None:
    retained_producers(talk, [1, 2])


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def retained_producers_of_three_replicas(talk: Talk) -> None:
    retained_producers(talk, [1, 2, 3])


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=SINCE_1_1)
def log_start_of_a_lagging_replica(talk: Talk) -> None:
    """A replica that misses a deletion leads: what was deleted resurfaces, with its producer."""
    them = replicated(talk, "log-start-of-a-lagging-replica", [1, 2])
    one = new_producer(talk)
    for sequence in (0, 1, 2):
        them.write("one", one, sequence, broker=1)
    them.cut_off(2)
    them.delete(2, broker=1)
    them.see("2 misses a deletion", 1, 2)
    them.read("2 misses a deletion", 1, 2)
    them.delete(-1, broker=1)
    them.see("2 misses all", 1, 2)
    them.write("one goes on", one, 3, broker=1, acks=1)
    them.write("one begins again", one, 0, broker=1, acks=1)
    them.write("one goes on again", one, 1, broker=1, acks=1)
    them.see("written without 2", 1, 2)
    them.kill(1, leader=2)
    them.follow(2)
    them.see("2 leads", 2)
    for offset in (1, 2, 3, 4):
        them.read("2 leads", 2, offset)
    them.write("one goes on at 2", one, 2, broker=2, acks=1)
    them.write("one leaves one out", one, 4, broker=2, acks=1)
    them.write("one goes on after all", one, 3, broker=2, acks=1)
    them.start(1)
    them.see("1 is back", 2, 1)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=SINCE_1_1)
def log_start_of_a_stopped_leader(talk: Talk) -> None:
    """A leader that was stopped in a controlled way comes back with its own log start."""
    them = replicated(talk, "log-start-of-a-stopped-leader", [1, 2])
    one = new_producer(talk)
    for sequence in (0, 1, 2):
        them.write("one", one, sequence, broker=1)
    them.cut_off(2)
    them.delete(2, broker=1)
    them.see("2 misses a deletion", 1, 2)
    them.stop(1, leader=2)
    them.follow(2)
    them.see("2 leads", 2)
    them.write("one goes on", one, 3, broker=2, acks=1)
    them.start(1)
    them.see("1 is back", 2, 1)
    them.stop(2, leader=1)
    them.see("1 leads", 1)
    them.read("1 leads", 1, 2)
    them.write("one goes on", one, 4, broker=1, acks=1)
    them.start(2)
    them.see("2 is back", 1, 2)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=SINCE_1_1)
def log_start_after_a_restart(talk: Talk) -> None:
    """A killed leader forgets its log start, which only a controlled stop writes at once."""
    them = replicated(talk, "log-start-after-a-restart", [1])
    one = new_producer(talk)
    for sequence in (0, 1, 2):
        them.write("one", one, sequence, broker=1)
    them.delete(2, broker=1)
    them.see("deleted", 1)
    them.kill(1, leader=-1)
    them.start(1, leader=1)
    them.see("1 was killed", 1)
    them.write("one again", one, 1, broker=1)
    them.delete(-1, broker=1)
    them.see("all is deleted", 1)
    them.stop(1, leader=-1)
    them.start(1, leader=1)
    them.see("1 was stopped", 1)
    them.write("one again", one, 2, broker=1)
    them.write("one goes on", one, 3, broker=1)
