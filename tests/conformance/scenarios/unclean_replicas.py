"""Elections of replicas that are not in sync: lost records, lost transactions, lost markers."""

from tests.conformance.moving_transactor import MovingTransactor, coordinator_on_last
from tests.conformance.replicas import (
    IN_SYNC_FOR_LONG,
    replicated,
)
from tests.conformance.requests import new_producer
from tests.conformance.scenarios.lagging_replicas import RECORDED
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


@scenario(brokers=3, replicas=True, slow=True, settings=IN_SYNC_FOR_LONG, presets=RECORDED)
def an_unclean_election_loses_records(talk: Talk) -> None:
    them = replicated(talk, "an-unclean-election-loses-records", [1, 2])
    one, other = new_producer(talk), new_producer(talk)
    them.write("one", one, 0, broker=1)
    them.kill(2, leader=1)
    them.write("one", one, 1, broker=1)
    them.write("the other", other, 0, broker=1)
    them.see("2 is away", 1)
    them.kill(1, leader=-1)
    them.start(2, leader=-1)
    them.see_own("nobody leads", 2)
    them.elect_unclean(2)
    them.see("2 leads", 2)
    them.see_epochs("2 leads", 2, 0, 1, 2, 3, 4)
    them.write("one again", one, 1, broker=2)
    them.write("one again", one, 0, broker=2)
    them.write("the other goes on", other, 1, broker=2)
    them.write("one leaves one out", one, 3, broker=2)
    them.see("written", 2)
    them.start(1, leader=2)
    them.see("1 is back", 2, 1)
    them.see_epochs("1 is back", 2, 0, 1, 2, 3, 4, 5)


@scenario(
    brokers=3,
    replicas=True,
    slow=True,
    transactional=True,
    settings=IN_SYNC_FOR_LONG,
    presets=RECORDED,
)
def an_unclean_election_loses_a_transaction(talk: Talk) -> None:
    """The open transaction is only in the tail that is lost; its marker arrives all the same."""
    coordinator_on_last(talk, "unclean-1")
    them = replicated(talk, "an-unclean-election-loses-a-transaction", [1, 2])
    plain = new_producer(talk)
    them.write("plain", plain, 0, broker=1)
    one = MovingTransactor(talk, "unclean-1")
    one.begin(them.part)
    them.kill(2, leader=1)
    one.write("in the tail", them.part, b"a")
    one.write("in the tail", them.part, b"b")
    them.see("2 is away", 1)
    them.kill(1, leader=-1)
    them.start(2, leader=-1)
    them.elect_unclean(2)
    one.leader = 2
    them.see("2 leads", 2)
    one.write("goes on", them.part, b"c")
    them.see("written", 2)
    one.end("commit", committed=True)
    one.await_complete(committed=True)
    them.see("committed", 2)
    one.add("next", them.part)
    one.write("next", them.part, b"d")
    one.end("abort", committed=False)
    one.await_complete(committed=False)
    them.see("aborted", 2)
    them.start(1, leader=2)
    them.see("1 is back", 2, 1)


@scenario(
    brokers=3,
    replicas=True,
    slow=True,
    transactional=True,
    settings=IN_SYNC_FOR_LONG,
    presets=RECORDED,
)
def an_unclean_election_loses_a_marker(talk: Talk) -> None:
    """The transaction is complete for its coordinator, and open for ever at the new leader."""
    coordinator_on_last(talk, "unclean-2")
    them = replicated(talk, "an-unclean-election-loses-a-marker", [1, 2])
    plain = new_producer(talk)
    one = MovingTransactor(talk, "unclean-2")
    one.begin(them.part)
    one.write("write", them.part, b"a")
    them.control.settle()
    them.kill(2, leader=1)
    one.end("commit", committed=True)
    one.await_complete(committed=True)
    them.write("plain", plain, 0, broker=1)
    them.see("committed", 1)
    them.kill(1, leader=-1)
    them.start(2, leader=-1)
    them.elect_unclean(2)
    one.leader = 2
    one.see("2 leads")
    them.see("2 leads", 2)
    them.write("plain again", plain, 0, broker=2)
    them.see("it hangs", 2)
    one.add("next", them.part)
    one.write("next", them.part, b"b")
    one.end("abort", committed=False)
    one.await_complete(committed=False)
    them.see("aborted", 2)
    one.init("begin again")
    one.add("next but one", them.part)
    one.write("next but one", them.part, b"c")
    one.end("commit", committed=True)
    one.await_complete(committed=True)
    them.see("committed again", 2)
    them.start(1, leader=2)
    them.see("1 is back", 2, 1)
