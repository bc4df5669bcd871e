"""Markers of transactions while a follower lags, and aborted transactions at a new leader."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.moving_transactor import MovingTransactor, coordinator_on_last
from tests.conformance.replicas import (
    IN_SYNC_FOR_LONG,
    replicated,
)
from tests.conformance.requests import new_producer
from tests.conformance.scenarios.lagging_replicas import RECORDED
from tests.conformance.scenarios.transaction_markers import marker, write_markers
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


@scenario(
    brokers=3,
    replicas=True,
    slow=True,
    transactional=True,
    settings=IN_SYNC_FOR_LONG,
    presets=RECORDED,
)
def markers_while_a_follower_lags(talk: Talk) -> None:
    """A marker is appended at once, and acknowledged when all in-sync replicas have it."""
    coordinator_on_last(talk, "markers-1")
    them = replicated(talk, "markers-while-a-follower-lags", [1, 2])
    one = MovingTransactor(talk, "markers-1")
    one.begin(them.part)
    one.write("write", them.part, b"a")
    them.cut_off(2)
    one.end("abort", committed=False)
    them.await_end(1, 2)
    them.see("2 lags", 1, 2)
    one.see("2 lags")
    them.follow(2)
    one.await_complete(committed=False)
    them.see("2 follows", 1, 2)
    one.see("2 follows")
    them.lead(2)
    one.leader = 2
    them.see("2 leads", 2, 1)
    one.add("next", them.part)
    one.write("next", them.part, b"b")
    one.end("commit", committed=True)
    one.await_complete(committed=True)
    them.see("committed", 2, 1)


@scenario(
    brokers=3,
    replicas=True,
    slow=True,
    transactional=True,
    settings=IN_SYNC_FOR_LONG,
    presets=RECORDED,
)
def a_marker_that_a_new_leader_does_not_have(talk: Talk) -> None:
    """The coordinator writes the marker again at the new leader."""
    coordinator_on_last(talk, "markers-2")
    them = replicated(talk, "a-marker-that-a-new-leader-does-not-have", [1, 2])
    plain = new_producer(talk)
    one = MovingTransactor(talk, "markers-2")
    one.begin(them.part)
    one.write("write", them.part, b"a")
    them.cut_off(2)
    one.end("abort", committed=False)
    them.await_end(1, 2)
    them.write("plain", plain, 0, broker=1, acks=1)
    them.see("2 lags", 1, 2)
    them.kill(1, leader=2)
    them.follow(2)
    one.leader = 2
    one.await_complete(committed=False)
    them.see("2 leads", 2)
    them.write("plain again", plain, 0, broker=2)
    one.add("next", them.part)
    one.write("next", them.part, b"b")
    one.end("commit", committed=True)
    one.await_complete(committed=True)
    them.start(1, leader=2)
    them.see("1 is back", 2, 1)
    them.lead(1)
    them.see("1 leads", 1, 2)


@scenario(
    brokers=3,
    replicas=True,
    slow=True,
    transactional=True,
    settings=IN_SYNC_FOR_LONG,
    presets=RECORDED,
)
def aborted_transactions_of_a_new_leader(talk: Talk) -> None:
    """Followers index aborted transactions as they copy them, and forget those they truncate."""
    coordinator_on_last(talk, "markers-3")
    them = replicated(talk, "aborted-transactions-of-a-new-leader", [1, 2])
    one, two = (MovingTransactor(talk, name) for name in ("markers-3", "markers-4"))
    one.begin(them.part)
    two.begin(them.part)
    one.write("one", them.part, b"a")
    two.write("two", them.part, b"b")
    one.end("one aborts", committed=False)
    one.await_complete(committed=False)
    them.control.settle()
    them.see("one has aborted", 1, 2)
    them.cut_off(2)
    aborting = write_markers(marker(two.producer, them.part))
    version = talk.latest(ApiKey.WRITE_TXN_MARKERS)
    pending = talk.begin("a marker for two", aborting, version, broker=1, connection="markers")
    them.await_end(1, 4)
    them.see("two has aborted at 1", 1, 2)
    them.lead(2)
    one.leader = two.leader = 2
    talk.finish(pending)
    them.see("2 leads", 2, 1)
    two.write("two goes on", them.part, b"c")
    two.end("two commits", committed=True)
    them.follow(2)
    two.await_complete(committed=True)
    them.see("two has committed", 2, 1)
    them.lead(1)
    them.see("1 leads", 1, 2)
