"""Produce: every version, valid and invalid batches, and the stored records."""

from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.conformance import batches
from tests.conformance.batches import Item, Producer, batch, message, plain
from tests.conformance.requests import Wanted, fetch, list_offsets, produce
from tests.conformance.script import scenario
from tests.conformance.talk import SILENCE_S, Talk

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
KEPT = {"retention.ms": "-1"}
KINDS = ("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd")


def dated(offset_ms: int) -> int:
    """Return a time that is the same in every run, because it is part of compressed bytes."""
    return 1_600_000_000_000 + offset_ms


def up_to(newest: int, *versions: int) -> list[int]:
    """Return the given versions that exist, and the newest one."""
    return [version for version in versions if version < newest] + [newest]


def read_back(talk: Talk, title: str, *wanted: Wanted) -> None:
    """Fetch the stored records with the newest version."""
    talk.ask(title, fetch(talk, *wanted), talk.latest(ApiKey.FETCH))


@scenario()
def produce_versions(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    for version in talk.versions(ApiKey.PRODUCE)[3:]:
        good = plain(b"a", b"b", at_ms=talk.at(version))
        both = produce(talk, ("t", 0, good), ("t", 1, plain(b"c", at_ms=talk.at(0))))
        talk.ask(f"two partitions, v{version}", both, version)
        mixed = produce(talk, ("t", 0, good), ("t", 7, good), ("missing", 0, good))
        talk.ask(f"good, unknown, missing, v{version}", mixed, version)
        broken = batch(Item(), at_ms=talk.at(0), wrong={"crc": 1})
        talk.ask(f"a wrong checksum, v{version}", produce(talk, ("t", 0, broken)), version)
        counted = batch(Item(), at_ms=talk.at(0), wrong={"record_count": 2})
        talk.ask(f"a wrong count, v{version}", produce(talk, ("t", 0, counted)), version)
        for acks in (0, 1, 2, -2):
            request = produce(talk, ("t", 0, good), acks=acks)
            if acks == 0:
                talk.send_only(request, version)
            else:
                talk.ask(f"acks {acks}, v{version}", request, version)
        talk.ask(f"nothing, v{version}", produce(talk), version)
    read_back(talk, "read back", Wanted("t", 0), Wanted("t", 1))


@scenario(presets=("4.4",))
def produce_versions_that_are_refused(talk: Talk) -> None:
    talk.topic("t")
    for version in (0, 1, 2):
        for magic in (0, 1, 2):
            data = (
                plain(b"a", at_ms=talk.at(0))
                if magic == 2
                else message(b"a", magic=magic, at_ms=talk.at(0))
            )
            talk.ask(f"format {magic}, v{version}", produce(talk, ("t", 0, data)), version)
    for version in (3, 9, 13):
        for magic in (0, 1):
            data = message(b"a", magic=magic, at_ms=talk.at(0))
            talk.ask(f"format {magic}, v{version}", produce(talk, ("t", 0, data)), version)


@scenario()
def produce_acks_0(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.PRODUCE)
    ends = list_offsets(("t", 0, -1))
    talk.send_only(produce(talk, ("t", 0, plain(b"a", at_ms=talk.at(0))), acks=0), newest)
    talk.ask("it was taken", ends, 1)
    broken = batch(Item(), at_ms=talk.at(0), wrong={"crc": 1})
    talk.ask("an error closes", produce(talk, ("t", 0, broken), acks=0), newest)
    talk.ask("a missing topic closes", produce(talk, ("missing", 0, broken), acks=0), newest)
    talk.ask("nothing was added", ends, 1)


@scenario()
def produce_with_wrong_acks(talk: Talk) -> None:
    talk.topic("t")
    good = plain(b"a", at_ms=talk.at(0))
    for version in up_to(talk.latest(ApiKey.PRODUCE), 3, 5):
        everywhere = produce(talk, ("t", 0, good), ("t", 7, good), ("missing", 0, good), acks=2)
        talk.ask(f"known, unknown, missing, v{version}", everywhere, version)
    broken = batch(Item(), at_ms=talk.at(0), wrong={"crc": 1})
    request = produce(talk, ("t", 0, broken), acks=2)
    talk.ask("a wrong checksum beside", request, talk.latest(ApiKey.PRODUCE))


def faulty(talk: Talk) -> dict[str, bytes]:
    """Build every kind of invalid batch."""
    at_ms = talk.at(0)
    return {**_wrong_shapes(at_ms), **_wrong_headers(at_ms), **_wrong_records(at_ms)}


def _wrong(at_ms: int, **fields: int) -> bytes:
    return batch(Item(), Item(), at_ms=at_ms, wrong=fields)


def _wrong_shapes(at_ms: int) -> dict[str, bytes]:
    good = plain(b"a", at_ms=at_ms)
    return {
        "empty": b"",
        "two batches": good + good,
        "cut off": good[:-3],
        "only a header": good[:61],
        "less than a header": good[:40],
        "less than a length": good[:11],
        "bytes left over": good + b"\0\0\0",
    }


def _wrong_headers(at_ms: int) -> dict[str, bytes]:
    return {
        "a wrong checksum": _wrong(at_ms, crc=1),
        "magic 3": _wrong(at_ms, magic=3),
        "magic -1": _wrong(at_ms, magic=-1),
        "one record more": _wrong(at_ms, record_count=3),
        "one record less": _wrong(at_ms, record_count=1),
        "no records": batch(at_ms=at_ms),
        "no records, but an offset": batch(at_ms=at_ms, wrong={"last_offset_delta": 0}),
        "a negative count": _wrong(at_ms, record_count=-1),
        "a count of two billion": _wrong(at_ms, record_count=2_000_000_000),
        "a last delta ahead": _wrong(at_ms, last_offset_delta=5),
        "a last delta behind": _wrong(at_ms, last_offset_delta=0),
        "a negative last delta": _wrong(at_ms, last_offset_delta=-1),
        "a base offset": _wrong(at_ms, base_offset=7),
        "a leader epoch": _wrong(at_ms, partition_leader_epoch=7),
        "a control batch": _wrong(at_ms, attributes=batches.CONTROL),
        "a transactional batch": _wrong(at_ms, attributes=batches.TRANSACTIONAL),
        "log append time": _wrong(at_ms, attributes=batches.LOG_APPEND_TIME),
        "an unknown attribute": _wrong(at_ms, attributes=0x4000),
        "a delete horizon": _wrong(at_ms, attributes=0x40),
        "a wrong max timestamp": _wrong(at_ms, max_timestamp=at_ms - 5),
        "compression 5": _wrong(at_ms, attributes=5),
        "compression 7": _wrong(at_ms, attributes=7),
    }


def _wrong_records(at_ms: int) -> dict[str, bytes]:
    items = (Item(), Item())
    packed = batch(*items, at_ms=at_ms, codec=batches.GZIP)
    return {
        "gzip that is none": _wrong(at_ms, attributes=batches.GZIP),
        "gzip cut off": batch(*items, at_ms=at_ms, codec=batches.GZIP, payload=packed[61:-9]),
        "snappy that is none": _wrong(at_ms, attributes=batches.SNAPPY),
        "lz4 that is none": _wrong(at_ms, attributes=batches.LZ4),
        "zstd that is none": _wrong(at_ms, attributes=batches.ZSTD),
        "records that are none": batch(*items, at_ms=at_ms, payload=b"\xff" * 20),
        "a record too long": batch(*items, at_ms=at_ms, payload=b"\x7f" + b"\0" * 20),
        "bytes behind the records": batch(Item(), at_ms=at_ms, payload=_with_tail(at_ms)),
        "offsets with a gap": batch(Item(), Item(offset_delta=5), at_ms=at_ms),
        "the same offset twice": batch(Item(), Item(offset_delta=0), at_ms=at_ms),
        "a null header key": batch(Item(headers=[(None, b"x")]), at_ms=at_ms),
        "a producer without sequence": batch(
            Item(), at_ms=at_ms, producer=Producer(1_000_000, 0, -1)
        ),
        "a producer without epoch": batch(Item(), at_ms=at_ms, producer=Producer(1_000_000, -1, 0)),
        "a sequence without producer": batch(Item(), at_ms=at_ms, producer=Producer(-1, -1, 0)),
        "a negative producer": batch(Item(), at_ms=at_ms, producer=Producer(-7, 0, 0)),
    }


def _with_tail(at_ms: int) -> bytes:
    return Item().written(0, at_ms) + b"\0\0\0\0"


@scenario()
def produce_invalid_batches(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    for index, (title, data) in enumerate(faulty(talk).items()):
        # A topic each, because some are taken after all.
        name = f"t{index}"
        talk.topic(name)
        talk.ask(
            "a good one first", produce(talk, (name, 0, plain(b"a", at_ms=talk.at(0)))), newest
        )
        talk.ask(title, produce(talk, (name, 0, data)), newest)
        talk.ask(f"{title}: where the log ends", list_offsets((name, 0, -1)), 1)


@scenario()
def produce_invalid_beside_valid(talk: Talk) -> None:
    talk.topic("t", partitions=3)
    newest = talk.latest(ApiKey.PRODUCE)
    good = plain(b"a", b"b", at_ms=talk.at(0))
    for title, data in list(faulty(talk).items())[:12]:
        request = produce(talk, ("t", 0, good), ("t", 1, data), ("t", 2, good))
        talk.ask(title, request, newest)


@scenario()
def produce_null_records(talk: Talk) -> None:
    talk.topic("t")
    pending = talk.begin("null records", produce(talk, ("t", 0, None)), talk.latest(ApiKey.PRODUCE))
    talk.finish(pending, patience_s=SILENCE_S)


@scenario()
def produce_compressed(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    for kind in KINDS if talk.release.since("2.3") else KINDS[:-1]:
        talk.topic(kind, configs={"compression.type": kind})
        for codec in range(5):
            items = [Item(key=b"k", value=b"v" * 40, headers=[(b"h", None)]), Item(value=None)]
            data = batch(*items, at_ms=talk.at(codec), codec=codec)
            talk.ask(f"{codec} to {kind}", produce(talk, (kind, 0, data)), newest)
        read_back(talk, f"read back from {kind}", Wanted(kind))
    packed = plain(b"a", at_ms=talk.at(0), codec=batches.ZSTD)
    for version in talk.versions(ApiKey.PRODUCE)[3:8]:
        talk.ask(f"zstd, v{version}", produce(talk, ("producer", 0, packed)), version)


@scenario()
def produce_log_append_time(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    talk.topic("stamped", configs={"message.timestamp.type": "LogAppendTime"})
    for title, data in {
        "plain": plain(b"a", b"b", at_ms=talk.at(0)),
        "packed": plain(b"a", b"b", at_ms=talk.at(1), codec=batches.LZ4),
        "without time": plain(b"a", at_ms=-1),
        "from the future": plain(b"a", at_ms=talk.start_ms + 30 * DAY_MS),
        "says so itself": batch(Item(), at_ms=talk.at(5), attributes=batches.LOG_APPEND_TIME),
    }.items():
        talk.ask(title, produce(talk, ("stamped", 0, data)), newest)
    read_back(talk, "read back", Wanted("stamped"))


@scenario()
def produce_timestamps(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    talk.topic("t")
    talk.topic(
        "narrow",
        configs={
            "message.timestamp.before.max.ms": "1000",
            "message.timestamp.after.max.ms": "1000",
        }
        if talk.release.since("3.6")
        else {"message.timestamp.difference.max.ms": "1000"},
    )
    for name in ("t", "narrow"):
        for title, at_ms in {
            "long ago": 5,
            "without time": -1,
            "negative": -2,
            "yesterday": talk.start_ms - DAY_MS,
            "in two hours": talk.start_ms + 2 * HOUR_MS,
        }.items():
            request = produce(talk, (name, 0, plain(b"a", b"b", at_ms=at_ms)))
            talk.ask(f"{title}, to {name}", request, newest)
        far = talk.start_ms + 3 * HOUR_MS
        items = [Item(), Item(at_ms=far), Item(at_ms=talk.at(1)), Item(at_ms=far)]
        some = batch(*items, at_ms=talk.at(0))
        talk.ask(f"some in three hours, to {name}", produce(talk, (name, 0, some)), newest)
        packed = batch(*items, at_ms=talk.at(0), codec=batches.GZIP)
        talk.ask(f"packed, to {name}", produce(talk, (name, 0, packed)), newest)


@scenario()
def produce_too_large(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    talk.topic("small", configs={"max.message.bytes": "100"})
    for size in (30, 31, 32, 33, 34, 100):
        request = produce(talk, ("small", 0, plain(b"v" * size, at_ms=talk.at(0))))
        talk.ask(f"{size} bytes", request, newest)
    packed = plain(b"v" * 1000, at_ms=talk.at(0), codec=batches.GZIP)
    talk.ask("a thousand, packed", produce(talk, ("small", 0, packed)), newest)
    talk.topic("t")
    for size in (1_000_000, 1_048_500, 1_048_576):
        request = produce(talk, ("t", 0, plain(b"v" * size, at_ms=talk.at(0))))
        talk.ask(f"{size} bytes by default", request, newest)
    talk.topic("segment", configs={"segment.bytes": "1048576", "max.message.bytes": "3000000"})
    large = plain(b"v" * 1_100_000, at_ms=talk.at(0))
    talk.ask("larger than a segment", produce(talk, ("segment", 0, large)), newest)


@scenario()
def produce_to_a_compacted_topic(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    talk.topic("compacted", configs={"cleanup.policy": "compact"})
    for title, items in {
        "keys": [Item(key=b"a"), Item(key=b"b")],
        "no key": [Item(key=b"a"), Item(), Item(key=b"c"), Item()],
        "an empty key": [Item(key=b"")],
    }.items():
        request = produce(talk, ("compacted", 0, batch(*items, at_ms=talk.at(0))))
        talk.ask(title, request, newest)
        packed = batch(*items, at_ms=talk.at(0), codec=batches.SNAPPY)
        talk.ask(f"{title}, packed", produce(talk, ("compacted", 0, packed)), newest)


@scenario(presets=("4.4",))
def produce_by_topic_id(talk: Talk) -> None:
    topic_id = talk.topic("t")
    good = plain(b"a", at_ms=talk.at(0))

    def to(*ids: UUID) -> ProduceRequest:
        return ProduceRequest(
            acks=-1,
            timeout_ms=5000,
            topic_data=[
                TopicProduceData(
                    topic_id=each, partition_data=[PartitionProduceData(index=0, records=good)]
                )
                for each in ids
            ],
        )

    talk.ask("known", to(topic_id), 13)
    talk.ask("unknown", to(UUID(int=5)), 13)
    talk.ask("zero", to(UUID(int=0)), 13)
    talk.ask("known and unknown", to(UUID(int=6), topic_id), 13)


@scenario(before_internal_topics=True)
def produce_transactional_id(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.PRODUCE)
    good = plain(b"a", at_ms=talk.at(0))
    request = produce(talk, ("t", 0, good), transactional_id="tx")
    talk.ask("an id, but no transactional batch", request, newest)
    writer = Producer(1_000_000)
    open_ended = batch(Item(), at_ms=talk.at(0), attributes=batches.TRANSACTIONAL, producer=writer)
    request = produce(talk, ("t", 0, open_ended), transactional_id="tx")
    talk.ask("a transaction that nobody began", request, newest)
