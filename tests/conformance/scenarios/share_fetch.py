"""Share sessions, acquired records and acknowledgements, for a member without a group.

ShareFetch does not ask the group coordinator for its member: a raw client only has to initialise
the share partition first, as the coordinator does for a group with members.
"""

from tests.conformance.batches import plain
from tests.conformance.requests import delete_records, list_offsets, produce
from tests.conformance.scenarios.share_coordinator import AVAILABLE, Persister, persister
from tests.conformance.script import scenario
from tests.conformance.share_members import (
    ACCEPT,
    FINAL,
    OTHER,
    REJECT,
    RELEASE,
    RENEW,
    SHORT_LOCKS,
    Batch,
    Member,
    await_release,
    members,
    set_configs,
    store,
)
from tests.conformance.talk import UNKNOWN_ID, Talk
from tests.conformance.transactions import Transactor, styles

NEWEST = ("4.4",)


@scenario(presets=NEWEST)
def share_fetch_and_acknowledge(talk: Talk) -> None:
    one, two = members(talk)
    one.fetch("begin a session", 0)
    one.fetch("fetch what is acquired", 1, partitions=None)
    two.fetch("fetch what is acquired by another", 0)
    one.acknowledge("accept a batch", 2, (0, 2, [ACCEPT]))
    one.acknowledge("accept it again", 3, (0, 2, [ACCEPT]))
    one.acknowledge("each its own", 4, (3, 5, [ACCEPT, RELEASE, REJECT]))
    two.fetch("fetch what was released", 1, partitions=None)
    one.acknowledge("accept another's record", 5, (4, 4, [ACCEPT]))
    two.fetch("accept it while fetching", 2, (4, 4, [ACCEPT]))
    Persister(talk, one.topic_id).summary("what is stored")
    one.acknowledge("accept what is unknown", 6, (6, 6, [ACCEPT]))
    two.fetch("end the session", FINAL, partitions=None)
    one.acknowledge("end the other session", FINAL)


@scenario(presets=NEWEST)
def share_sessions(talk: Talk) -> None:
    one, two = members(talk)
    one.fetch("fetch without a session", 1)
    one.fetch("end no session", FINAL, partitions=None)
    one.acknowledge("acknowledge without a session", 1, (0, 0, [ACCEPT]))
    one.acknowledge("acknowledge at the beginning", 0, (0, 0, [ACCEPT]))
    one.acknowledge("end no session by an acknowledgement", FINAL)
    one.fetch("begin with an acknowledgement", 0, (0, 0, [ACCEPT]))
    one.fetch("begin", 0, records_max=1)
    one.fetch("fetch in a wrong epoch", 2, partitions=None)
    one.acknowledge("acknowledge in a wrong epoch", 0, (0, 0, [ACCEPT]))
    one.fetch("begin again", 0)
    one.fetch("forget the partition", 1, partitions=None, forgotten=[0])
    one.fetch("fetch nothing", 2, partitions=None)
    one.fetch("acknowledge a partition that is not in the session", 3, (0, 2, [ACCEPT]))
    one.fetch("end with an acknowledgement", FINAL, (3, 5, [RELEASE]))
    two.fetch("fetch what was released", 0)
    unknown = Member(talk, UNKNOWN_ID, "C" * 22)
    unknown.fetch("begin with an unknown topic", 0)
    unknown.acknowledge("acknowledge of an unknown topic", 1, (0, 0, [ACCEPT]))
    other = Member(talk, one.topic_id, "D" * 22)
    other.fetch("begin with an unknown partition", 0, partitions=[7])
    other.acknowledge("acknowledge of an unknown partition", 1, (0, 0, [ACCEPT]), partition=7)


@scenario(presets=NEWEST)
def share_fetch_refusals(talk: Talk) -> None:
    one, _ = members(talk)
    Member(talk, one.topic_id, "").fetch("fetch of no member", 0)
    Member(talk, one.topic_id, "short").fetch("fetch of a short member id", 0)
    one.fetch("begin", 0)
    wrong: list[tuple[str, list[Batch]]] = [
        ("out of order", [(3, 5, [ACCEPT]), (0, 2, [ACCEPT])]),
        ("backwards", [(2, 0, [ACCEPT])]),
        ("too few types", [(0, 2, [ACCEPT, ACCEPT])]),
        ("no types", [(0, 2, [])]),
        ("an unknown type", [(0, 2, [5])]),
        ("a negative type", [(0, 2, [-1])]),
        ("a gap", [(0, 0, [0])]),
    ]
    for title, batches in wrong:
        one.fetch(title, 1, *batches)
        one.acknowledge(title, 2, *batches)
        one.fetch("begin again", 0)
    one.fetch("renew with limits", 1, (0, 2, [RENEW]), renews=True)
    one.fetch("renew", 1, (0, 2, [RENEW]), renews=True, max_bytes=0, records_max=0, partitions=[0])
    one.acknowledge("renew by an acknowledgement", 2, (3, 5, [RENEW]), renews=True)
    one.acknowledge("renew without saying so", 3, (3, 5, [RENEW]))
    one.acknowledge("renew in version 1", 4, (3, 5, [RENEW]), version=1)


@scenario(presets=NEWEST)
def share_fetch_limits(talk: Talk) -> None:
    one, two = members(talk)
    one.fetch("one record, but its batch", 0, records_max=1)
    one.acknowledge("release it", 1, (0, 2, [RELEASE]))
    one.fetch("exactly two records", 2, records_max=2, limit=True, partitions=None)
    two.fetch("exactly two other records", 0, records_max=2, limit=True)
    one.fetch("no records", 3, records_max=0, partitions=None)
    one.fetch("no bytes", 4, max_bytes=0, partitions=None)
    one.fetch("one byte", 5, max_bytes=1, partitions=None)
    two.fetch("in batches of one", 1, batch_size=1, partitions=None)
    one.fetch("wait for nothing", 6, max_wait_ms=300, min_bytes=1, partitions=None)


@scenario(presets=NEWEST)
def share_fetch_sizes(talk: Talk) -> None:
    one, _ = members(talk)
    store(talk, 6, 7, 8)
    store(talk, 9, 10, 11)
    size_bytes = len(plain(*(b"record %d" % number for number in range(3)), at_ms=talk.at(0)))
    one.fetch("a batch and a part of a header", 0, max_bytes=size_bytes + 10)
    one.fetch("a batch and a part of another", 1, partitions=None, max_bytes=2 * size_bytes - 10)
    one.fetch("the last batches", 2, partitions=None)


@scenario(presets=NEWEST)
def share_fetch_of_a_state_without_offset(talk: Talk) -> None:
    asking = persister(talk)
    store(talk, 0, 1, 2)
    asking.initialize("initialise", state_epoch=1)
    one = Member(talk, asking.topic_id)
    one.load()
    one.fetch("begin at the end", 0)
    store(talk, 3)
    one.fetch("fetch what came later", 1, partitions=None)
    asking.summary("what is stored")
    one.acknowledge("accept it", 2, (3, 3, [ACCEPT]))
    asking.summary("what is stored then")
    asking.delete("delete the state")
    other = Member(talk, one.topic_id, OTHER)
    store(talk, 4)
    other.fetch("fetch of the known share partition", 0)
    other.acknowledge("acknowledge without a state", 1, (4, 4, [ACCEPT]))
    other.fetch("fetch of what was loaded again", 0, max_wait_ms=500, min_bytes=1)


@scenario(presets=NEWEST)
def share_fetch_without_a_state(talk: Talk) -> None:
    asking = persister(talk)
    store(talk, 0)
    one = Member(talk, asking.topic_id)
    one.fetch("fetch without a state", 0, max_wait_ms=1000, min_bytes=1)
    one.fetch("fetch again", 0, max_wait_ms=1000, min_bytes=1)
    one.acknowledge("acknowledge without a state", 1, (0, 0, [ACCEPT]))


@scenario(
    presets=NEWEST, settings={"group.share.max.share.sessions": "1", "group.share.max.size": "1"}
)
def share_session_limit(talk: Talk) -> None:
    one, two = members(talk)
    one.fetch("the first session", 0)
    two.fetch("a second one", 0, max_wait_ms=300)
    one.fetch("begin the first one again", 0)
    one.fetch("end it", FINAL, partitions=None)
    await_release(talk, one.topic_id)
    two.fetch("the second one then", 0)


@scenario(presets=NEWEST, settings=SHORT_LOCKS)
def share_locks_and_deliveries(talk: Talk) -> None:
    set_configs(talk, {"share.record.lock.duration.ms": "1000", "share.delivery.count.limit": "2"})
    one, two = members(talk)
    one.fetch("acquire", 0)
    one.acknowledge("accept one", 1, (1, 1, [ACCEPT]))
    talk.let_time_pass(1500)
    one.acknowledge("accept another after the lock has expired", 2, (0, 0, [ACCEPT]))
    two.fetch("acquire what was released", 0)
    talk.let_time_pass(700)
    two.fetch("renew", 1, (0, 0, [RENEW]), renews=True, max_bytes=0, records_max=0)
    talk.let_time_pass(700)
    two.acknowledge("accept the renewed one", 2, (0, 0, [ACCEPT]))
    two.acknowledge("accept one that is archived", 3, (3, 3, [ACCEPT]))
    Persister(talk, one.topic_id).summary("what is stored")
    store(talk, 6)
    one.fetch("fetch what is new", 3, partitions=None)


@scenario(presets=NEWEST)
def share_deliveries_one_by_one(talk: Talk) -> None:
    one, _ = members(talk)
    one.fetch("acquire", 0)
    epoch = 1
    for number in range(2, 9):
        one.acknowledge(f"release {number}", epoch, (0, 5, [RELEASE]))
        one.fetch(f"acquire {number}", epoch + 1, partitions=None)
        epoch += 2


@scenario(presets=NEWEST, transactional=True)
def share_isolation(talk: Talk) -> None:
    set_configs(talk, {"share.isolation.level": "read_committed"})
    asking = persister(talk)
    asking.initialize("initialise", state_epoch=1, start_offset=0)
    one = Member(talk, asking.topic_id)
    one.load()
    style = next(iter(styles(talk.release)))
    aborted, committed, still_open = (
        Transactor(talk, f"share-{name}", style) for name in ("aborted", "committed", "open")
    )
    for each in (aborted, committed, still_open):
        each.init()
        each.add(None, ("t", 0))
    aborted.write(None, ("t", 0), b"a 0", b"a 1")
    committed.write(None, ("t", 0), b"c 2")
    aborted.end(None, committed=False)
    talk.until_quietly(list_offsets(("t", 0, -1)), 1, lambda each: "offset=4" in repr(each))
    committed.end(None, committed=True)
    talk.until_quietly(list_offsets(("t", 0, -1)), 1, lambda each: "offset=5" in repr(each))
    store(talk, 5)
    still_open.write(None, ("t", 0), b"o 6")
    store(talk, 7)
    one.fetch("fetch what is committed", 0)
    one.acknowledge("accept all", 1, (2, 5, [ACCEPT, 0, 0, ACCEPT]))
    asking.summary("what is stored")
    one.fetch("fetch what is open", 2, partitions=None)
    still_open.end(None, committed=False)
    talk.until_quietly(list_offsets(("t", 0, -1)), 1, lambda each: "offset=9" in repr(each))
    one.fetch("fetch after that", 3, partitions=None)


@scenario(presets=NEWEST)
def share_deleted_records(talk: Talk) -> None:
    one, two = members(talk)
    one.fetch("acquire", 0)
    one.acknowledge("release", 1, (0, 4, [RELEASE]))
    talk.quietly(delete_records(("t", 0, 4)), 1)
    two.fetch("acquire what is left", 0)
    one.acknowledge("accept what is left and one more", 2, (3, 5, [ACCEPT]))
    one.acknowledge("accept what is acquired", 3, (5, 5, [ACCEPT]))
    Persister(talk, one.topic_id).summary("what is stored")


@scenario(presets=NEWEST)
def share_deleted_records_in_a_gap(talk: Talk) -> None:
    asking = persister(talk)
    for first in (0, 3, 6):
        store(talk, *range(first, first + 3))
    asking.initialize("initialise", state_epoch=1, start_offset=0)
    asking.write("records after a gap", (2, 8, AVAILABLE, 1), state_epoch=1)
    talk.quietly(delete_records(("t", 0, 4)), 1)
    one = Member(talk, asking.topic_id)
    one.load()
    for epoch in range(3):
        one.fetch(f"fetch {epoch}", epoch, max_wait_ms=300, min_bytes=1)
    store(talk, 9)
    one.fetch("fetch what came later", 3, max_wait_ms=300, min_bytes=1)
    asking.summary("what is stored")


@scenario(presets=NEWEST)
def share_offset_resets(talk: Talk) -> None:
    resets = ("earliest", "by_duration:PT2H", "by_duration:PT0S")
    asking = persister(talk, partitions=len(resets))
    for index, reset in enumerate(resets):
        set_configs(talk, {"share.auto.offset.reset": reset})
        data = plain(b"record", at_ms=talk.at(0))
        talk.quietly(produce(talk, ("t", index, data)), 3)
        asking.initialize(f"initialise, {reset}", state_epoch=1, partition=index)
        one = Member(talk, asking.topic_id)
        one.fetch("fetch", 0, partitions=[index], max_wait_ms=1000, min_bytes=1)
        one.acknowledge("accept", 1, (0, 0, [ACCEPT]), partition=index)
        asking.summary("what is stored", partition=index)


@scenario(presets=NEWEST, brokers=2)
def share_fetch_of_the_wrong_broker(talk: Talk) -> None:
    topic_id = talk.topic("t", assignments=[[2]])
    one = Member(talk, topic_id)
    one.fetch("fetch", 0)
    one.acknowledge("acknowledge", 1, (0, 0, [ACCEPT]))
