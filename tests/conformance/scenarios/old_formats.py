"""Produce v0-2, and topics with old record formats."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance import batches
from tests.conformance.batches import Item, Producer, batch, message, plain, wrapped
from tests.conformance.releases import until
from tests.conformance.requests import Wanted, fetch, produce
from tests.conformance.scenarios.produce import KEPT, dated, up_to
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


@scenario(presets=until("3.9"))
def produce_message_sets(talk: Talk) -> None:
    for magic in (0, 1):
        for version in range(3):
            name = f"magic-{magic}-v{version}"
            talk.topic(name, configs=KEPT)
            one = message(b"a", magic=magic, at_ms=dated(0), key=b"k")
            three = b"".join(
                message(bytes([value]), magic=magic, at_ms=dated(i), offset=i)
                for i, value in enumerate(b"xyz")
            )
            talk.ask(f"one, {name}", produce(talk, (name, 0, one)), version)
            talk.ask(f"three, {name}", produce(talk, (name, 0, three)), version)
            inner = [
                message(b"p", magic=magic, at_ms=dated(3), offset=0),
                message(b"q", magic=magic, at_ms=dated(9), offset=1, key=b"k"),
                message(None, magic=magic, at_ms=dated(6), offset=2, key=b"n"),
            ]
            for codec in (batches.GZIP, batches.SNAPPY, batches.LZ4):
                packed = wrapped(
                    inner, magic=magic, codec=codec, at_ms=dated(9), offset=2 if magic else 0
                )
                talk.ask(f"packed {codec}, {name}", produce(talk, (name, 0, packed)), version)
            for title, data in {
                "a wrong checksum": message(b"a", magic=magic, at_ms=dated(0), crc=5),
                "cut off": one[:-1],
                "empty": b"",
                "a batch of format 2": plain(b"a", at_ms=dated(0)),
                "both formats": one + plain(b"a", at_ms=dated(0)),
                "zstd": wrapped(inner, magic=magic, codec=batches.ZSTD, at_ms=dated(9)),
                "an offset": message(b"o", magic=magic, at_ms=dated(0), offset=50),
            }.items():
                talk.ask(f"{title}, {name}", produce(talk, (name, 0, data)), version)
            for fetch_version in up_to(talk.latest(ApiKey.FETCH, 11), 0, 2, 4):
                title = f"read back by v{fetch_version}, {name}"
                talk.ask(title, fetch(talk, Wanted(name)), fetch_version)
    newest = talk.latest(ApiKey.PRODUCE, 8)
    talk.topic("new", configs=KEPT)
    for version in up_to(newest, 3, 5):
        for magic in (0, 1):
            data = message(b"a", magic=magic, at_ms=dated(0))
            title = f"format {magic} where 2 is due, v{version}"
            talk.ask(title, produce(talk, ("new", 0, data)), version)


@scenario(presets=until("3.9"))
def produce_to_old_formats(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE, 8)
    for stored in ("0.9.0", "0.10.0", "0.11.0"):
        name = f"f-{stored}"
        talk.topic(name, configs={**KEPT, "message.format.version": stored})
        for magic in (0, 1, 2):
            version = newest if magic == 2 else 2
            data = (
                batch(Item(headers=[(b"h", b"v")]), Item(key=b"k"), at_ms=dated(0))
                if magic == 2
                else message(b"a", magic=magic, at_ms=dated(1))
            )
            talk.ask(f"format {magic} to {stored}", produce(talk, (name, 0, data)), version)
            packed = (
                plain(b"c", b"d", at_ms=dated(5), codec=batches.GZIP)
                if magic == 2
                else wrapped(
                    [message(b"m", magic=magic, at_ms=dated(2))],
                    magic=magic,
                    codec=batches.GZIP,
                    at_ms=dated(2),
                )
            )
            title = f"packed format {magic} to {stored}"
            talk.ask(title, produce(talk, (name, 0, packed)), version)
        for version in up_to(talk.latest(ApiKey.FETCH, 11), 0, 2, 4):
            talk.ask(f"read back by v{version}, {stored}", fetch(talk, Wanted(name)), version)
        numbered = plain(b"i", at_ms=dated(0), producer=Producer(1_000_000))
        talk.ask(f"idempotent to {stored}", produce(talk, (name, 0, numbered)), newest)
