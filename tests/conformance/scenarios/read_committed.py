"""read_committed: stable offsets, aborted transactions, ranges, deleted records."""

from itertools import count

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchResponse
from tests.conformance.batches import plain
from tests.conformance.releases import EVERYWHERE, since, until
from tests.conformance.requests import (
    Reading,
    Wanted,
    delete_records,
    fetch,
    list_offsets,
    new_producer,
    produce,
)
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import Style, Transactor, await_stable, styles

COMMITTED_FROM = 4
"""The first version of Fetch with isolation levels."""
COMMITTED = Reading(isolation_level=1)


def old_style(talk: Talk) -> Style:
    """Return the oldest style, which does not bump epochs."""
    return next(iter(styles(talk.release)))


def write_plainly(talk: Talk, topic: str, *values: bytes) -> None:
    """Write values outside of transactions."""
    data = plain(*values, at_ms=talk.at(0))
    talk.quietly(produce(talk, (topic, 0, data)), talk.latest(ApiKey.PRODUCE))


def interleaved(talk: Talk, topic: str, style: Style) -> list[Transactor]:
    """Fill a partition with interleaved transactions.

    The producers are named after the end of their first transaction; the last one stays open.
    """
    part = (topic, 0)
    names = ("aborted", "committed", "aborted-late", "open")
    all_of_them = [Transactor(talk, f"{topic}-{name}", style) for name in names]
    for each in all_of_them:
        each.init()
        each.add(None, part)
    aborted, committed, late, still_open = all_of_them
    write_plainly(talk, topic, b"plain 0")
    aborted.write(None, part, b"a 1", b"a 2")
    committed.write(None, part, b"c 3")
    late.write(None, part, b"l 4")
    aborted.write(None, part, b"a 5")
    aborted.end(None, committed=False)  # 6
    talk.until_quietly(list_offsets((topic, 0, -1)), 1, lambda each: "offset=7" in repr(each))
    committed.write(None, part, b"c 7")
    committed.end(None, committed=True)  # 8
    talk.until_quietly(list_offsets((topic, 0, -1)), 1, lambda each: "offset=9" in repr(each))
    write_plainly(talk, topic, b"plain 9", b"plain 10")
    aborted.add(None, part)
    aborted.write(None, part, b"a 11")
    late.end(None, committed=False)  # 12
    talk.until_quietly(list_offsets((topic, 0, -1)), 1, lambda each: "offset=13" in repr(each))
    aborted.end(None, committed=False)  # 13
    talk.until_quietly(list_offsets((topic, 0, -1)), 1, lambda each: "offset=14" in repr(each))
    write_plainly(talk, topic, b"plain 14")
    still_open.write(None, part, b"o 15", b"o 16")
    write_plainly(talk, topic, b"plain 17")
    return all_of_them


@scenario(transactional=True, presets=EVERYWHERE)
def read_committed_ranges(talk: Talk) -> None:
    talk.topic("ranges")
    *_, still_open = interleaved(talk, "ranges", old_style(talk))
    newest = talk.latest(ApiKey.FETCH)
    for offset in range(20):
        request = fetch(talk, Wanted("ranges", 0, offset), reading=COMMITTED)
        talk.ask(f"from {offset}", request, newest)
    for max_bytes in (1, 80, 150, 230, 400, 600):
        wanted = Wanted("ranges", 0, 0, max_bytes=max_bytes)
        request = fetch(talk, wanted, reading=COMMITTED)
        talk.ask(f"at most {max_bytes} bytes", request, newest)
    for version in talk.versions(ApiKey.FETCH):
        if version >= COMMITTED_FROM:
            request = fetch(talk, Wanted("ranges", 0, 10), reading=COMMITTED)
            talk.ask(f"committed, v{version}", request, version)
        request = fetch(talk, Wanted("ranges", 0, 15))
        talk.ask(f"not only committed, v{version}", request, version)
    still_open.end(None, committed=True)
    await_stable(talk, ("ranges", 0))
    talk.ask("nothing is open", fetch(talk, Wanted("ranges", 0, 9), reading=COMMITTED), newest)


@scenario(transactional=True, presets=EVERYWHERE)
def read_committed_offsets(talk: Talk) -> None:
    talk.topic("listed")
    interleaved(talk, "listed", old_style(talk))
    for version in talk.versions(ApiKey.LIST_OFFSETS)[1:]:
        for timestamp in (-1, -2, talk.at(0), talk.at(1)):
            shown = timestamp if timestamp < 0 else f"T+{timestamp - talk.at(0)}"
            for level in (0, 1) if version >= 2 else (0,):
                request = list_offsets(("listed", 0, timestamp), isolation_level=level)
                talk.ask(f"{shown}, isolation level {level}, v{version}", request, version)
    newest = talk.latest(ApiKey.LIST_OFFSETS)
    for level in (2, -1):
        request = list_offsets(("listed", 0, -1), isolation_level=level)
        talk.ask(f"isolation level {level}", request, newest)


@scenario(transactional=True, slow=True, presets=EVERYWHERE)
def read_committed_while_open(talk: Talk) -> None:
    newest = talk.latest(ApiKey.FETCH)
    for style in styles(talk.release):
        name = f"while-open-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        one.init()
        request = fetch(talk, Wanted(name), reading=COMMITTED)
        one.add(None, (name, 0))
        talk.ask(f"added, {style.name}", request, newest)
        one.write(None, (name, 0), b"a")
        talk.ask(f"written, {style.name}", request, newest)
        waiting = Reading(isolation_level=1, max_wait_ms=300, min_bytes=1)
        in_vain = fetch(talk, Wanted(name), reading=waiting)
        talk.ask(f"waited in vain, {style.name}", in_vain, newest, waits_ms=300)
        long = Reading(isolation_level=1, max_wait_ms=9000, min_bytes=1)
        pending = talk.begin(
            f"woken by the end, {style.name}",
            fetch(talk, Wanted(name), reading=long),
            newest,
            connection="reader",
            waits_ms=9000,
        )
        talk.wait_a_moment()
        one.end(None, committed=True)
        talk.finish(pending)
        await_stable(talk, (name, 0))
        talk.ask(f"ended, {style.name}", request, newest)


@scenario(transactional=True, presets=EVERYWHERE)
def read_committed_after_delete_records(talk: Talk) -> None:
    newest = talk.latest(ApiKey.FETCH)
    deleting = talk.latest(ApiKey.DELETE_RECORDS)
    talk.topic("deleted")
    aborted, *_, still_open = interleaved(talk, "deleted", old_style(talk))
    for first in (2, 6, 12, 15, 16):
        talk.ask(f"delete before {first}", delete_records(("deleted", 0, first)), deleting)
        for offset in (first - 1, first):
            request = fetch(talk, Wanted("deleted", 0, offset), reading=COMMITTED)
            talk.ask(f"from {offset}, deleted before {first}", request, newest)
        stable = list_offsets(("deleted", 0, -1), isolation_level=1)
        talk.ask(f"it is stable up to, deleted before {first}", stable, 2)
    talk.ask("delete all", delete_records(("deleted", 0, -1)), deleting)
    talk.ask("it is stable up to", list_offsets(("deleted", 0, -1), isolation_level=1), 2)
    still_open.write("the open one goes on", ("deleted", 0), b"o 18")
    talk.ask(
        "what is committed then", fetch(talk, Wanted("deleted", 0, 18), reading=COMMITTED), newest
    )
    still_open.end("the open one commits", committed=True)
    await_stable(talk, ("deleted", 0))
    talk.ask("and when it is", fetch(talk, Wanted("deleted", 0, 18), reading=COMMITTED), newest)
    aborted.add("another begins", ("deleted", 0))
    aborted.write("another writes", ("deleted", 0), b"a 20")


@scenario(transactional=True, presets=EVERYWHERE)
def a_fenced_zombie_after_delete_records(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"zombie-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        old = one.init()
        one.run(True, (name, 0))
        one.init()
        one.run(True, (name, 0))
        request = delete_records((name, 0, -1))
        talk.ask(f"delete all, {style.name}", request, talk.latest(ApiKey.DELETE_RECORDS))
        for sequence in (0, 1):
            how = f"the zombie writes {sequence}, {style.name}"
            one.write(how, (name, 0), b"z", base_sequence=sequence, producer=old)
        data = one.batch(b"z", base_sequence=1, producer=old, attributes=0)
        talk.ask(
            f"the zombie writes plainly, {style.name}",
            produce(talk, (name, 0, data)),
            style.produce,
        )
        one.add(f"the live one adds, {style.name}", (name, 0))
        one.write(f"the live one goes on, {style.name}", (name, 0), b"l")
        talk.ask(f"the end, {style.name}", list_offsets((name, 0, -1)), 1)


@scenario(transactional=True, presets=until("3.9"))
def read_committed_across_segments(talk: Talk) -> None:
    # A segment has to be of a megabyte at least, since 4.0.
    talk.topic("rolled", configs={"segment.bytes": "250"})
    interleaved(talk, "rolled", old_style(talk))
    newest = talk.latest(ApiKey.FETCH)
    for offset in range(18):
        wanted = Wanted("rolled", 0, offset, max_bytes=1)
        request = fetch(talk, wanted, reading=COMMITTED)
        talk.ask(f"from {offset}", request, newest)


@scenario(transactional=True, presets=EVERYWHERE)
def read_committed_of_large_transactions(talk: Talk) -> None:
    talk.topic("large", configs={"segment.bytes": "1048576"})
    part = ("large", 0)
    one, two = (Transactor(talk, f"large-{index}", old_style(talk)) for index in range(2))
    for each in (one, two):
        each.init()
        each.add(None, part)
    for index in range(4):
        one.write(None, part, b"%d" % index * 300_000)
        two.write(None, part, b"%d" % index * 100_000)
    one.end(None, committed=False)
    talk.until_quietly(list_offsets(("large", 0, -1)), 1, lambda each: "offset=9" in repr(each))
    two.end(None, committed=True)
    await_stable(talk, part)
    newest = talk.latest(ApiKey.FETCH)
    for offset in range(11):
        wanted = Wanted("large", 0, offset, max_bytes=1)
        talk.ask(f"from {offset}", fetch(talk, wanted, reading=COMMITTED), newest)


@scenario(transactional=True, presets=EVERYWHERE)
def read_committed_of_idempotent_producers(talk: Talk) -> None:
    talk.topic("idempotent")
    producer = new_producer(talk)
    data = plain(b"a", b"b", at_ms=talk.at(0), producer=producer)
    talk.ask("write", produce(talk, ("idempotent", 0, data)), talk.latest(ApiKey.PRODUCE))
    newest = talk.latest(ApiKey.FETCH)
    talk.ask("committed", fetch(talk, Wanted("idempotent"), reading=COMMITTED), newest)
    talk.ask("the end of them", list_offsets(("idempotent", 0, -1), isolation_level=1), 2)


@scenario(transactional=True, presets=since("1.1"))
def read_committed_sessions(talk: Talk) -> None:
    newest = talk.latest(ApiKey.FETCH)
    talk.topic("session", partitions=2)
    one = Transactor(talk, "session", old_style(talk))
    one.init()
    wanted = (Wanted("session", 0), Wanted("session", 1))
    first = Reading(isolation_level=1, session_epoch=0)
    begun = talk.ask("begin", fetch(talk, *wanted, reading=first), newest)
    session_id = talk.expect(FetchResponse, begun).session_id
    epochs = count(1)

    def ask(title: str, *changed: Wanted) -> None:
        on = Reading(isolation_level=1, session_id=session_id, session_epoch=next(epochs))
        talk.ask(title, fetch(talk, *changed, reading=on), newest)

    ask("nothing new")
    one.add(None, ("session", 0))
    ask("a partition is added")
    one.write(None, ("session", 0), b"a")
    ask("a transaction is open")
    ask("and nothing new")
    write_plainly(talk, "session", b"plain")
    ask("something plain behind it")
    one.end(None, committed=False)
    await_stable(talk, ("session", 0))
    ask("it is aborted")
    ask("go on from there", Wanted("session", 0, 3))
    ask("at the end of it")
    write_plainly(talk, "session", b"more")
    ask("more")
