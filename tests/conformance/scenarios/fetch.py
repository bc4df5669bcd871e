"""Fetch: every version, sizes, waiting, sessions, epochs, and reads of old formats."""

from dataclasses import replace
from itertools import product
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from tests.conformance import batches
from tests.conformance.batches import Item, batch, plain
from tests.conformance.releases import between, defaults_since, until
from tests.conformance.requests import PLENTY, Reading, Wanted, delete_records, fetch, produce
from tests.conformance.scenarios.produce import KEPT, dated
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

SHORT_MS = 150
LONG_MS = 8_000


def fill(talk: Talk, topic: str, *sizes: int, partition: int = 0) -> None:
    """Write one batch of one value of each size."""
    for index, size in enumerate(sizes):
        data = plain(bytes([65 + index % 26]) * size, at_ms=talk.at(index))
        talk.quietly(produce(talk, (topic, partition, data)), 3)


def seen(talk: Talk, title: str, *wanted: Wanted, reading: Reading | None = None) -> None:
    """Fetch with the newest version."""
    talk.ask(title, fetch(talk, *wanted, reading=reading), talk.latest(ApiKey.FETCH))


@scenario()
def fetch_versions(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    fill(talk, "t", 5, 6)
    fill(talk, "t", 7, partition=1)
    for version in talk.versions(ApiKey.FETCH):
        both = fetch(talk, Wanted("t", 0), Wanted("t", 1))
        talk.ask(f"both, v{version}", both, version)
        talk.ask(f"in the middle, v{version}", fetch(talk, Wanted("t", 0, 1)), version)
        talk.ask(f"at the end, v{version}", fetch(talk, Wanted("t", 0, 2)), version)
        beyond = fetch(talk, Wanted("t", 0, 3), Wanted("t", 1, -1), Wanted("t", 1, 0))
        talk.ask(f"out of range, v{version}", beyond, version)
        unknown = fetch(talk, Wanted("t", 9), Wanted("missing"), Wanted("t", 1))
        talk.ask(f"unknown, v{version}", unknown, version)
        talk.ask(f"nothing, v{version}", fetch(talk), version)


@scenario()
def fetch_order(talk: Talk) -> None:
    talk.topic("b", partitions=2)
    talk.topic("a", partitions=2)
    fill(talk, "b", 5)
    mixed = [Wanted("b", 0), Wanted("a", 1), Wanted("b", 1), Wanted("a", 0), Wanted("a", 1)]
    for version in sorted({4, 11, 12, talk.latest(ApiKey.FETCH)}):
        if version in talk.versions(ApiKey.FETCH):
            talk.ask(f"topics mixed, v{version}", fetch(talk, *mixed), version)
            odd = fetch(talk, Wanted("b", 9), Wanted("missing"), Wanted("a", 0), Wanted("b", 0))
            talk.ask(f"unknown ones first, v{version}", odd, version)
    if not talk.release.since("1.1"):
        return
    begin = fetch(talk, *mixed[:4], reading=Reading(session_epoch=0))
    answer = talk.ask("a session", begin, talk.latest(ApiKey.FETCH))
    session_id = talk.expect(FetchResponse, answer).session_id
    for index in range(3):
        fill(talk, "a", 5, partition=index % 2)
        fill(talk, "b", 5, partition=index % 2)
        reading = Reading(session_id=session_id, session_epoch=index + 1)
        seen(talk, f"its order, {index}", reading=reading)


@scenario()
def fetch_read_committed(talk: Talk) -> None:
    talk.topic("t")
    fill(talk, "t", 5)
    committed = Reading(isolation_level=1)
    for version in talk.versions(ApiKey.FETCH):
        if version >= 4:
            request = fetch(talk, Wanted("t"), reading=committed)
            talk.ask(f"v{version}", request, version)
            empty = fetch(talk, Wanted("t", 0, 1), reading=committed)
            talk.ask(f"at the end, v{version}", empty, version)
    odd = fetch(talk, Wanted("t"), reading=Reading(isolation_level=2))
    talk.ask("an isolation level that is none", odd, talk.latest(ApiKey.FETCH))


@scenario()
def fetch_sizes(talk: Talk) -> None:
    talk.topic("t", partitions=3)
    for partition in range(3):
        fill(talk, "t", 1000, 1000, 1000, partition=partition)
    every = [Wanted("t", partition) for partition in range(3)]
    versions = sorted({talk.versions(ApiKey.FETCH)[0], 2, 3, 4, 10, talk.latest(ApiKey.FETCH)})
    for version in versions:
        if version not in talk.versions(ApiKey.FETCH):
            continue
        for max_bytes in (0, 1, 100, 1072, 1500, 2144, 3000, 5000):
            small = [replace(each, max_bytes=max_bytes) for each in every]
            talk.ask(f"{max_bytes} a partition, v{version}", fetch(talk, *small), version)
            if version >= 3:
                request = fetch(talk, *every, reading=Reading(max_bytes=max_bytes))
                talk.ask(f"{max_bytes} in all, v{version}", request, version)


@scenario(settings={"fetch.max.bytes": "2500"})
def fetch_size_of_the_broker(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    for partition in range(2):
        fill(talk, "t", 1000, 1000, 1000, partition=partition)
    seen(talk, "a lot is asked for", Wanted("t", 0), Wanted("t", 1))


@scenario()
def fetch_sizes_and_big_batches(talk: Talk) -> None:
    talk.topic("t")
    items = [Item(value=bytes([97 + index]) * 300) for index in range(5)]
    for index in range(2):
        data = batch(*items, at_ms=talk.at(index))
        talk.ask("write", produce(talk, ("t", 0, data)), talk.latest(ApiKey.PRODUCE))
    for offset in (0, 2, 4, 5, 9):
        for max_bytes in (1, 2000, 4000):
            seen(talk, f"from {offset}, {max_bytes}", Wanted("t", 0, offset, max_bytes))


@scenario()
def fetch_waits(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    version = talk.latest(ApiKey.FETCH)
    nothing_there = fetch(talk, Wanted("t"), reading=Reading(max_wait_ms=SHORT_MS, min_bytes=1))
    talk.ask("nothing there", nothing_there, version, waits_ms=SHORT_MS)
    for title, wanted in [
        ("an unknown partition does not wait", Wanted("t", 9)),
        ("out of range does not wait", Wanted("t", 0, 5)),
    ]:
        request = fetch(talk, wanted, reading=Reading(max_wait_ms=LONG_MS, min_bytes=1))
        talk.ask(title, request, version, waits_ms=LONG_MS)
    no_bytes = fetch(talk, Wanted("t"), reading=Reading(max_wait_ms=LONG_MS, min_bytes=0))
    talk.ask("no bytes wanted", no_bytes, version, waits_ms=LONG_MS)
    of_nothing = fetch(talk, reading=Reading(max_wait_ms=LONG_MS, min_bytes=1))
    talk.ask("of nothing", of_nothing, version, waits_ms=LONG_MS)


@scenario()
def fetch_is_woken(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    version = talk.latest(ApiKey.FETCH)
    waiting = fetch(talk, Wanted("t"), reading=Reading(max_wait_ms=LONG_MS, min_bytes=1))
    pending = talk.begin(
        "woken by a batch", waiting, version, connection="reader", waits_ms=LONG_MS
    )
    talk.ask("nothing is said yet", fetch(talk, Wanted("t", 1)), version)
    fill(talk, "t", 10)
    talk.finish(pending)

    more = fetch(talk, Wanted("t", 0, 1), reading=Reading(max_wait_ms=LONG_MS, min_bytes=200))
    pending = talk.begin("woken by enough", more, version, connection="reader", waits_ms=LONG_MS)
    fill(talk, "t", 10)
    fill(talk, "t", 10)
    fill(talk, "t", 10)
    talk.finish(pending)

    both = fetch(
        talk,
        Wanted("t", 0, 4),
        Wanted("t", 1, 0),
        reading=Reading(max_wait_ms=LONG_MS, min_bytes=150),
    )
    pending = talk.begin("enough in sum", both, version, connection="reader", waits_ms=LONG_MS)
    fill(talk, "t", 10, partition=1)
    fill(talk, "t", 10)
    talk.finish(pending)
    too_much = fetch(
        talk, Wanted("t", 0, 0), reading=Reading(max_wait_ms=SHORT_MS, min_bytes=100_000)
    )
    talk.ask("less than enough", too_much, version, waits_ms=SHORT_MS)
    capped = fetch(
        talk,
        Wanted("t", 0, 0),
        reading=Reading(max_wait_ms=LONG_MS, min_bytes=200, max_bytes=100),
    )
    talk.ask("fewer bytes allowed than wanted", capped, version, waits_ms=LONG_MS)


@scenario(presets=defaults_since("1.1"))
def fetch_sessions(talk: Talk) -> None:
    talk.topic("t", partitions=3)
    version = talk.latest(ApiKey.FETCH)
    every = [Wanted("t", partition) for partition in range(3)]
    fill(talk, "t", 5, partition=1)
    first = talk.ask("begin", fetch(talk, *every, reading=Reading(session_epoch=0)), version)
    session_id = talk.expect(FetchResponse, first).session_id
    assert session_id

    def go_on(
        title: str, session_epoch: int, *wanted: Wanted, forgotten: int | None = None
    ) -> None:
        reading = Reading(
            session_id=session_id,
            session_epoch=session_epoch,
            forgotten=[] if forgotten is None else [("t", forgotten)],
        )
        seen(talk, title, *wanted, reading=reading)

    go_on("nothing is named", 1)
    go_on("further on", 2, Wanted("t", 1, 1))
    go_on("nothing new", 3)
    fill(talk, "t", 6, partition=2)
    go_on("something new", 4)
    go_on("taken", 5, Wanted("t", 2, 1))
    go_on("one less", 6, forgotten=2)
    fill(talk, "t", 7, partition=2)
    fill(talk, "t", 8, partition=0)
    go_on("what was forgotten is not told", 7)
    go_on("it comes back", 8, Wanted("t", 2, 1))
    go_on("out of range", 9, Wanted("t", 0, 50))
    go_on("still out of range", 10)
    go_on("an unknown partition", 11, Wanted("t", 9), Wanted("t", 0, 1))
    go_on("still unknown", 12)
    go_on("a wrong epoch", 20)
    go_on("the same epoch again", 12)
    go_on("the right epoch after all", 13)
    talk.ask("delete records", delete_records(("t", 1, 1)), talk.latest(ApiKey.DELETE_RECORDS))
    go_on("a log start is news", 14)
    go_on("close", -1)
    go_on("it is closed", 15)
    unknown = Reading(session_id=12_345, session_epoch=1)
    seen(talk, "no such session", reading=unknown)
    seen(talk, "a new one instead of an old one", *every, reading=replace(unknown, session_epoch=0))
    seen(talk, "a session id without an epoch", *every, reading=replace(unknown, session_epoch=-1))
    seen(talk, "an epoch without a session", *every, reading=Reading(session_epoch=5))
    seen(talk, "of nothing", reading=Reading(session_epoch=0))


@scenario(presets=defaults_since("1.1"))
def fetch_session_versions(talk: Talk) -> None:
    talk.topic("t")
    fill(talk, "t", 5)
    for version in talk.versions(ApiKey.FETCH):
        if version < 7:
            continue
        begin = fetch(talk, Wanted("t"), reading=Reading(session_epoch=0))
        answer = talk.ask(f"begin, v{version}", begin, version)
        session_id = talk.expect(FetchResponse, answer).session_id
        on = fetch(talk, reading=Reading(session_id=session_id, session_epoch=1))
        talk.ask(f"go on, v{version}", on, version)
        on = fetch(talk, Wanted("t", 0, 1), reading=Reading(session_id=session_id, session_epoch=2))
        talk.ask(f"at the end, v{version}", on, version)
        wrong = fetch(talk, reading=Reading(session_id=session_id, session_epoch=9))
        talk.ask(f"a wrong epoch, v{version}", wrong, version)
        end = fetch(talk, reading=Reading(session_id=session_id, session_epoch=-1))
        talk.ask(f"close, v{version}", end, version)


# Later releases divide the slots among eight shards: which sessions they keep is a matter of luck.
@scenario(
    settings={"max.incremental.fetch.session.cache.slots": "2"},
    alone=True,
    presets=between("1.1", "3.6"),
)
def fetch_sessions_are_few(talk: Talk) -> None:
    talk.topic("t")
    for index in range(4):
        seen(talk, f"session {index}", Wanted("t"), reading=Reading(session_epoch=0))


@scenario(presets=defaults_since("3.6"))
def fetch_topic_ids(talk: Talk) -> None:
    topic_id = talk.topic("t")
    talk.topic("u")
    fill(talk, "t", 5)

    def by(*ids: UUID, session_id: int = 0, session_epoch: int = -1) -> FetchRequest:
        topics = [
            FetchTopic(
                topic_id=each,
                partitions=[FetchPartition(partition=0, partition_max_bytes=PLENTY)],
            )
            for each in ids
        ]
        return FetchRequest(
            min_bytes=0, topics=topics, session_id=session_id, session_epoch=session_epoch
        )

    newest = talk.latest(ApiKey.FETCH)
    for version in range(13, newest + 1):
        talk.ask(f"unknown, v{version}", by(UUID(int=5)), version)
    talk.ask("known and unknown", by(topic_id, UUID(int=5)), newest)
    talk.ask("zero", by(UUID(int=0)), newest)
    begun = talk.ask("unknown within a session", by(UUID(int=5), topic_id, session_epoch=0), newest)
    session_id = talk.expect(FetchResponse, begun).session_id
    talk.ask("still unknown", by(session_id=session_id, session_epoch=1), newest)
    named = fetch(talk, reading=Reading(session_id=session_id, session_epoch=2))
    talk.ask("a session of ids goes on with names", named, 12)
    begin = fetch(talk, Wanted("t"), reading=Reading(session_epoch=0))
    answer = talk.ask("a session of names", begin, 12)
    session_id = talk.expect(FetchResponse, answer).session_id
    talk.ask("goes on with ids", by(session_id=session_id, session_epoch=1), newest)


@scenario(presets=defaults_since("2.3"))
def fetch_leader_epochs(talk: Talk) -> None:
    talk.topic("t")
    fill(talk, "t", 5, 5)
    for version in talk.versions(ApiKey.FETCH):
        if version < 9:
            continue
        for leader_epoch in (0, 1, -1, -2):
            wanted = Wanted("t", current_leader_epoch=leader_epoch)
            talk.ask(f"current {leader_epoch}, v{version}", fetch(talk, wanted), version)
        if version < 12:
            continue
        for fetched, offset in product((0, 1, 5, -1), (0, 2, 3)):
            wanted = Wanted("t", offset=offset, last_fetched_epoch=fetched)
            title = f"last fetched {fetched}, from {offset}, v{version}"
            talk.ask(title, fetch(talk, wanted), version)


@scenario()
def fetch_after_delete_records(talk: Talk) -> None:
    talk.topic("t")
    fill(talk, "t", 5, 6, 7, 8)
    talk.ask("delete", delete_records(("t", 0, 2)), talk.latest(ApiKey.DELETE_RECORDS))
    for version in sorted({talk.versions(ApiKey.FETCH)[0], 4, 5, 11, talk.latest(ApiKey.FETCH)}):
        for offset in (0, 1, 2, 3, 4):
            talk.ask(f"from {offset}, v{version}", fetch(talk, Wanted("t", 0, offset)), version)


@scenario()
def fetch_within_compressed_batches(talk: Talk) -> None:
    talk.topic("t")
    for codec in range(5):
        items = [Item(value=b"%d" % index, at_ms=talk.at(index)) for index in range(3)]
        data = batch(*items, at_ms=talk.at(0), codec=codec)
        talk.ask(f"write {codec}", produce(talk, ("t", 0, data)), talk.latest(ApiKey.PRODUCE))
    for offset in (1, 4, 14):
        seen(talk, f"from {offset}", Wanted("t", 0, offset))


@scenario()
def fetch_zstd_by_old_consumers(talk: Talk) -> None:
    talk.topic("t")
    data = plain(b"a", at_ms=talk.at(0), codec=batches.ZSTD)
    talk.ask("write", produce(talk, ("t", 0, data)), talk.latest(ApiKey.PRODUCE))
    for version in talk.versions(ApiKey.FETCH):
        talk.ask(f"v{version}", fetch(talk, Wanted("t")), version)


@scenario(presets=until("3.9"))
def fetch_down_converted(talk: Talk) -> None:
    talk.topic("t", configs=KEPT)
    version = talk.latest(ApiKey.PRODUCE)
    for codec in (0, batches.GZIP, batches.SNAPPY, batches.LZ4):
        items = [
            Item(key=b"k", value=b"%d" % index, at_ms=dated(index), headers=[(b"h", b"v")])
            for index in range(3)
        ]
        data = batch(*items, at_ms=dated(0), codec=codec)
        talk.ask(f"write {codec}", produce(talk, ("t", 0, data)), version)
    for fetch_version in (0, 1, 2, 3):
        for offset in (0, 1, 4, 12):
            title = f"from {offset}, v{fetch_version}"
            talk.ask(title, fetch(talk, Wanted("t", 0, offset)), fetch_version)
        small = fetch(talk, Wanted("t", 0, 0, 60))
        talk.ask(f"60 bytes, v{fetch_version}", small, fetch_version)
    if talk.release.since("2.3"):
        talk.topic("kept", configs={"message.downconversion.enable": "false"})
        fill(talk, "kept", 5)
        for fetch_version in (1, 3, 4):
            talk.ask(f"not allowed, v{fetch_version}", fetch(talk, Wanted("kept")), fetch_version)
    talk.topic("stamped", configs={"message.timestamp.type": "LogAppendTime"})
    fill(talk, "stamped", 5)
    for fetch_version in (1, 3):
        title = f"stamped by the broker, v{fetch_version}"
        talk.ask(title, fetch(talk, Wanted("stamped")), fetch_version)
