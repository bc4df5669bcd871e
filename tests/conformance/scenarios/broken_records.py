"""Invalid records that random walks found, beside valid ones."""

from collections.abc import Mapping

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.records.compression.codecs import compress
from tests.conformance.batches import GZIP, ZSTD, Item, batch, plain
from tests.conformance.releases import until
from tests.conformance.requests import Reading, Wanted, delete_records, fetch, list_offsets, produce
from tests.conformance.scenarios.offsets import leader_epochs
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

NO_MAGIC = 0x40
LZ4_TOPIC = {"compression.type": "lz4"}


def ask_beside_a_good_one(talk: Talk, title: str, records: bytes, version: int) -> None:
    """Write records to one partition, and valid ones to another."""
    good = plain(b"good", at_ms=talk.at(0))
    talk.ask(title, produce(talk, ("t", 0, records), ("t", 1, good)), version)


def versions_around(talk: Talk, *wanted: int) -> list[int]:
    """Return the versions of Produce that a release has."""
    return [version for version in talk.versions(ApiKey.PRODUCE) if version in wanted]


@scenario()
def produce_batches_of_impossible_lengths(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    # Behind a batch that ends in its header the time is read as the next one: as its magic, too.
    at_ms = talk.at(0) | NO_MAGIC
    for version in versions_around(talk, 3, 8):
        for length in (-1, 0, 13, 14, 30, 48, 49, 60):
            wrong = batch(Item(), at_ms=at_ms, wrong={"batch_length": length})
            ask_beside_a_good_one(talk, f"a length of {length}, v{version}", wrong, version)


@scenario()
def produce_codecs_before_zstd(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    for version in versions_around(talk, 3, 6, 7):
        for codec in (ZSTD, 5, 7):
            one = batch(Item(), at_ms=talk.at(0), wrong={"attributes": codec})
            for many, records in (("one batch", one), ("two batches", one + one)):
                title = f"{many} of codec {codec}, v{version}"
                ask_beside_a_good_one(talk, title, records, version)


@scenario()
def produce_odd_shapes_with_odd_acks(talk: Talk) -> None:
    talk.topic("t")
    good = plain(b"good", at_ms=talk.at(0))
    for version in versions_around(talk, 3, 8):
        for title, records in (("none", b""), ("two", good + good), ("a part", good[:-1])):
            request = produce(talk, ("t", 0, records), acks=2)
            talk.ask(f"{title}, v{version}", request, version)


@scenario()
def produce_compressed_records_of_wrong_lengths(talk: Talk) -> None:
    talk.topic("t")
    talk.topic("kept-in-lz4", configs=LZ4_TOPIC)
    record = Item(value=b"v" * 5).written(0, talk.at(0))
    wrongs: Mapping[str, bytes] = {
        "too long": bytes([record[0] + 2]) + record[1:],
        "too short": bytes([record[0] - 2]) + record[1:],
        "far too long": b"\x7e" + record[1:],
    }
    newest = talk.latest(ApiKey.PRODUCE)
    for topic in ("t", "kept-in-lz4"):
        for codec in (0, GZIP):
            for title, records in wrongs.items():
                payload = bytes(compress(codec, records))
                data = batch(Item(), at_ms=talk.at(0), codec=codec, payload=payload)
                name = f"{title}, codec {codec}, {topic}"
                talk.ask(name, produce(talk, (topic, 0, data)), newest)


@scenario()
def produce_batches_that_begin_before_their_records(talk: Talk) -> None:
    talk.topic("t", configs=LZ4_TOPIC)
    items = [Item(at_ms=talk.at(50)), Item(at_ms=talk.at(20)), Item(at_ms=talk.at(70))]
    for codec in (0, GZIP):
        data = batch(*items, at_ms=talk.at(5), codec=codec)
        request = produce(talk, ("t", 0, data))
        talk.ask(f"write, codec {codec}", request, talk.latest(ApiKey.PRODUCE))
    talk.ask("read", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH))


@scenario()
def fetch_committed_without_room(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    for partition in (0, 1):
        good = plain(b"v" * 50, at_ms=talk.at(0))
        talk.ask("write", produce(talk, ("t", partition, good)), talk.latest(ApiKey.PRODUCE))
    for max_bytes in (1, 118, 119, 200):
        reading = Reading(isolation_level=1, max_bytes=max_bytes)
        request = fetch(talk, Wanted("t", 0), Wanted("t", 1), reading=reading)
        talk.ask(f"{max_bytes} bytes", request, talk.latest(ApiKey.FETCH))


@scenario(presets=until("2.8"))
def times_and_epochs_of_old_formats(talk: Talk) -> None:
    for name in ("0.9.0", "0.10.2", "0.11.0"):
        topic = f"of-{name}"
        talk.topic(topic, configs={"message.format.version": name})
        for state in ("empty", "written"):
            for title, timestamp in (
                ("the end", -1), ("the start", -2), ("another", -3), ("a time", talk.at(0)),
            ):  # fmt: skip
                request = list_offsets((topic, 0, timestamp))
                asked = f"{title}, {state}, {name}"
                talk.ask(asked, request, talk.latest(ApiKey.LIST_OFFSETS))
            epochs = leader_epochs((topic, 0, 0))
            asked = f"epoch 0, {state}, {name}"
            talk.ask(asked, epochs, talk.latest(ApiKey.OFFSET_FOR_LEADER_EPOCH))
            good = plain(b"v", at_ms=talk.at(0))
            written = produce(talk, (topic, 0, good))
            talk.ask(f"write, {state}, {name}", written, talk.latest(ApiKey.PRODUCE))


@scenario()
def delete_records_of_a_compacted_topic(talk: Talk) -> None:
    talk.topic("t", configs={"cleanup.policy": "compact"})
    keyed = batch(Item(key=b"a"), Item(key=b"b"), Item(key=b"c"), at_ms=talk.at(0))
    talk.ask("write", produce(talk, ("t", 0, keyed)), talk.latest(ApiKey.PRODUCE))
    for offset in (2, 9, -1):
        request = delete_records(("t", 0, offset))
        talk.ask(f"up to {offset}", request, talk.latest(ApiKey.DELETE_RECORDS))
        talk.ask(f"the start, after {offset}", list_offsets(("t", 0, -2)), 1)
    talk.ask("epoch 0", leader_epochs(("t", 0, 0)), talk.latest(ApiKey.OFFSET_FOR_LEADER_EPOCH))
