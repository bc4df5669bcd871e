"""In-sync replicas that shrink and grow by lag: high watermark, acks=all, min.insync.replicas."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.replicas import (
    IN_SYNC_FOR_LONG,
    SOON_OUT_OF_SYNC,
    replicated,
)
from tests.conformance.requests import list_offsets, new_producer
from tests.conformance.scenarios.lagging_replicas import RECORDED
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

SHORT_MS = 400
"""The timeout of writes that wait in vain, shorter than a replica stays in sync."""
LONG_MS = 12_000
"""The timeout of a write that waits until a replica has left."""


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def high_watermark_of_a_new_leader(talk: Talk) -> None:
    """A new leader knows less than it has, until its followers have fetched (KIP-207)."""
    them = replicated(talk, "high-watermark-of-a-new-leader", [1, 2, 3])
    one = new_producer(talk)
    for sequence in (0, 1):
        them.write("one", one, sequence, broker=1)
    them.cut_off(3)
    for sequence in (2, 3):
        them.write("one", one, sequence, broker=1, acks=1)
    them.control.settle()
    them.see("3 lags", 1, 2, 3)
    them.kill(1, leader=2)
    them.see("2 leads", 2, 3)
    for version in talk.versions(ApiKey.LIST_OFFSETS):
        for title, timestamp in (("latest", -1), ("earliest", -2), ("T+1", talk.at(1))):
            request = list_offsets((them.topic, 0, timestamp))
            talk.ask(f"{title}, v{version}", request, version, broker=2)
        for title, timestamp in (("T+2", talk.at(2)), ("T+3", talk.at(3)), ("T+9", talk.at(9))):
            request = list_offsets((them.topic, 0, timestamp))
            talk.ask(f"{title}, v{version}", request, version, broker=2)
    for offset in (2, 3, 4, 5):
        them.read("2 leads", 2, offset)
    them.see_epochs("2 leads", 2, 0, 1)
    them.write("one again", one, 3, broker=2, acks=1)
    them.write("one goes on", one, 4, broker=2, acks=1)
    them.write("one waits", one, 5, broker=2, timeout_ms=SHORT_MS)
    them.delete(3, broker=2)
    them.see("written", 2, 3)
    them.follow(3)
    them.see("3 follows", 2, 3)
    them.start(1)
    them.see("1 is back", 2, 1, 3)


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def leader_epochs_after_followers_end(talk: Talk) -> None:
    """With ZooKeeper, a leader begins a new epoch when the controller removes a follower."""
    them = replicated(talk, "leader-epochs-after-followers-end", [1, 2, 3])
    one = new_producer(talk)
    them.write("one", one, 0, broker=1)
    them.stop(3)
    them.see("3 is stopped", 1, 2)
    them.see_epochs("3 is stopped", 1, 0, 1)
    them.write("one", one, 1, broker=1)
    them.kill(2)
    them.see("2 is killed", 1)
    them.see_epochs("2 is killed", 1, 0, 1, 2)
    them.start(3)
    them.start(2)
    them.see("both are back", 1, 2, 3)
    them.see_epochs("both are back", 1, 0, 1, 2, 3)
    them.write("one", one, 2, broker=1)
    them.see_epochs("one has written", 1, 0, 1, 2, 3)


@scenario(
    brokers=3,
    replicas=True,
    slow=True,
    settings=SOON_OUT_OF_SYNC,
    presets=RECORDED,
)
def writes_while_replicas_lag(talk: Talk) -> None:
    """Writes with acks=all wait for all in-sync replicas, of which there are fewer with time."""
    them = replicated(
        talk, "writes-while-replicas-lag", [1, 2, 3], configs={"min.insync.replicas": "2"}
    )
    one = new_producer(talk)
    them.write("one", one, 0, broker=1)
    them.cut_off(3)
    them.write("3 lags", one, 1, broker=1, timeout_ms=SHORT_MS)
    them.see("3 lags", 1, 2, 3)
    them.write("3 lags, again", one, 1, broker=1, timeout_ms=SHORT_MS)
    them.leave(3, 1, 2)
    them.see("3 is out of sync", 1, 2, 3)
    them.write("3 is out of sync, again", one, 1, broker=1)
    them.write("3 is out of sync", one, 2, broker=1)
    them.cut_off(2)
    waiting = them.begin_write("2 lags", one, 3, broker=1, timeout_ms=LONG_MS)
    them.leave(2, 1)
    talk.let_time_pass(LONG_MS)
    talk.finish(waiting)
    them.see("2 is out of sync", 1, 2, 3)
    them.write("too few", one, 4, broker=1)
    them.write("too few", one, 4, broker=1, acks=1)
    them.write("too few, again", one, 3, broker=1)
    them.see("too few", 1, 2, 3)
    them.delete(2, broker=1)
    them.follow(2)
    them.see("2 follows", 1, 2, 3)
    them.write("2 follows", one, 5, broker=1)
    them.follow(3)
    them.await_in_sync(1, 2, 3)
    them.write("3 follows", one, 6, broker=1)
    them.see("3 follows", 1, 2, 3)


@scenario(brokers=3, replicas=True, slow=True, settings=SOON_OUT_OF_SYNC, presets=RECORDED)
def a_leader_whose_followers_lag_is_killed(talk: Talk) -> None:
    """The only in-sync replica has all; without it nobody leads, and it leads when it is back."""
    them = replicated(talk, "a-leader-whose-followers-lag-is-killed", [1, 2])
    one = new_producer(talk)
    them.write("one", one, 0, broker=1)
    them.cut_off(2)
    them.write("one", one, 1, broker=1, acks=1)
    them.leave(2, 1)
    them.see("2 is out of sync", 1, 2)
    them.kill(1, leader=-1)
    them.follow(2)
    them.see_own("nobody leads", 2)
    them.write("nobody leads", one, 2, broker=2)
    them.start(1, leader=1)
    them.see("1 is back", 1, 2)
    them.write("1 is back", one, 2, broker=1)
    them.write("again", one, 1, broker=1)
    them.write("again", one, 0, broker=1)
