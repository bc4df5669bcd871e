"""Replicas that disagree about producers: snapshots that are full, older, or lost."""

from collections.abc import Callable

from tests.conformance.replicas import IN_SYNC_FOR_LONG, Replicas, replicated
from tests.conformance.requests import new_producer
from tests.conformance.scenarios.lagging_replicas import RECORDED
from tests.conformance.scenarios.reassignments import Shape, await_shape, reassign
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk


def snapshots(
    talk: Talk,
    before_start: Callable[[Replicas], None],
    *,
    is_killed: bool = False,
    is_deleted: bool = True,
) -> None:
    """Restart a follower, which leads then: its producers come from its snapshot and its log."""
    them = replicated(talk, f"snapshots-{before_start.__name__}-{is_killed}-{is_deleted}", [1, 2])
    one, other, third = (new_producer(talk) for _ in range(3))
    for sequence in (0, 1):
        them.write("the first", third, sequence, broker=1)
    them.delete(1, broker=1)
    them.write("one", one, 0, broker=1)
    them.stop(2, leader=1)
    them.control.keep_snapshots(2, them.topic)
    them.start(2, leader=1)
    for sequence in (1, 2, 3):
        them.write("one", one, sequence, broker=1)
    them.write("the other", other, 0, broker=1)
    if is_deleted:
        them.delete(-1, broker=1)
        them.write("the last", third, 2, broker=1)
    them.control.settle()
    if is_killed:
        them.kill(2, leader=1)
    else:
        them.stop(2, leader=1)
    before_start(them)
    them.start(2, leader=1)
    them.lead(2)
    them.see("2 leads", 2, 1)
    for title, who, sequence in (
        ("one again", one, 3),
        ("one again", one, 2),
        ("one again", one, 0),
        ("one leaves one out", one, 5),
        ("one goes on", one, 4),
        ("the other again", other, 0),
        ("the other goes on", other, 1),
        ("the first again", third, 2),
        ("the first again", third, 1),
    ):
        them.write(title, who, sequence, broker=2)
    them.see("written", 2, 1)
    them.lead(1)
    them.see("1 leads", 1, 2)
    for title, who, sequence in (("one again", one, 3), ("the other again", other, 0)):
        them.write(title, who, sequence, broker=1)


def leave(_them: Replicas) -> None:
    """Leave the files as they are."""


def lose(them: Replicas) -> None:
    """Lose the snapshots."""
    them.lose_snapshots(2)


def turn_back(them: Replicas) -> None:
    """Replace the snapshots by older ones."""
    them.restore_snapshots(2)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_full_producer_snapshot(talk: Talk) -> None:
    snapshots(talk, leave)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def an_older_producer_snapshot(talk: Talk) -> None:
    snapshots(talk, turn_back)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_lost_producer_snapshot(talk: Talk) -> None:
    snapshots(talk, lose)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_lost_producer_snapshot_with_records(talk: Talk) -> None:
    snapshots(talk, lose, is_deleted=False)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def producers_after_a_kill(talk: Talk) -> None:
    snapshots(talk, leave, is_killed=True)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def producers_after_a_kill_with_records(talk: Talk) -> None:
    snapshots(talk, leave, is_killed=True, is_deleted=False)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def a_snapshot_at_the_log_start(talk: Talk) -> None:
    """A snapshot is used only if it is beyond the log start: else its producers are forgotten."""
    them = replicated(talk, "a-snapshot-at-the-log-start", [1, 2])
    one = new_producer(talk)
    for sequence in (0, 1):
        them.write("one", one, sequence, broker=1)
    them.delete(-1, broker=1)
    them.stop(2, leader=1)
    them.start(2, leader=1)
    them.lead(2)
    them.see("2 leads", 2, 1)
    them.write("one again", one, 1, broker=2)
    them.write("one goes on", one, 2, broker=2)
    them.see("written", 2, 1)
    them.lead(1)
    them.see("1 leads", 1, 2)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def producers_of_an_added_replica(talk: Talk) -> None:
    """A replica that is added after a deletion knows only producers that have records (KIP-360)."""
    them = replicated(talk, "producers-of-an-added-replica", [1])
    one, other = new_producer(talk), new_producer(talk)
    for sequence in (0, 1):
        them.write("one", one, sequence, broker=1)
    them.delete(-1, broker=1)
    for sequence in (0, 1):
        them.write("the other", other, sequence, broker=1)
    talk.ask("to 1 and 2", reassign((them.topic, 0, [1, 2])), 0, broker=CONTROLLER)
    await_shape(talk, them.topic, Shape(0, [1, 2]))
    them.control.settle()
    them.see("2 is added", 1, 2)
    them.lead(2)
    them.see("2 leads", 2, 1)
    them.write("the other again", other, 0, broker=2)
    them.write("one again", one, 1, broker=2)
    them.write("one goes on", one, 2, broker=2)
    them.see("written", 2, 1)
    them.lead(1)
    them.see("1 leads", 1, 2)
    them.write("one again", one, 1, broker=1)
    them.write("one again", one, 2, broker=1)
